"""Read the code of an element: its lines as they stand, without line numbers, and its language."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

import numpy as np

from crfclean.page.code_marks import CODE_TAGS, GUTTER, LINE, LINE_END
from crfclean.structure.parts import Part
from crfclean.structure.selection import Selection
from crfclean.types import Nodes
from crfclean.types.light import dataclass, field
from crfclean.types.pattern import late_pattern

_MAX_ANCESTORS = 4  # of code, that may name its language
_BLANK_START = late_pattern(r"\A(?:[^\S\n]*\n)+")
_LANGUAGE_CLASSES = (
    # `language-python` (HTML's example, Prism), `lang-python`
    late_pattern(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})(?=\s|$)", re.IGNORECASE),
    # `highlight-source-python` (GitHub)
    late_pattern(r"(?:^|\s)highlight-(?:source|text)-([\w+#]{1,30})", re.IGNORECASE),
    # `highlight-python` (Sphinx)
    late_pattern(r"(?:^|\s)highlight-([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
    # `<figure class="highlight python">` (Hexo)
    late_pattern(r"^highlight\s+([\w+#]{1,30})$", re.IGNORECASE),
    # `brush: python` (SyntaxHighlighter)
    late_pattern(r"brush:\s*([\w+#-]{1,30})", re.IGNORECASE),
    # `hljs python` (highlight.js), `sourceCode python` (pandoc)
    late_pattern(
        r"(?:^|\s)(?:hljs|sourceCode|prettyprint)\s+([\w+#]{1,30})(?=\s|$)", re.IGNORECASE
    ),
)
_NO_LANGUAGE = frozenset(
    "none default auto undefined null nohighlight plaintext plain text txt linenums hljs".split()
)


def find_direct_code(selection: Selection) -> frozenset[int]:
    """Find the blocks with several lines that stand directly in a `pre` that is no code as a whole.

    Such a `pre` was never closed, or the page wraps its whole text in it.
    """
    blocks = selection.elements.blocks
    runs = blocks.runs
    is_pre = selection.elements.page.is_tag(list(CODE_TAGS)).copy()
    is_pre[list(blocks.code)] = False
    direct = np.flatnonzero(is_pre[blocks.node]) if is_pre.any() else np.zeros(0, np.int64)
    starts, ends = (np.searchsorted(runs.block, direct + step).tolist() for step in (0, 1))
    return frozenset(
        block
        for block, start, end in zip(direct.tolist(), starts, ends, strict=True)
        if "\n" in "".join(runs.texts[start:end]).strip()
    )


def code_parts(selection: Selection, node: int) -> list[Part]:
    """Return the code of a unit, and a paragraph for each bar that says more than the language."""
    blocks = selection.elements.blocks
    inside = range(int(blocks.nodes.first_block[node]), int(blocks.nodes.end_block[node]))
    parts, language = [], _language_of(blocks.nodes, node)
    for block in (block for block in inside if selection.kept[block]):
        if len(inside) == 1 or blocks.node[block] == node:
            parts.append(code_part(selection, node, block))
        elif blocks.texts[block].lower() != language:
            text = (blocks.texts[block],)
            parts.append(Part("paragraph", text, {}, int(blocks.node[block]), (block,)))
    return parts


def code_part(selection: Selection, node: int, block: int) -> Part:
    """Return a block as code: its lines as they stand; `node` is the element around them."""
    nodes = selection.elements.blocks.nodes
    lines = _Lines(nodes, in_pre=any(nodes.tags[at] in CODE_TAGS for at in _around(nodes, node)))
    for element, text in _events(selection, node, block):
        if text is None:
            lines.enter(element)
        else:
            lines.add_text(element, text)
    facts = {"language": _language_of(nodes, node)}
    return Part("codeblock", (lines.text(),), facts, node, (block,))


def _events(selection: Selection, node: int, block: int) -> Iterator[tuple[int, str | None]]:
    """Yield the elements and texts of a block of code in page order.

    An element comes as (element, None), a text as (element around, text).
    """
    nodes = selection.elements.blocks.nodes
    end, following = int(nodes.end[node]), node + 1
    for after, around, text in _texts(selection, node, block):
        yield from ((inner, None) for inner in range(following, after))
        following = max(following, after)
        before_break = after < end and nodes.tags[after] == "br"
        if text != LINE_END and not (text == " " and before_break):  # both stand for line breaks
            yield around, text


def _texts(selection: Selection, node: int, block: int) -> list[tuple[int, int, str]]:
    """The runs and blanks of a block: elements begun before, element around, text."""
    runs, end = selection.elements.blocks.runs, int(selection.elements.blocks.nodes.end[node])
    first, last = np.searchsorted(runs.block, [block, block + 1]).tolist()
    texts: list[tuple[int, float, int, str]] = [
        (int(runs.after[run]), run, int(runs.node[run]), runs.texts[run])
        for run in range(first, last)
    ]
    start = bisect_left(runs.blanks, first, key=lambda blank: blank[0])
    for before, around, after, text in runs.blanks[start:]:
        if before >= last:
            break
        if node <= around < end:
            texts.append((after, before - 0.5, around, text))
    return [(after, around, text) for after, _, around, text in sorted(texts)]


@dataclass(slots=True, eq=False)
class _Lines:
    """The text of a block of code under construction; `in_pre`: its white space shows."""

    nodes: Nodes
    in_pre: bool
    texts: list[str] = field(default_factory=list)
    open: list[tuple[int, int]] = field(default_factory=list)  # element, number of texts before it
    at_line_start: bool = True
    pending_break: bool = False  # an element has ended a line; the text may still break it itself
    after_inline_line: bool = False

    def enter(self, node: int) -> None:
        """Begin an element."""
        self._leave(node)
        tag = self.nodes.tags[node]
        if tag == "br":
            self.pending_break &= not self.after_inline_line  # it ends that line, as in Hexo's code
            self._break_line()
            self._add("\n")
            return
        if self._begins_line(node):
            self.pending_break |= not self.at_line_start
            self._break_line()
        self.open.append((node, len(self.texts)))

    def add_text(self, around: int, text: str) -> None:
        """Add a text in an element."""
        self._leave(around)
        between_lines = not self.in_pre and "\n" in text
        if text.isspace() and (between_lines or self.nodes.tags[around] in _LAYOUT):
            return
        text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")
        if text.lstrip(" \t").startswith("\n"):
            self.pending_break = False
        self._break_line()
        self._add(text)

    def text(self) -> str:
        """Return all lines without blank ones at the ends."""
        self._leave(-1)
        return _BLANK_START.sub("", "".join(self.texts)).rstrip()

    def _leave(self, node: int) -> None:
        """End the open elements that are not around another element."""
        while self.open and not self.open[-1][0] <= node < self.nodes.end[self.open[-1][0]]:
            left, start = self.open.pop()
            self.after_inline_line = bool(self.nodes.inline[left])
            if self._begins_line(left):
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
        return bool(classes) and bool(LINE.search(classes)) and not GUTTER.search(classes)

    def _break_line(self) -> None:
        """Write the pending line break."""
        if self.pending_break:
            self.pending_break = False
            self._add("\n")

    def _add(self, text: str) -> None:
        if text:
            self.texts.append(text)
            self.at_line_start = text.endswith("\n")


_LAYOUT = frozenset(["table", "thead", "tbody", "tr", "ol", "ul"])
"""Elements whose own white space never shows, even in a `pre`."""


def _around(nodes: Nodes, node: int) -> Iterator[int]:
    """Yield an element and the next ones around it."""
    yield node
    yield from _ancestors(nodes, node)


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
    for element in (*codes, *_around(nodes, node)):
        if language := _named_language(nodes.attributes[element]):
            return language
    return ""


def _named_language(attributes: Mapping[str, str]) -> str:
    if not attributes:
        return ""
    for name in ("data-lang", "data-language", "language"):
        language = (attributes.get(name) or "").strip().lower()
        if re.fullmatch(r"[\w+#.-]{1,30}", language) and language not in _NO_LANGUAGE:
            return language
    classes = attributes.get("class") or ""
    for pattern in _LANGUAGE_CLASSES:
        match = pattern.search(classes)
        if match and match[1].lower() not in _NO_LANGUAGE:
            return match[1].lower()
    return ""
