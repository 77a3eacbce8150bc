"""`Document` -> HTML: heading and text with their own tags, lists, tables and pictures, no more.

The end of the algorithm of Golovko and Lapin, "Representative and role model of the web page
content" (2015), blocks 13 and 16 to 18 of its table 2, for the blocks that any tagger keeps: what
is marked (the way from the root to a kept part, a mark-list) stays, all else goes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from importlib import import_module
from urllib.parse import urljoin

import numpy as np

from crfclean.elements import INLINE
from crfclean.expert.article import ArticleParams, Candidates
from crfclean.expert.elements import Elements, elements
from crfclean.expert.roles import SOURCES, Inside, find_pictures
from crfclean.expert.texttables import find_text_tables
from crfclean.types import Blocks, Bools, CrfcleanError, Document, Ints

_KEPT = (
    "abbr address b bdi blockquote br caption cite code dd del dfn dl dt em figcaption figure h1 "
    "h2 h3 h4 h5 h6 hr i ins kbd li mark pre p q rp rt ruby s samp small strong sub sup table "
    "tbody tfoot thead tr u var div section details summary"
)
_ATTRIBUTED = {
    "*": "lang dir",
    "a": "href title",
    "bdo": "dir",
    "img": "src alt width height",
    "li": "value",
    "ol": "start reversed type",
    "td": "colspan rowspan",
    "th": "colspan rowspan scope",
    "time": "datetime",
    "ul": "",
}
ATTRIBUTES: Mapping[str, frozenset[str]] = {
    **dict.fromkeys(_KEPT.split(), frozenset[str]()),
    **{tag: frozenset(names.split()) for tag, names in _ATTRIBUTED.items()},
}
"""Element that may stay -> its attributes that may; "*" are those of all."""

_CELLS = frozenset("table caption thead tbody tfoot tr td th".split())
_VOID = frozenset(["br", "hr", "img"])
_WRAPPING = frozenset(["div", "section", "a"])  # written by rules of their own


def to_html(document: Document, *, links: bool = False) -> str:
    """The kept blocks and pictures as an HTML page of charset, title and body; safe to show.

    `links` keeps the addresses of links. Comments beside the text follow in a section of their
    own. Raises `CrfcleanError` where nh3 is not installed.
    """
    page = elements(document.blocks)
    clean = _sanitiser()
    body = _fragment(document, page, document.tags.kept, links=links)
    comments = document.tags.comments
    if comments is not None and comments.any():
        body += f"<hr><section>{_fragment(document, page, comments, links=links)}</section>"
    title = escape(document.blocks.title, quote=False)
    return (
        f'<!DOCTYPE html>\n<html{_lang(document.blocks)}>\n<head><meta charset="utf-8">'
        f"<title>{title}</title></head>\n<body>\n{clean(body, ATTRIBUTES)}\n</body>\n</html>\n"
    )


def _sanitiser() -> Callable[[str, Mapping[str, frozenset[str]]], str]:
    try:
        found: Callable[[str, Mapping[str, frozenset[str]]], str] = import_module(
            "crfclean.extras.sanitise"
        ).sanitise
    except ModuleNotFoundError as error:
        raise CrfcleanError(f"{error.name} is missing: pip install 'crfclean[html]'") from error
    return found


def _lang(blocks: Blocks) -> str:
    if blocks.nodes.tags[:1] != ("html",):
        return ""
    lang = blocks.nodes.attributes[0].get("lang") or ""
    return f' lang="{escape(lang)}"' if lang else ""


def _fragment(document: Document, page: Elements, kept: Bools, *, links: bool) -> str:
    """The markup of some blocks, with their pictures."""
    if not kept.any():
        return ""
    marks = Marked(page, kept, document.tags.pictures)
    return "".join(_Writer(marks, _base(document), links=links).written())


def _base(document: Document) -> str:
    """What relative addresses are relative to: the page's `base`, its own address, or nothing."""
    nodes = document.blocks.nodes
    where = document.url or ""
    for tag, attributes in zip(nodes.tags[:200], nodes.attributes[:200], strict=True):
        if tag == "base" and attributes.get("href"):
            return _joined(where, attributes["href"])
    return where


def _joined(base: str, address: str) -> str:
    """An address as it is from a base; "" for one that is none."""
    try:
        return urljoin(base, address.strip())
    except ValueError:
        return ""


