"""Headings, list items, tables and code blocks of a page, read by an independent parser.

html5lib builds the tree that browsers build; nothing of crfclean's own reading of pages is used.
The same code reads the pages and the Markdown of the systems that `structure` compares.

Some elements are doubtful, and count neither way: a list whose items hold headings or tables and a
table that arranges the page (tables, lists or headings inside, a single row or column, long cells),
for whether they are content or layout is no matter of structure; headings and lists in cells,
headings by their role alone, terms and definitions, and footnotes, for which Markdown has no marks
or others than those of a list.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import html5lib
import regex

from eval.documents.page_code import INLINE, NO_TEXT, code_text

KINDS = ("table", "list item", "code block", "heading")
LONG_CELL = 60  # words: a cell of a data table has fewer
MAX_SPAN = 100  # rows or columns

TOKEN = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]|[\w--[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}]]+",
    regex.V1,
)
_PERMALINKS = "#¶§🔗"
_LEVELS = {f"h{level}": level for level in range(1, 7)}
_NOTES = re.compile(r"footnote|endnote|\breferences?\b|\bfn\b|fn-", re.IGNORECASE)
_NO_DIGITS = str.maketrans("", "", "0123456789")
_CELLS = frozenset(["td", "th"])
_LISTS = frozenset(["ul", "ol"])
_ARRANGING = frozenset([*_LEVELS, "table", "ul", "ol", "article", "section", "form", "pre"])

Grid = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Unit:
    """An element of one of `KINDS`: what of it must be right, and its place in the page's text.

    `key` is its text without white space (of a code block its lines), `facts` what else must be
    right: (level,), (ordered, depth), other lines that code may have (see `_lines`), the grids that
    a table may have: its cells alone, and with
    those that span several places repeated there or left empty. `doubtful` counts neither way.
    """

    kind: str
    key: str
    facts: tuple[Any, ...]
    start: int
    end: int
    doubtful: bool = False


@dataclass(slots=True)
class Outline:
    """A page's text, its tokens with their places, and its units."""

    text: str = ""
    units: list[Unit] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)


def outline(html: str) -> Outline:
    """The text and the units of an HTML page or fragment."""
    tree = html5lib.parse(html, treebuilder="etree", namespaceHTMLElements=False)
    reader = _Reader()
    reader.read(tree)
    text = "".join(reader.parts)
    page = Outline(text, sorted(reader.units(text), key=lambda unit: (unit.start, -unit.end)))
    for match in TOKEN.finditer(text.lower()):
        page.tokens.append(match.group())
        page.starts.append(match.start())
    return page


