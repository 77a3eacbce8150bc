"""An element of code -> its lines of code as they stand, without line numbers; their language."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from crfclean.page.elements import INLINE
from crfclean.structure.parts import Part
from crfclean.structure.selection import Marked
from crfclean.types import Nodes

_DIGITS = 7  # of a line's number are fewer
MAX_AROUND = 4  # elements around a `pre` that may name its language or its column
_GUTTER = re.compile(
    r"\b(?:line-?numbers?|line-?nos?|linenodiv|lntd?|ln|gutter|hljs-ln-numbers|blob-num)\b",
    re.IGNORECASE,
)
_CODE_TABLE = re.compile(r"\b(?:hljs-ln|js-file-line-container|blob-code|code-table)\b")
_LINE = re.compile(r"\b(?:line|token-line|code-line|view-line)\b", re.IGNORECASE)
_NUMBERS = re.compile(r"[\d\s]*")
_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_NAMED = (
    re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})(?=\s|$)", re.IGNORECASE),
    re.compile(r"(?:^|\s)highlight-(?:source|text)-([\w+#]{1,30})", re.IGNORECASE),
    re.compile(r"(?:^|\s)highlight-([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
    re.compile(r"brush:\s*([\w+#-]{1,30})", re.IGNORECASE),
    re.compile(r"(?:^|\s)(?:hljs|sourceCode|prettyprint)\s+([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
)
_NO_LANGUAGE = frozenset(
    "none default auto undefined null nohighlight plaintext plain text txt linenums hljs".split()
)


def find_code(marks: Marked) -> frozenset[int]:
    """The elements that are code: `pre`, and tables of lines, for a `pre` ends where one begins."""
    page, nodes = marks.page.page, marks.page.blocks.nodes
    is_pre = page.is_tag(["pre"])
    total = np.concatenate([[0], np.cumsum(is_pre)])
    bare = page.is_tag(["table"]) & (total[nodes.end] == total[:-1])
    tables = (
        node
        for node in np.flatnonzero(bare).tolist()
        if _CODE_TABLE.search(nodes.attributes[node].get("class") or "")
    )
    return frozenset([*np.flatnonzero(is_pre).tolist(), *tables])


def code_part(marks: Marked, node: int) -> Part | None:
    """The code of an element; None where it is the column of line numbers beside another."""
    lines = _Lines(marks.page.blocks.nodes)
    for at, text, block in _events(marks, node):
        if text is None:
            lines.enter(at)
        else:
            lines.add_text(at, text, block)
    text = lines.text()
    if not text or (_NUMBERS.fullmatch(text) and _in_gutter(lines.nodes, node)):
        return None
    return Part("codeblock", (text,), {"language": language(lines.nodes, node)}, node, lines.blocks)


def _events(marks: Marked, node: int) -> Iterator[tuple[int, str | None, int]]:
    """What stands in a `pre`, in page order: elements, and text as (element around, text, block).

    A blank of no block has -1 for it.
    """
    nodes = marks.page.blocks.nodes
    end, at = int(nodes.end[node]), node + 1
    for after, around, text, block in _texts(marks, node):
        yield from ((inner, None, -1) for inner in range(at, after))
        at = max(at, after)
        broken = after < end and nodes.tags[after] == "br"
        if not (text == " " and broken):  # it stands for the line break
            yield around, text, block
    yield from ((inner, None, -1) for inner in range(at, end))


def _texts(marks: Marked, node: int) -> list[tuple[int, int, str, int]]:
    """The kept runs and the blanks of a `pre`: elements begun before, element, text, block."""
    blocks = marks.page.blocks
    runs, end = blocks.runs, int(blocks.nodes.end[node])
    first, last = np.searchsorted(runs.after, [node + 1, end + 1]).tolist()
    found: list[tuple[int, float, int, str, int]] = [
        (int(runs.after[run]), run, int(runs.node[run]), runs.texts[run], int(runs.block[run]))
        for run in range(first, last)
        if node <= runs.node[run] < end and marks.kept[runs.block[run]]
    ]
    start = bisect_left(runs.blanks, node + 1, key=lambda blank: blank[2])
    for before, around, after, text in runs.blanks[start:]:
        if after > end:
            break
        if node <= around < end:
            found.append((after, before - 0.5, around, text, -1))
    return [(after, around, text, block) for after, _, around, text, block in sorted(found)]


@dataclass(slots=True)
class _Lines:
    """The text of a `pre` while its elements and texts come in."""

    nodes: Nodes
    pieces: list[str] = field(default_factory=list)
    seen: dict[int, None] = field(default_factory=dict)
    open: list[tuple[int, int]] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    words: int = 0  # pieces up to the last one with more than numbers
    fresh: bool = True
    owed: bool = False  # a line has ended; a line break of the text's own may still come

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks that the text is of."""
        return tuple(self.seen)

    def enter(self, node: int) -> None:
        """Begin an element."""
        self._leave(node)
        tag = self.nodes.tags[node]
        if tag == "br":
            self._pay()
            self._add("\n")
            return
        if self._parts(node):
            self.owed |= not self.fresh
            self._pay()
        self.open.append((node, len(self.pieces)))

    def add_text(self, around: int, text: str, block: int) -> None:
        """Take a text."""
        self._leave(around)
        if block < 0 and self.nodes.tags[around] in _LAYOUT:
            return
        number = text.isdecimal() and self.nodes.tags[around] not in ("pre", "code")
        if block >= 0:
            self.seen[block] = None
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
        if text.lstrip(" \t").startswith("\n"):
            self.owed = False
        self._pay()
        if number:
            self.numbers.append(len(self.pieces))
        self._add(text)

    def text(self) -> str:
        """All lines, without blank ones at the ends."""
        self._leave(-1)
        self._remove_numbers()
        return _BLANK_START.sub("", "".join(self.pieces)).rstrip()

    def _remove_numbers(self) -> None:
        """Remove numbers that stand in elements of their own and count the lines."""
        pieces, places = self.pieces, self.numbers
        counts = [int(pieces[at]) if len(pieces[at]) < _DIGITS else 0 for at in places]
        counted = all(before < after for before, after in pairwise([0, *counts]))
        lines = sum(bool(line.strip()) for line in "".join(pieces).split("\n"))
        if counted and self.words and len(places) >= 2 and lines <= 2.5 * len(places):
            for at in places:
                pieces[at] = ""
                if at + 1 < len(pieces) and pieces[at + 1] == "\n":
                    pieces[at + 1] = ""

    def _leave(self, node: int) -> None:
        """End the elements that are not around another."""
        while self.open and not self.open[-1][0] <= node < self.nodes.end[self.open[-1][0]]:
            left, start = self.open.pop()
            if self.words <= start and _is_gutter(self.nodes, left):
                del self.pieces[start:]
                self.numbers = [at for at in self.numbers if at < start]
                self.fresh = not self.pieces or self.pieces[-1].endswith("\n")
            elif self._parts(left):
                empty = start == len(self.pieces) and self._is_line(left)
                self.owed |= empty or not self.fresh

    def _parts(self, node: int) -> bool:
        """Whether an element begins a line."""
        tag = self.nodes.tags[node]
        return (tag not in INLINE and tag not in ("td", "th")) or self._is_line(node)

    def _is_line(self, node: int) -> bool:
        """Whether an element is a line of code."""
        if self.nodes.tags[node] in ("li", "tr"):
            return True
        named = self.nodes.attributes[node].get("class") or ""
        return bool(named) and bool(_LINE.search(named)) and not _GUTTER.search(named)

    def _pay(self) -> None:
        """Begin the new line that is owed."""
        if self.owed:
            self.owed = False
            self._add("\n")

    def _add(self, text: str) -> None:
        if text:
            self.pieces.append(text)
            if not _NUMBERS.fullmatch(text):
                self.words = len(self.pieces)
            self.fresh = text.endswith("\n")


