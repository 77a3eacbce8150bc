"""The HTML document around reports and pages, their static files, and the index of page views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from string import Template

from crfclean._version import __version__

_MAX_NAME_CHARS = 200
_OF_THE_VIEW = frozenset(["palette.css", "overlay.css", "overlay.js"])


def read_asset(name: str) -> bytes:
    """The content of a static file; the caller checks the name."""
    if name in _OF_THE_VIEW:
        return read_view_asset(name).encode("utf-8")
    return (files("crfclean.serve") / "static" / name).read_bytes()


def read_view_asset(name: str) -> str:
    """The text of a static file of the view."""
    return (files("crfclean.view") / "static" / name).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class IndexRow:
    """A page of the index: its name and score, its file, and the numbers of its blocks.

    `problem` says why there is no file.
    """

    name: str
    score: float
    file: str = ""
    kept: int = 0
    blocks: int = 0
    problem: str = ""


@dataclass(frozen=True, slots=True)
class IndexSection:
    """Pages of the index that belong together."""

    title: str
    rows: tuple[IndexRow, ...]


def index_html(sections: Sequence[IndexSection], pages: int, note: str = "") -> str:
    """The index; `pages` is the number of all pages that the sample is of."""
    shown = sum(len(section.rows) for section in sections)
    subtitle = (
        f"A sample: {shown:,} of the {pages:,} pages with a text in this run, ordered by expected "
        f"F1. {note}Open one to see why each block was kept or dropped."
    )
    return listing(
        "What crfclean kept: a sample of pages",
        "What crfclean kept",
        subtitle,
        "".join(_section(section) for section in sections if section.rows),
    )


def listing(title: str, heading: str, subtitle: str, markup: str, *assets: str) -> str:
    """A page in the style of the index, with this markup, and style sheets of its own."""
    sheets = ("palette.css", "index.css", *assets)
    return Template(read_view_asset("index.html")).substitute(
        css="".join(map(read_view_asset, sheets)),
        title=escape(title),
        heading=escape(heading),
        subtitle=escape(subtitle),
        sections=markup,
        version=escape(__version__),
    )


def shortened_name(name: str) -> str:
    """The end of a page's name, which tells it from others."""
    return name[-_MAX_NAME_CHARS:]


def _section(section: IndexSection) -> str:
    rows = "".join(map(_row, section.rows))
    return f"<section><h2>{escape(section.title)}</h2><ul>{rows}</ul></section>"


def _row(row: IndexRow) -> str:
    name = escape(shortened_name(row.name))
    title = f'<a href="{escape(row.file)}">{name}</a>' if row.file else name
    blocks = row.problem or f"{row.kept:,} of {row.blocks:,} blocks kept"
    return (
        f'<li><span class="name">{title}</span> <span class="score">{row.score:.3f}'
        f'<meter value="{row.score:.3f}" aria-label="expected F1"></meter></span> '
        f'<span class="blocks">{escape(blocks)}</span></li>'
    )
