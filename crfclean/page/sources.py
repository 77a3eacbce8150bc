"""Read a page from the objects that callers may pass: HTML, a file, a parsed tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from crfclean.io import read_file
from crfclean.page.decode import MAX_BYTES, decode
from crfclean.page.page_names import HTML_SUFFIXES
from crfclean.types import CrfcleanError, Page

if TYPE_CHECKING:
    from bs4 import Tag
    from lxml.etree import _Element, _ElementTree

__all__ = ["Source"]


class Readable(Protocol):
    """An open file."""

    def read(self, size: int, /) -> bytes | str:
        """Read at most `size` bytes or characters."""


Source: TypeAlias = "Page | bytes | str | Path | Readable | _Element | _ElementTree | Tag"
"""Objects that callers may pass as a page; `as_page` describes each."""

MAX_NAME = 2_048  # characters of a path or URL; a longer text is never a name

_URL = re.compile(r"(?:https?|file|ftp)://\S+", re.IGNORECASE)
_SENT = (Page, bytes, str, Path)  # what another process can read
_TREES = frozenset(["bs4", "lxml"])
_SUFFIXES = (*HTML_SUFFIXES, ".mhtml", ".mht")


def as_page(source: Source, url: str | None = None) -> Page:
    """Return a page as it is, or read it from one of these sources.

    - `str` or `bytes`: the HTML, plain or gzipped, or a web archive (MHTML).
    - `pathlib.Path`: a file with the same content, of at most 256 MB.
    - an open file: its content, up to 64 MB.
    - an element or tree of lxml, a tag or soup of Beautiful Soup: the HTML that it writes.

    A tree is written and parsed again: this costs time, and XPaths are those of the written HTML.

    Raises `CrfcleanError` for a file that cannot be read, and for a text that has the form of a URL
    or of a page's name (`a.html`), unless there is a `url`; `TypeError` for anything else.
    """
    if url is None and isinstance(source, str | bytes) and len(source) <= MAX_NAME:
        _refuse_name(source)
    return read_page(source, url)


def as_sources(sources: Iterable[Source]) -> Iterator[Source]:
    """Yield the sources of pages, read lazily where another process could not read them.

    Raises `TypeError` for a single page, and for an object that is no iterable.
    """
    single = isinstance(sources, _SENT) or hasattr(sources, "read")
    if single or _library(sources) in _TREES or not isinstance(sources, Iterable):
        raise TypeError(f"several pages are needed, as in a list, not one {type(sources).__name__}")
    return (each if isinstance(each, _SENT) else read_page(each) for each in sources)


def read_page(source: Source, url: str | None = None) -> Page:
    """Return the page of a source, which is never a name; raises as `as_page` does."""
    if isinstance(source, bytes | str):
        return decode(source, url)
    if isinstance(source, Page):
        return source if url is None else replace(source, url=url)
    if isinstance(source, Path):
        return decode(_file(source), url)
    if _library(source) in _TREES:
        return decode(_written(source), url)
    return decode(_content(source), url)


def _refuse_name(text: str | bytes) -> None:
    """Raise `CrfcleanError` for a text that has the form of a URL or of a page's name.

    Whether there is such a file does not matter: a page must give the same text in all folders.

    >>> _refuse_name("Rain in the north.")
    >>> _refuse_name("page.html")
    Traceback (most recent call last):
    crfclean.types.errors.CrfcleanError: 'page.html' is a path, not HTML: pass Path('page.html')
    """
    name = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    if "<" in name:
        return
    name = name.strip()
    if _URL.fullmatch(name):
        raise CrfcleanError(
            f"{_short(name)} is a URL, not HTML: fetch the page first, or run crfclean clean URL"
        )
    if len(name.splitlines()) == 1 and name.lower().endswith(_SUFFIXES):
        raise CrfcleanError(f"{_short(name)} is a path, not HTML: pass Path({_short(name)})")


def _short(name: str) -> str:
    return repr(name if len(name) <= 100 else name[:99] + "…")


def _file(path: Path) -> bytes:
    try:
        return read_file(path)
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror or error}") from error


def _library(source: object) -> str:
    return type(source).__module__.partition(".")[0]


def _written(tree: Any) -> str:
    """Write the HTML of a parsed tree."""
    if _library(tree) == "bs4":
        return str(tree)
    from lxml.etree import tostring

    html: str = tostring(tree, method="html", encoding="unicode", with_tail=False)
    return html


def _content(file: Any) -> bytes | str:
    """Read the content of an open file; raises `TypeError` for anything else."""
    if not hasattr(file, "read"):
        kind = type(file).__name__
        raise TypeError(f"a page is str, bytes, Path, an open file, a tree or a Page, not {kind}")
    content: bytes | str = file.read(MAX_BYTES + 1)
    return content