@dataclass(slots=True)
class _Reader:
    """A tree read in one walk: its text, and where each element begins and ends in it."""

    parts: list[str] = field(default_factory=list)
    size: int = 0
    spans: dict[Any, tuple[int, int]] = field(default_factory=dict)
    above: dict[Any, tuple[Any, ...]] = field(default_factory=dict)
    found: list[Any] = field(default_factory=list)

    def read(self, root: Any) -> None:
        """Take a tree; without recursion."""
        todo: list[tuple[Any, tuple[Any, ...], int]] = [(root, (), -1)]
        while todo:
            element, path, start = todo.pop()
            if start >= 0:
                self._leave(element, start)
            elif not isinstance(element.tag, str) or element.tag in NO_TEXT:
                self._say(element.tail)
            else:
                todo.append((element, path, self._enter(element, path)))
                inner = (*path, element) if element.tag in _NESTING else path
                todo += [(child, inner, -1) for child in reversed(element)]

    def _enter(self, element: Any, path: tuple[Any, ...]) -> int:
        self._part(element)
        self.above[element] = path
        self.found.append(element)
        start = self.size
        self._say(element.text)
        return start

    def _leave(self, element: Any, start: int) -> None:
        self.spans[element] = (start, self.size)
        self._part(element)
        self._say(element.tail)

    def _part(self, element: Any) -> None:
        if element.tag not in INLINE:
            self._say("\n")

    def _say(self, text: str | None) -> None:
        if text:
            self.parts.append(text)
            self.size += len(text)

    def units(self, text: str) -> Iterator[Unit]:
        """The units of what was read."""
        for element in self.found:
            make = _MAKERS.get(element.tag) or (
                _Reader.role_heading if element.get("role") == "heading" else None
            )
            unit = make(self, element, text) if make else None
            if unit is not None:
                yield unit

    def heading(self, element: Any, text: str) -> Unit | None:
        """A heading that says something."""
        start, end = self.spans[element]
        key, doubtful = folded(text[start:end]).strip(_PERMALINKS), _in_cell(self.above[element])
        return Unit("heading", key, (_LEVELS[element.tag],), start, end, doubtful) if key else None

    def role_heading(self, element: Any, text: str) -> Unit | None:
        """What is a heading by its role alone."""
        start, end = self.spans[element]
        key = folded(text[start:end]).strip(_PERMALINKS)
        return Unit("heading", key, (0,), start, end, doubtful=True) if key else None

    def item(self, element: Any, text: str) -> Unit | None:
        """A list item: its own text, without that of the lists inside it."""
        lists = [
            element_above for element_above in self.above[element] if element_above.tag in _LISTS
        ]
        start, end = self.spans[element]
        inner = [
            self.spans[inner_element]
            for inner_element in element.iter()
            if inner_element.tag in _LISTS and inner_element in self.spans
        ]
        text_alone = _without(text, start, end, inner)
        key = folded(text_alone)
        if not key or not lists:
            return None
        doubtful = any(self._arranges(container) for container in lists) or _in_cell(
            self.above[element]
        )
        doubtful |= any(_NOTES.search(_named(container)) for container in (*lists, element))
        depth = sum(not self._arranges(container) for container in lists)
        return Unit("list item", key, (lists[-1].tag == "ol", depth), start, end, doubtful)

    def definition(self, element: Any, text: str) -> Unit | None:
        """A term or a definition, which some write as a list item."""
        start, end = self.spans[element]
        key = folded(text[start:end])
        return Unit("list item", key, (False, 0), start, end, doubtful=True) if key else None

    def code(self, element: Any, _text: str) -> Unit | None:
        """A code block: its lines as they stand, without white space at their ends."""
        key, other = (code_text(element, named=named) for named in (False, True))
        start, end = self.spans[element]
        numbers = not key.translate(_NO_DIGITS).split()  # a gutter
        return Unit("code block", key, (other,), start, end, numbers) if key else None

    def table(self, element: Any, text: str) -> Unit | None:
        """A table of data: the texts of its cells, row by row."""
        rows = [row for row in element.iter("tr") if self._own(row, element)]
        cells = [[cell for cell in row if cell.tag in _CELLS] for row in rows]
        sizes = [
            [(_size(cell, "colspan"), _size(cell, "rowspan")) for cell in row] for row in cells
        ]
        texts = [[folded(text[slice(*self.spans[cell])]) for cell in row] for row in cells]
        grid = tuple(_trimmed(row) for row in texts if any(row))
        if not grid:
            return None
        grids = tuple(_filled(texts, sizes, repeated=repeated) for repeated in (True, False))
        start, end = self.spans[element]
        doubtful = self._is_layout(element, cells, grid, text)
        key = "".join(map("".join, grid))
        return Unit("table", key, (grid, *grids), start, end, doubtful)

    def _own(self, row: Any, table: Any) -> bool:
        tables = [ancestor for ancestor in self.above[row] if ancestor.tag == "table"]
        return bool(tables) and tables[-1] is table

    def _is_layout(self, table: Any, cells: Sequence[Sequence[Any]], grid: Grid, text: str) -> bool:
        inside = [inner_element.tag for inner_element in table.iter() if inner_element is not table]
        wide = sum(sum(map(bool, row)) > 1 for row in grid)
        words = [len(text[slice(*self.spans[cell])].split()) for row in cells for cell in row]
        return (
            table.get("role") in ("presentation", "none")
            or wide < 2
            or max(words) > LONG_CELL
            or any(tag in _ARRANGING for tag in inside)
            or any(ancestor.tag == "table" for ancestor in self.above[table])
        )

    def _arranges(self, element: Any) -> bool:
        """Whether a list arranges the page: headings, tables or articles inside."""
        inside = {inner_element.tag for inner_element in element.iter()} - _LISTS
        if not inside.isdisjoint(_ARRANGING - {"pre"}):
            return True
        return any(inner_element.get("role") == "heading" for inner_element in element.iter())


_NESTING = frozenset(["ul", "ol", "table", "td", "th"])
_MAKERS = {
    **dict.fromkeys(_LEVELS, _Reader.heading),
    "li": _Reader.item,
    **dict.fromkeys(["dt", "dd"], _Reader.definition),
    "pre": _Reader.code,
    "table": _Reader.table,
}


def folded(text: str) -> str:
    """A text as it is compared: compatible forms made one, no case, no white space."""
    return "".join(unicodedata.normalize("NFKC", text).casefold().split())


def _without(text: str, start: int, end: int, inner: Sequence[tuple[int, int]]) -> str:
    kept = []
    for first, last in inner:
        kept.append(text[start:first] if first > start else "")
        start = max(start, last)
    return " ".join([*kept, text[start:end]])


def _in_cell(path: Sequence[Any]) -> bool:
    return any(ancestor.tag in _CELLS for ancestor in path)


def _named(element: Any) -> str:
    return " ".join(element.get(name) or "" for name in ("class", "id", "role"))


def _size(cell: Any, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return min(max(int(value), 1), MAX_SPAN) if value.isascii() and value.isdigit() else 1


def _filled(
    texts: Sequence[Sequence[str]], sizes: Sequence[Sequence[tuple[int, int]]], *, repeated: bool
) -> Grid:
    """The rows of a table with a text at every place; rows without any are left out."""
    places: dict[tuple[int, int], str] = {}
    for down, (row, spans) in enumerate(zip(texts, sizes, strict=True)):
        across = 0
        for text, (wide, high) in zip(row, spans, strict=True):
            while (down, across) in places:
                across += 1
            for place in ((down + y, across + x) for y in range(high) for x in range(wide)):
                places.setdefault(place, text if repeated or place == (down, across) else "")
    width = 1 + max((x for _, x in places), default=-1)
    rows = [[places.get((y, x), "") for x in range(width)] for y in range(len(texts))]
    return tuple(_trimmed(row) for row in rows if any(row))


def _trimmed(row: Sequence[str]) -> tuple[str, ...]:
    last = max(place for place, text in enumerate(row) if text)
    return tuple(row[: last + 1])
