"""Find the code of a page: each unit of code becomes one block, and its elements only break lines.

Highlighters put each line into an element of its own, and editors and code hosts have no `pre` at
all. The code is found in the table of a first walk, which shows the content of elements: a `pre`
that was never closed, or that wraps the whole text of a page, is no unit.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np

from crfclean.core.table import Table
from crfclean.page.chars import in_classes
from crfclean.page.effects import CODE_EDITORS
from crfclean.page.walk import NO_CODE, Code
from crfclean.types import Bools, Ints

LINE_END = "\u2028"
"""The run of white space in a unit where an element ends a line."""

CODE_TAGS = frozenset(["pre", "listing", "xmp"])
# `linenos`, `linenodiv` (Pygments), `lnt`, `lntd` (Chroma), `blob-num` (GitHub): columns of numbers
GUTTER = re.compile(
    r"\b(?:line-?numbers?|line-?nos?|linenodiv|lntd?|ln|gutter|hljs-ln-numbers|blob-num|"
    r"CodeMirror-linenumber|crayon-nums?)\b",
    re.IGNORECASE,
)
# `token-line` (prism-react-renderer), `view-line` (Monaco): an element for each line
LINE = re.compile(
    r"\b(?:line|token-line|code-line|view-line|cm-line|CodeMirror-line|ace_line|crayon-line|"
    r"react-file-line|blob-code)\b",
    re.IGNORECASE,
)
_HIDDEN_LINES = re.compile(r"(?:^|\s)boring(?:\s|$)")  # mdBook: `fn main() {` around an example
_NOT_SELECTED = re.compile(r"user-select\s*:\s*none", re.IGNORECASE)
_EDITOR = re.compile(rf"(?:^|\s)(?:{'|'.join(CODE_EDITORS)})(?:\s|$)")
_BAR = re.compile(r"(?:^|[\s_-])(?:header|toolbar|copy|lang-label|filename)(?:[\s_-]|$)")
_PARTS = {
    GUTTER: ("lin", "ln", "gutter", "num"),
    LINE: ("line", "blob-code"),
    _HIDDEN_LINES: ("boring",),
    _EDITOR: tuple(name.lower() for name in CODE_EDITORS),
    _BAR: ("header", "toolbar", "copy", "label", "filename"),
}
"""Pattern -> texts in lower case, one of which is in each class that matches."""

_BREAKS = frozenset(
    "h1 h2 h3 h4 h5 h6 article section nav aside main form footer figure blockquote dl th".split()
)
"""Elements that code never contains, if they have text. Squarespace's "code block" is any HTML: a
policy's table came out as one line of code."""

_PROSE = re.compile(r"[^\W\d_]|[\"“„«'(]")  # the first character of paragraphs, not of comments
_PROSE_END = re.compile(r"[.!?:…。！？][\"'”’»)]*\Z|[.!?] [A-Z]")
_SYMBOLS = re.compile(r"[{}\[\]=<>\\|$#@*~^_;/]")
_SYMBOL_SHARE = 0.02  # largest share of symbols in prose
_MIN_PROSE_CHARS = 60
_NUMBERS = re.compile(r"[\d\s]*")
_NUMBER_CHARS = "0123456789 \t\n\v\f\r\x1c\x1d\x1e\x1f"  # all of them in ASCII

_TAGS = CODE_TAGS | {"code"}
_PROSE_SHARE = 0.3  # largest share of prose in a unit's characters
_MAX_ANCESTORS = 4  # of a column of numbers: one of them also holds the code beside it
_MAX_BAR_BLOCKS = 4  # of a bar at the start of code, with its language and buttons
_MIN_NUMBERS = 2  # elements that count lines, without a class for line numbers
_LINES_PER_NUMBER = 2.5
_MAX_DIGITS = 6


