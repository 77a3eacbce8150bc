"""Read the code of an element: its lines, without line numbers, and its language."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import TYPE_CHECKING

from crfclean.page.code import CODE_TAGS, GUTTER, LINE, LINE_END
from crfclean.structure.parts import Part
from crfclean.types import Blocks, Nodes

if TYPE_CHECKING:  # plain text reads code without these modules
    from crfclean.page.measures import Measures
    from crfclean.structure.selection import Selection

_MAX_ANCESTORS = 4  # of code, that may name its language
_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_LANGUAGE_CLASSES = (
    # `language-python` (HTML's example, Prism), `lang-python`
    re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})(?=\s|$)", re.IGNORECASE),
    # `highlight-source-python` (GitHub)
    re.compile(r"(?:^|\s)highlight-(?:source|text)-([\w+#]{1,30})", re.IGNORECASE),
    # `highlight-python` (Sphinx)
    re.compile(r"(?:^|\s)highlight-([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
    # `<figure class="highlight python">` (Hexo)
    re.compile(r"^highlight\s+([\w+#]{1,30})$", re.IGNORECASE),
    # `brush: python` (SyntaxHighlighter)
    re.compile(r"brush:\s*([\w+#-]{1,30})", re.IGNORECASE),
    # `hljs python` (highlight.js), `sourceCode python` (pandoc)
    re.compile(r"(?:^|\s)(?:hljs|sourceCode|prettyprint)\s+([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
)
_NO_LANGUAGE = frozenset(
    "none default auto undefined null unknown nohighlight no-highlight fallback plaintext "
    "plain-text plain text txt linenums numberlines hljs wrap wrapper container".split()
)


_ALIKE = {
    name: language
    for language, names in {
        "javascript": "js",
        "typescript": "ts",
        "python": "py",
        "ruby": "rb",
        "rust": "rs",
        "shell": "bash sh zsh console shellscript",
        "csharp": "c# cs",
        "cpp": "c++",
        "yaml": "yml",
        "markdown": "md",
    }.items()
    for name in names.split()
}
"""Other names of languages, as labels of code have them."""


def named_alike(label: str, language: str) -> bool:
    """Return whether a label names a language.

    >>> named_alike("JavaScript", "js"), named_alike("main.js", "js"), named_alike("", "")
    (True, False, False)
    """
    names = (_ALIKE.get(name.lower(), name.lower()) for name in (label, language))
    return bool(language) and len({*names}) == 1


def code_parts(selection: Selection, node: int) -> list[Part]:
    """Return the parts of a code element: its code, and paragraphs for bars beside the code.

    A bar that only names the language is left out.
    """
    blocks = selection.page
    inside = range(int(blocks.nodes.first_block[node]), int(blocks.nodes.end_block[node]))
    parts, language = [], language_of(blocks.nodes, node)
    for block in (block for block in inside if selection.kept[block]):
        if _stands_for_code(blocks, node, block):
            text = (code_text(blocks, node, block),)
            parts.append(Part("codeblock", text, {"language": language}, node, (block,)))
        elif not named_alike(blocks.texts[block], language):
            text = (blocks.texts[block],)
            parts.append(Part("paragraph", text, {}, int(blocks.node[block]), (block,)))
    return parts


def code_blocks(page: Measures) -> dict[int, int]:
    """Return the blocks that are code, each with the element around it."""
    owners: dict[int, int] = {}
    for node in page.code:
        inside = range(int(page.nodes.first_block[node]), int(page.nodes.end_block[node]))
        owners |= {block: node for block in inside if _stands_for_code(page, node, block)}
    return owners


def _stands_for_code(blocks: Blocks, node: int, block: int) -> bool:
    """Return whether a block in a code element is code and not a bar beside it."""
    is_alone = blocks.nodes.end_block[node] - blocks.nodes.first_block[node] == 1
    return bool(is_alone or blocks.node[block] == node)


def code_text(blocks: Blocks, node: int, block: int) -> str:
    """Return the lines of a block of code, with their white space; `node` is the code element."""
    nodes = blocks.nodes
    in_pre = any(nodes.tags[at] in CODE_TAGS for at in _around(nodes, node))
    if in_pre and _has_only_spans(nodes, node):  # most code: the text has all line breaks
        return _tidy("".join(_as_is(text) for _, _, text in _texts(blocks, node, block)))
    lines = _Lines(nodes, in_pre)
    for element, text in _events(blocks, node, block):
        if text is None:
            lines.enter(element)
        else:
            lines.add_text(element, text)
    return lines.text()


def _has_only_spans(nodes: Nodes, node: int) -> bool:
    """Return whether no element inside another begins a line."""
    inner = slice(node + 1, int(nodes.end[node]))
    if not nodes.inline[inner].all() or not _LINED.isdisjoint(nodes.tags[inner]):
        return False
    return not any(map(LINE.search, {each.get("class") or "" for each in nodes.attributes[inner]}))


def _as_is(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\u00a0", " ")


def _tidy(text: str) -> str:
    """Code without blank lines at the ends."""
    return _BLANK_START.sub("", text).rstrip()


def _events(blocks: Blocks, node: int, block: int) -> Iterator[tuple[int, str | None]]:
    """Yield the elements and texts of a block of code in page order.

    An element comes as (element, None), a text as (element around, text).
    """
    nodes = blocks.nodes
    end, following = int(nodes.end[node]), node + 1
    texts = _texts(blocks, node, block)
    for (after, around, text), behind in zip_longest(texts, texts[1:]):
        yield from ((inner, None) for inner in range(following, after))
        following = max(following, after)
        # in `&quot; &quot;<br>` the first space is text, and the second is the walk's for the break
        is_last = behind is None or behind[0] > after
        of_break = text == " " and is_last and after < end and nodes.tags[after] == "br"
        if text != LINE_END and not of_break:
            yield around, text


def _texts(blocks: Blocks, node: int, block: int) -> list[tuple[int, int, str]]:
    """The runs and blanks of a block: number of elements before it, element around it, text."""
    runs, end = blocks.runs, int(blocks.nodes.end[node])
    first, last = (
        int(runs.block.searchsorted(runs.block.dtype.type(at))) for at in (block, block + 1)
    )
    afters, nodes = runs.after[first:last].tolist(), runs.node[first:last].tolist()
    own = zip(afters, range(first, last), nodes, runs.texts[first:last], strict=True)
    texts: list[tuple[int, float, int, str]] = list(own)
    at = bisect_left(runs.blanks, first, key=lambda blank: blank[0])
    while at < len(runs.blanks) and runs.blanks[at][0] < last:
        before, around, after, text = runs.blanks[at]
        at += 1
        if node <= around < end:
            texts.append((after, before - 0.5, around, text))
    return [(after, around, text) for after, _, around, text in sorted(texts)]


@dataclass(slots=True, eq=False)
class _Lines:
    """The text of a block of code under construction; with `in_pre` its white space shows."""

    nodes: Nodes
    in_pre: bool
    texts: list[str] = field(default_factory=list)
    open: list[tuple[int, int]] = field(default_factory=list)  # element, number of texts before
    at_line_start: bool = True
    pending_break: bool = False  # an element ended a line; the next text may have that break
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
        text = _as_is(text)
        if text.lstrip(" \t").startswith("\n"):
            self.pending_break = False
        self._break_line()
        self._add(text)

    def text(self) -> str:
        """Return all lines, without blank lines at the ends."""
        self._leave(-1)
        return _tidy("".join(self.texts))

    def _leave(self, node: int) -> None:
        """End the open elements that are not around element `node`."""
        while self.open and not self.open[-1][0] <= node < self.nodes.end[self.open[-1][0]]:
            left, start = self.open.pop()
            self.after_inline_line = bool(self.nodes.inline[left])
            if self._begins_line(left):
                is_empty_line = start == len(self.texts) and self._is_line(left)
                self.pending_break |= is_empty_line or not self.at_line_start

    def _begins_line(self, node: int) -> bool:
        tag = self.nodes.tags[node]
        is_block = not self.nodes.inline[node] and tag not in ("td", "th")
        return is_block or self._is_line(node)

    def _is_line(self, node: int) -> bool:
        if self.nodes.tags[node] in ("li", "tr"):
            return True
        classes = self.nodes.attributes[node].get("class") or ""
        return bool(classes) and bool(LINE.search(classes)) and not GUTTER.search(classes)

    def _break_line(self) -> None:
        if self.pending_break:
            self.pending_break = False
            self._add("\n")

    def _add(self, text: str) -> None:
        if text:
            self.texts.append(text)
            self.at_line_start = text.endswith("\n")


_LINED = frozenset(["br", "li", "tr"])
_LAYOUT = frozenset(["table", "thead", "tbody", "tr", "ol", "ul"])
"""Elements whose own white space never shows, even in a `pre`."""


def _around(nodes: Nodes, node: int) -> Iterator[int]:
    """Yield an element and the next ones around it."""
    for _ in range(1 + _MAX_ANCESTORS):
        if node < 0:
            return
        yield node
        node = int(nodes.parent[node])


def language_of(nodes: Nodes, node: int) -> str:
    """Return the language that the markup names for the code of a `pre`, in lower case, or ""."""
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
