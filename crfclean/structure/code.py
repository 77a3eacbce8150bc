"""Read the code of an element: its lines as they stand, without line numbers, and its language."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from crfclean.structure.parts import Part
from crfclean.structure.selection import Selection
from crfclean.types import Nodes

_MAX_DIGITS = 6  # of a line's number
_MAX_ANCESTORS = 4  # of a `pre`, that may name its language or its column
# `linenos`, `linenodiv` (Pygments), `lnt`, `lntd` (Chroma), `blob-num` (GitHub): columns of numbers
_GUTTER = re.compile(
    r"\b(?:line-?numbers?|line-?nos?|linenodiv|lntd?|ln|gutter|hljs-ln-numbers|blob-num)\b",
    re.IGNORECASE,
)
_CODE_TABLE = re.compile(r"\b(?:hljs-ln|js-file-line-container|blob-code|code-table)\b")
# `token-line` (prism-react-renderer), `view-line` (Monaco): an element for each line
_LINE = re.compile(r"\b(?:line|token-line|code-line|view-line)\b", re.IGNORECASE)
_ONLY_NUMBERS = re.compile(r"[\d\s]*")
_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_LANGUAGE_CLASSES = (
    # `language-python` (HTML's example, Prism), `lang-python`
    re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})(?=\s|$)", re.IGNORECASE),
    # `highlight-source-python` (GitHub)
    re.compile(r"(?:^|\s)highlight-(?:source|text)-([\w+#]{1,30})", re.IGNORECASE),
    # `highlight-python` (Sphinx)
    re.compile(r"(?:^|\s)highlight-([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
    # `brush: python` (SyntaxHighlighter)
    re.compile(r"brush:\s*([\w+#-]{1,30})", re.IGNORECASE),
    # `hljs python` (highlight.js), `sourceCode python` (pandoc)
    re.compile(r"(?:^|\s)(?:hljs|sourceCode|prettyprint)\s+([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
)
_NO_LANGUAGE = frozenset(
    "none default auto undefined null nohighlight plaintext plain text txt linenums hljs".split()
)


def find_code(selection: Selection) -> frozenset[int]:
    """Find the elements that are code: `pre` elements, and tables of lines without a `pre`.

    The parser ends a `pre` where a table begins inside it, so that such a table stands alone.
    """
    page, nodes = selection.elements.page, selection.elements.blocks.nodes
    is_pre = page.is_tag(["pre"])
    total = np.concatenate([[0], np.cumsum(is_pre)])
    without_pre = page.is_tag(["table"]) & (total[nodes.end] == total[:-1])
    tables = (
        node
        for node in np.flatnonzero(without_pre).tolist()
        if _CODE_TABLE.search(nodes.attributes[node].get("class") or "")
    )
    return frozenset([*np.flatnonzero(is_pre).tolist(), *tables])


def code_part(selection: Selection, node: int) -> Part | None:
    """Return the code of an element; None if it is a column of line numbers beside another."""
    lines = _Lines(selection.elements.blocks.nodes)
    for element, text, block in _events(selection, node):
        if text is None:
            lines.enter(element)
        else:
            lines.add_text(element, text, block)
    text = lines.text()
    if not text or (_ONLY_NUMBERS.fullmatch(text) and _in_gutter(lines.nodes, node)):
        return None
    facts = {"language": _language_of(lines.nodes, node)}
    return Part("codeblock", (text,), facts, node, lines.blocks)


def _events(selection: Selection, node: int) -> Iterator[tuple[int, str | None, int]]:
    """Yield the elements and texts of a `pre` in page order.

    An element comes as (element, None, -1), a text as (element around, text, block); a blank that
    is in no block has the block -1.
    """
    nodes = selection.elements.blocks.nodes
    end, following = int(nodes.end[node]), node + 1
    for after, around, text, block in _texts(selection, node):
        yield from ((inner, None, -1) for inner in range(following, after))
        following = max(following, after)
        before_break = after < end and nodes.tags[after] == "br"
        if not (text == " " and before_break):  # this space stands for the line break
            yield around, text, block
    yield from ((inner, None, -1) for inner in range(following, end))


def _texts(selection: Selection, node: int) -> list[tuple[int, int, str, int]]:
    """The kept runs and blanks of a `pre`: elements begun before, element around, text, block."""
    blocks = selection.elements.blocks
    runs, end = blocks.runs, int(blocks.nodes.end[node])
    first, last = np.searchsorted(runs.after, [node + 1, end + 1]).tolist()
    texts: list[tuple[int, float, int, str, int]] = [
        (int(runs.after[run]), run, int(runs.node[run]), runs.texts[run], int(runs.block[run]))
        for run in range(first, last)
        if node <= runs.node[run] < end and selection.kept[runs.block[run]]
    ]
    start = bisect_left(runs.blanks, node + 1, key=lambda blank: blank[2])
    for before, around, after, text in runs.blanks[start:]:
        if after > end:
            break
        if node <= around < end:
            texts.append((after, before - 0.5, around, text, -1))
    return [(after, around, text, block) for after, _, around, text, block in sorted(texts)]


@dataclass(slots=True)
class _Lines:
    """The text of a `pre` under construction."""

    nodes: Nodes
    texts: list[str] = field(default_factory=list)
    block_set: dict[int, None] = field(default_factory=dict)  # in the order of the text
    open: list[tuple[int, int]] = field(default_factory=list)  # element, number of texts before it
    numbers: list[int] = field(default_factory=list)  # indices of texts that may be line numbers
    code_end: int = 0  # number of texts up to the last one that is more than numbers
    at_line_start: bool = True
    pending_break: bool = False  # an element has ended a line; the text may still break it itself

    @property
    def blocks(self) -> tuple[int, ...]:
        """The blocks that the text comes from."""
        return tuple(self.block_set)

    def enter(self, node: int) -> None:
        """Begin an element."""
        self._leave(node)
        tag = self.nodes.tags[node]
        if tag == "br":
            self._break_line()
            self._add("\n")
            return
        if self._begins_line(node):
            self.pending_break |= not self.at_line_start
            self._break_line()
        self.open.append((node, len(self.texts)))

    def add_text(self, around: int, text: str, block: int) -> None:
        """Add a text; `block` is -1 for a blank that is in no block."""
        self._leave(around)
        if block < 0 and self.nodes.tags[around] in _LAYOUT:
            return
        is_number = text.isdecimal() and self.nodes.tags[around] not in ("pre", "code")
        if block >= 0:
            self.block_set[block] = None
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
        if text.lstrip(" \t").startswith("\n"):
            self.pending_break = False
        self._break_line()
        if is_number:
            self.numbers.append(len(self.texts))
        self._add(text)

    def text(self) -> str:
        """Return all lines without blank ones at the ends."""
        self._leave(-1)
        self._remove_numbers()
        return _BLANK_START.sub("", "".join(self.texts)).rstrip()

    def _remove_numbers(self) -> None:
        """Remove numbers that stand in their own elements and count the lines."""
        texts, places = self.texts, self.numbers
        values = [int(texts[at]) if len(texts[at]) <= _MAX_DIGITS else 0 for at in places]
        increasing = all(before < after for before, after in pairwise([0, *values]))
        lines = sum(bool(line.strip()) for line in "".join(texts).split("\n"))
        if increasing and self.code_end and len(places) >= 2 and lines <= 2.5 * len(places):
            for at in places:
                texts[at] = ""
                if at + 1 < len(texts) and texts[at + 1] == "\n":
                    texts[at + 1] = ""

    def _leave(self, node: int) -> None:
        """End the open elements that are not around another element."""
        while self.open and not self.open[-1][0] <= node < self.nodes.end[self.open[-1][0]]:
            left, start = self.open.pop()
            if self.code_end <= start and _is_gutter(self.nodes, left):
                del self.texts[start:]
                self.numbers = [at for at in self.numbers if at < start]
                self.at_line_start = not self.texts or self.texts[-1].endswith("\n")
            elif self._begins_line(left):
                is_empty_line = start == len(self.texts) and self._is_line(left)
                self.pending_break |= is_empty_line or not self.at_line_start

    def _begins_line(self, node: int) -> bool:
        """Whether an element begins a line."""
        tag = self.nodes.tags[node]
        is_block = not self.nodes.inline[node] and tag not in ("td", "th")
        return is_block or self._is_line(node)

    def _is_line(self, node: int) -> bool:
        """Whether an element is a line of code."""
        if self.nodes.tags[node] in ("li", "tr"):
            return True
        classes = self.nodes.attributes[node].get("class") or ""
        return bool(classes) and bool(_LINE.search(classes)) and not _GUTTER.search(classes)

    def _break_line(self) -> None:
        """Write the pending line break."""
        if self.pending_break:
            self.pending_break = False
            self._add("\n")

    def _add(self, text: str) -> None:
        if text:
            self.texts.append(text)
            if not _ONLY_NUMBERS.fullmatch(text):
                self.code_end = len(self.texts)
            self.at_line_start = text.endswith("\n")


_LAYOUT = frozenset(["table", "thead", "tbody", "tr", "ol", "ul"])
"""Elements whose own white space never shows, even in a `pre`."""


def _is_gutter(nodes: Nodes, node: int) -> bool:
    """Whether an element's class is that of a column of line numbers."""
    if nodes.tags[node] in ("pre", "code"):
        return False
    return bool(_GUTTER.search(nodes.attributes[node].get("class") or ""))