_LAYOUT = frozenset(["table", "thead", "tbody", "tr", "ol", "ul"])
"""Elements in which white space shows nothing, even in a `pre`."""


def _is_gutter(nodes: Nodes, node: int) -> bool:
    """Whether an element is named like a column of line numbers."""
    if nodes.tags[node] in ("pre", "code"):
        return False
    return bool(_GUTTER.search(nodes.attributes[node].get("class") or ""))


def _in_gutter(nodes: Nodes, node: int) -> bool:
    for around in _around(nodes, node):
        if _is_gutter(nodes, around) or nodes.tags[around] == "tr":
            return _is_gutter(nodes, around)
    return bool(_GUTTER.search(nodes.attributes[node].get("class") or ""))


def _around(nodes: Nodes, node: int) -> Iterator[int]:
    """The elements right around one, the nearest first."""
    for _ in range(MAX_AROUND):
        node = int(nodes.parent[node])
        if node < 0:
            return
        yield node


def language(nodes: Nodes, node: int) -> str:
    """The language that the markup names for the code of a `pre`, in lower case, or ""."""
    inner = range(node + 1, min(node + 3, int(nodes.end[node])))
    codes = [one for one in inner if nodes.tags[one] == "code"]
    for one in (*codes, node, *_around(nodes, node)):
        found = _language(nodes.attributes[one])
        if found:
            return found
    return ""


def _language(attributes: Mapping[str, str]) -> str:
    if not attributes:
        return ""
    for name in ("data-lang", "data-language"):
        told = (attributes.get(name) or "").strip().lower()
        if re.fullmatch(r"[\w+#.-]{1,30}", told) and told not in _NO_LANGUAGE:
            return told
    named = attributes.get("class") or ""
    for pattern in _NAMED:
        found = pattern.search(named)
        if found and found[1].lower() not in _NO_LANGUAGE:
            return found[1].lower()
    return ""