@dataclass(frozen=True)
class Marked:
    """A page, the blocks that stay (n,), and the pictures its tagger named (None: none named).

    Columns are of the elements, (m,).
    """

    page: Elements
    kept: Bools
    named: tuple[int, ...] | None

    @cached_property
    def _in_texts(self) -> Ints:
        """How many kept text runs stand at or inside each element."""
        runs = self.page.blocks.runs
        solid = np.array([not text.isspace() for text in runs.texts], np.bool_)
        found = runs.node[solid & self.kept[runs.block]]
        return self._inside(np.bincount(found, minlength=len(self.page.blocks.nodes)))

    def _inside(self, counts: Ints) -> Ints:
        total = np.concatenate([[0], np.cumsum(counts)])
        inside: Ints = total[self.page.blocks.nodes.end] - total[:-1]
        return inside

    @cached_property
    def top(self) -> int:
        """The nearest common ancestor of all kept text."""
        return _lowest(self._in_texts)

    @cached_property
    def pictures(self) -> tuple[int, ...]:
        """The pictures that stay."""
        if self.named is not None:
            return self.named
        facts = Candidates(self.page, -1, -1, (), ArticleParams())
        return find_pictures(Inside(facts, self.top), self.kept).candidates

    @cached_property
    def _in_all(self) -> Ints:
        """How many kept text runs and pictures stand at or inside each element."""
        pictures = np.zeros(len(self.page.blocks.nodes), np.int64)
        pictures[list(self.pictures)] = 1
        return self._in_texts + self._inside(pictures)

    @cached_property
    def whole(self) -> int:
        """The nearest common ancestor of all kept text and pictures (block 17): what is written."""
        return _lowest(self._in_all)

    @cached_property
    def data(self) -> Bools:
        """Whether each element is a text table or a part of one."""
        nodes = self.page.blocks.nodes
        steps = np.zeros(len(nodes) + 1, np.int64)
        for node in find_text_tables(self.page).candidates:
            steps[node] += 1
            steps[nodes.end[node]] -= 1
        inside: Bools = np.cumsum(steps)[:-1] > 0
        return inside

    @cached_property
    def wanted(self) -> Bools:
        """Whether each element is on a mark-list: on the way to kept text or a picture, or in it.

        Line breaks beside kept text are, and all cells of a row of data that has kept text.
        """
        nodes, page = self.page.blocks.nodes, self.page.page
        wanted = self._in_all > 0
        beside = np.concatenate([[False], self.kept, [False]])
        near = beside[nodes.first_block] | beside[nodes.first_block + 1]
        breaks = page.is_tag(["br", "hr"]) & near
        rows = wanted & page.is_tag(["tr"]) & self.data
        above = np.maximum(nodes.parent, 0)
        cells = page.is_tag(["td", "th"]) & rows[above]
        found: Bools = wanted | (breaks & wanted[above]) | cells
        return found

    @cached_property
    def _block_level(self) -> Ints:
        """How many marked block-level elements are at or inside each element, pictures aside."""
        parts = self.wanted & ~self.page.page.is_tag([*sorted(INLINE), *sorted(_VOID)])
        return self._inside(parts.astype(np.int64))

    @cached_property
    def stray(self) -> Bools:
        """Whether kept text stands directly in each element, inline ones at most between."""
        found = np.zeros(len(self.page.blocks.nodes), np.bool_)
        found[self.page.blocks.node[self.kept]] = True
        return found

    def name(self, node: int) -> str:
        """The element that stands for one of the page's, "" for none.

        Containers that only wrap others go, those of stray text become paragraphs, or `div`s where
        they hold paragraphs too. So do the cells of tables that arrange the page.
        """
        tag = self.page.tag(node)
        if tag in ATTRIBUTES and tag not in _WRAPPING and (tag not in _CELLS or self.data[node]):
            return tag
        if tag == "a" or tag in INLINE or not self.stray[node]:
            return tag if tag == "a" else ""
        return "div" if self._block_level[node] > 1 else "p"


def _lowest(inside: Ints) -> int:
    """The lowest of the elements that have all that is counted inside."""
    return int(np.flatnonzero(inside == inside.max())[-1])


@dataclass(slots=True)
class _Writer:
    """Elements and runs in their order -> markup; `stack` has what is open: element, end."""

    marks: Marked
    base: str
    links: bool
    out: list[str] = field(default_factory=list)
    stack: list[tuple[int, str]] = field(default_factory=list)
    opened: int = 0

    def written(self) -> list[str]:
        """All of the markup."""
        blocks, kept = self.marks.page.blocks, self.marks.kept
        self.opened = self.marks.whole
        end = int(blocks.nodes.end[self.opened])
        runs = blocks.runs
        for run in np.flatnonzero(kept[runs.block]).tolist():
            self._open(min(int(runs.after[run]), end))
            self._leave(int(runs.node[run]))
            self.out.append(escape(runs.texts[run], quote=False))
        self._open(end)
        while self.stack:
            self.out.append(self.stack.pop()[1])
        return self.out

    def _open(self, before: int) -> None:
        """Open the marked elements up to this one."""
        for node in range(self.opened, before):
            if self.marks.wanted[node]:
                self._leave(node)
                self._start(node)
        self.opened = max(self.opened, before)

    def _leave(self, node: int) -> None:
        """Close what is open and not around an element."""
        end = self.marks.page.blocks.nodes.end
        while self.stack and not self.stack[-1][0] <= node < end[self.stack[-1][0]]:
            self.out.append(self.stack.pop()[1])

    def _start(self, node: int) -> None:
        tag = self.marks.name(node)
        if tag == "a" and not self.links:
            tag = ""
        if tag:
            self.out.append(f"<{tag}{self._attributes(tag, node)}>")
        block_level = tag and tag not in INLINE and tag not in _VOID
        close = "" if not tag or tag in _VOID else f"</{tag}>" + ("\n" if block_level else "")
        self.stack.append((node, close))

    def _attributes(self, tag: str, node: int) -> str:
        known = self.marks.page.blocks.nodes.attributes[node]
        names = ATTRIBUTES[tag] | ATTRIBUTES["*"]
        told = {name: known[name] or "" for name in sorted(names) if name in known}
        if tag == "img":
            told["src"] = self._address(_source(known))
        if "href" in told:
            told["href"] = self._address(told["href"])
        return "".join(f' {name}="{escape(text)}"' for name, text in told.items())

    def _address(self, address: str) -> str:
        return _joined(self.base, address)


def _source(attributes: Mapping[str, str]) -> str:
    """A picture's address: the first that is one, whatever a script would put in its place."""
    for name in SOURCES:
        parts = (attributes.get(name) or "").split()
        if parts and not parts[0].startswith("data:"):
            return parts[0].rstrip(",") if "srcset" in name else (attributes[name] or "").strip()
    return ""