def _in_gutter(nodes: Nodes, node: int) -> bool:
    for ancestor in _ancestors(nodes, node):
        if _is_gutter(nodes, ancestor) or nodes.tags[ancestor] == "tr":
            return _is_gutter(nodes, ancestor)
    return bool(_GUTTER.search(nodes.attributes[node].get("class") or ""))


def _ancestors(nodes: Nodes, node: int) -> Iterator[int]:
    """Yield the next elements around an element, the nearest first."""
    for _ in range(_MAX_ANCESTORS):
        node = int(nodes.parent[node])
        if node < 0:
            return
        yield node


def _language_of(nodes: Nodes, node: int) -> str:
    """The language that the markup names for the code of a `pre`, in lower case, or ""."""
    inner = range(node + 1, min(node + 3, int(nodes.end[node])))
    codes = [child for child in inner if nodes.tags[child] == "code"]
    for element in (*codes, node, *_ancestors(nodes, node)):
        if language := _named_language(nodes.attributes[element]):
            return language
    return ""


def _named_language(attributes: Mapping[str, str]) -> str:
    if not attributes:
        return ""
    for name in ("data-lang", "data-language"):
        language = (attributes.get(name) or "").strip().lower()
        if re.fullmatch(r"[\w+#.-]{1,30}", language) and language not in _NO_LANGUAGE:
            return language
    classes = attributes.get("class") or ""
    for pattern in _LANGUAGE_CLASSES:
        match = pattern.search(classes)
        if match and match[1].lower() not in _NO_LANGUAGE:
            return match[1].lower()
    return ""