def find_code(table: Table) -> Code:
    """Find the code of a page in its table; linear in the page."""
    candidates = _candidates(table)
    if not candidates:  # as on most pages
        return NO_CODE
    search = _Search(table, candidates)
    classes = search.names
    units: list[int] = []
    apart: set[int] = set()
    numbers: set[int] = set()
    end = 0
    for node in sorted(search.candidates.union(np.flatnonzero(classes[GUTTER]).tolist())):
        if node >= end and search.is_number_column(node):
            numbers.add(node)
            end = search.node_end[node]
        elif node >= end and search.is_unit(node):
            units.append(node)
            end = search.node_end[node]
            apart.update(search.bars(node))
            numbers.update(search.numbers(node))
    is_cut = bool(numbers) or any(search.blocks(node) > 1 for node in units)
    return Code(frozenset(units), frozenset(apart), frozenset(numbers), is_cut)


def _candidates(table: Table) -> frozenset[int]:
    """Find the elements that may be a unit; a `code` that stands in a line is none."""
    nodes = table.code_node
    if not len(nodes):
        return frozenset()
    first, block_node = table.first_block[nodes], table.node
    blocks = table.end_block[nodes] - first
    inside = np.zeros(len(nodes), np.bool_)
    inside[blocks > 0] = block_node[first[blocks > 0]] > nodes[blocks > 0]
    tags = table.tag_names
    code = tags.index("code") if "code" in tags else -1
    return frozenset(nodes[(table.tag[nodes] != code) | inside | (blocks > 1)].tolist())


class _Search:
    """The search of one page; it computes sums over elements and blocks once."""

    def __init__(self, table: Table, candidates: frozenset[int]) -> None:
        self.table, self.sums = table, dict[str, list[int]]()
        self.tags, self.texts, self.run_texts = table.tags, table.texts, table.run_texts
        self.attributes, self.names, self.candidates = table.attributes, _Classes(table), candidates
        self.first, self.last = _listed(table, "first_block"), _listed(table, "end_block")
        self.parent, self.node_end = _listed(table, "parent"), _listed(table, "end")
        self.actions, self.block_node = _listed(table, "actions"), _listed(table, "node")
        self.run_node, self.run_after = _listed(table, "run_node"), _listed(table, "run_after")

    def is_unit(self, node: int) -> bool:
        """Return whether an element is code as a whole, by its content."""
        if node not in self.candidates or self._within("editor", node, 1):
            return False
        is_pre = self.tags[node] in CODE_TAGS
        blocks = self.blocks(node)
        if is_pre and blocks == 1:
            return True
        if not blocks or self._within("break", node):
            return False
        if not is_pre and self._within("pre", node):
            return False
        if 2 * self._within("line", node) >= blocks:
            return True
        is_menu = not is_pre and 2 * self._within("link", node) > blocks
        return not is_menu and self._prose_share(node) <= _PROSE_SHARE

    def is_number_column(self, node: int) -> bool:
        """Return whether an element holds the numbers of the lines of the code beside it."""
        if not self.names[GUTTER][node] or not self._is_numeric(node):
            return False
        own, above = self._within("code", node), node
        for _ in range(_MAX_ANCESTORS):
            above = self.parent[above]
            if above < 0:
                return False
            if self._within("code", above) > own:
                return True
        return False

    def bars(self, node: int) -> Iterator[int]:
        """Yield elements with a language, file name or buttons, before or after the code."""
        start, stop = self.first[node], self.last[node]
        for inner in self._inside(self._bars, node):
            small = self.blocks(inner) <= min(_MAX_BAR_BLOCKS, self.blocks(node) - 1)
            if small and self.first[inner] == start:
                start = self.last[inner]
                yield inner
            elif small and self.last[inner] == stop and self.tags[inner] == "button":
                yield inner

    def numbers(self, node: int) -> list[int]:
        """Find the elements of a unit that hold only line numbers, or lines that do not show."""
        if self._is_numeric(node):
            return []
        hidden, named, counting = list[int](), list[int](), list[int]()
        end = node
        for inner in self._inside(self._numbers, node):
            is_hidden = bool(self.names[_HIDDEN_LINES][inner])
            if inner < end:
                continue
            if is_hidden or self._is_gutter(inner):
                end = self.node_end[inner]
                (hidden if is_hidden else named).append(inner)
            elif self.node_end[inner] == inner + 1 and self._begins_line(inner):
                counting.append(inner)
        return hidden + (named or (counting if self._count_lines(node, counting) else []))

    @cached_property
    def _bars(self) -> list[int]:
        """The elements that may be a bar, by tag or class."""
        bars = self.is_tag(["button"]) | self.names[_BAR]
        nodes: list[int] = np.flatnonzero(bars & self.shown & (self.table.actions > 0)).tolist()
        return nodes

    @cached_property
    def _numbers(self) -> list[int]:
        """The elements with nothing but numbers that are no code, and those of hidden lines."""
        texts, others = (np.array(self._sums(mark)) for mark in ("text", "not numbers"))
        end, own = self.table.end, slice(-1)
        numeric = (texts[end] > texts[own]) & (others[end] == others[own]) & ~self.is_tag(_TAGS)
        nodes: list[int] = np.flatnonzero(numeric | self.names[_HIDDEN_LINES]).tolist()
        return nodes

    def _inside(self, nodes: list[int], node: int) -> list[int]:
        """Return those of some elements, in page order, that are inside an element."""
        return nodes[bisect_right(nodes, node) : bisect_left(nodes, self.node_end[node])]

    def _is_gutter(self, node: int) -> bool:
        style = self.attributes[node].get("style") or ""
        return bool(self.names[GUTTER][node] or _NOT_SELECTED.search(style))

    def blocks(self, node: int) -> int:
        """Count the blocks in an element."""
        return int(self.last[node] - self.first[node])

    def _is_numeric(self, node: int) -> bool:
        return self._within("text", node) > 0 and not self._within("not numbers", node)

    def _begins_line(self, node: int) -> bool:
        """Return whether an element starts a line: first in its parent, or after a break."""
        run = bisect_right(self.run_after, node) - 1
        if self.parent[node] == node - 1 or run < 0 or self.run_texts[run].endswith("\n"):
            return True
        before = self.run_node[run]
        for _ in range(_MAX_ANCESTORS):  # an element that has ended may be a line
            if before < 0 or self.node_end[before] > node:
                return False
            if self.actions[before] > 0:
                return True
            before = self.parent[before]
        return False

    def _count_lines(self, node: int, numbers: Sequence[int]) -> bool:
        """Return whether elements with numbers count the lines of a unit."""
        if len(numbers) < _MIN_NUMBERS:
            return False
        runs = range(*(bisect_right(self.run_after, at) for at in (node, self.node_end[node])))
        own = [self.run_texts[run] for run in runs]
        by_node = {self.run_node[run]: self.run_texts[run].strip() for run in runs}
        texts = [by_node.get(number, "") for number in numbers]
        if not all(text.isdecimal() and len(text) <= _MAX_DIGITS for text in texts):
            return False
        values = [int(text) for text in texts]
        lines = max(sum(text.count("\n") for text in own), self.blocks(node))
        counts = all(after == before + 1 for before, after in pairwise(values))
        return counts and lines <= _LINES_PER_NUMBER * len(values)

    def _prose_share(self, node: int) -> float:
        first, last = self.first[node], self.last[node]
        chars, prose = (sums[last] - sums[first] for sums in self._sizes)
        return prose / max(1, chars)

    def _within(self, mark: str, node: int, skip: int = 0) -> int:
        """Count marked elements at or inside an element; only inside it if `skip` is 1."""
        sums = self._sums(mark)
        return sums[self.node_end[node]] - sums[node + skip]

    def _sums(self, mark: str) -> list[int]:
        """Count the elements of a mark before each position, (m + 1,)."""
        if mark not in self.sums:
            self.sums[mark] = [0, *np.cumsum(_MARKS[mark](self)).tolist()]
        return self.sums[mark]

    @cached_property
    def shown(self) -> Bools:
        """Mark each element that has blocks, (m,)."""
        shown: Bools = self.table.end_block > self.table.first_block
        return shown

    def is_tag(self, tags: Container[str]) -> Bools:
        """Mark each element that has one of the tags, (m,)."""
        return np.array([tag in tags for tag in self.table.tag_names], np.bool_)[self.table.tag]

    @cached_property
    def _sizes(self) -> tuple[list[int], list[int]]:
        """Characters, and those of prose, in the candidates' blocks before each block, (n + 1,)."""
        nodes = np.array([*self.candidates])
        covered = _covered(
            self.table.first_block[nodes], self.table.end_block[nodes], len(self.texts)
        )
        sizes = [len(text) * inside for text, inside in zip(self.texts, covered, strict=True)]
        prose = [
            size * _is_prose(text) if size else 0
            for text, size in zip(self.texts, sizes, strict=True)
        ]
        return [0, *accumulate(sizes)], [0, *accumulate(prose)]

    @cached_property
    def _runs(self) -> Ints:
        """The runs in candidates and columns of numbers: of a page with code most are elsewhere."""
        nodes = np.union1d([*self.candidates], np.flatnonzero(self.names[GUTTER])).astype(np.int64)
        inside = _covered(nodes, self.table.end[nodes], len(self.tags))
        runs: Ints = np.flatnonzero(inside[self.table.run_node])
        return runs

    def of_runs(self, is_marked: Callable[[str], bool]) -> Ints:
        """Count the marked runs in each element, (m,), only in those of `_runs`."""
        texts = self.run_texts
        marked = [run for run in self._runs.tolist() if is_marked(texts[run])]
        return np.bincount(self.table.run_node[marked], minlength=len(self.tags))


def _covered(first: Ints, end: Ints, count: int) -> Bools:
    """Mark the places of `count` that are in a span, from `first` to before `end`."""
    changes = np.bincount(first, minlength=count + 1) - np.bincount(end, minlength=count + 1)
    covered: Bools = np.cumsum(changes[:count]) > 0
    return covered


def _has_text(text: str) -> bool:
    return not text.isspace()


def _is_no_number(text: str) -> bool:
    rest = text.strip(_NUMBER_CHARS)
    return bool(rest) and (rest.isascii() or not _NUMBERS.fullmatch(text))


_MARKS: Mapping[str, Callable[[_Search], Bools | Ints]] = {
    "break": lambda search: search.is_tag(_BREAKS) & search.shown,
    "pre": lambda search: search.is_tag(CODE_TAGS),
    "code": lambda search: search.is_tag(_TAGS),
    "link": lambda search: search.is_tag(("a",)),
    "line": lambda search: search.names[LINE],
    "editor": lambda search: search.names[_EDITOR],
    "text": lambda search: search.of_runs(_has_text),
    "not numbers": lambda search: search.of_runs(_is_no_number),
}
"""Mark -> the elements that have it, or how often, (m,)."""


def _listed(table: Table, name: str) -> list[int]:
    numbers: list[int] = getattr(table, name).tolist()
    return numbers


class _Classes:
    """Elements whose class matches a pattern; each class is read once."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.columns: dict[re.Pattern[str], Bools] = {}

    def __getitem__(self, pattern: re.Pattern[str]) -> Bools:
        """Mark each element whose class matches, shape (m,)."""
        if pattern not in self.columns:
            self.columns[pattern] = in_classes(self.table, pattern, _PARTS[pattern])
        return self.columns[pattern]


def _is_prose(text: str) -> bool:
    """Return whether a text reads like a paragraph, not like code or a line of a listing.

    >>> _is_prose("The generator yields one number after the other, and never keeps the list.")
    True
    >>> _is_prose("# Return the name of the user, or None if nobody has logged in so far today.")
    False
    """
    if len(text) < _MIN_PROSE_CHARS or not _PROSE.match(text):
        return False
    symbols = len(_SYMBOLS.findall(text))
    return symbols <= _SYMBOL_SHARE * len(text) and bool(_PROSE_END.search(text))
