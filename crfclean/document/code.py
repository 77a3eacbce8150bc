"""Read the code of elements, and find the buttons and labels around it that are no content."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from typing import TYPE_CHECKING

import numpy as np

from crfclean.core.table import Table
from crfclean.document.parts import Part
from crfclean.page.chars import in_classes
from crfclean.page.code import CODE_TAGS, GUTTER, LINE, LINE_END
from crfclean.page.elements import HEADINGS
from crfclean.page.measures import once
from crfclean.types import Blocks, Bools

if TYPE_CHECKING:
    from crfclean.document.selection import Selection

_MAX_AROUND = 5  # code and elements around it, that may name its language
_MAX_CLASS_CHARS = 1_000
_BLANK_START = re.compile(r"\A(?:[^\S\n]*\n)+")
_LANGUAGE_CLASSES = (
    # `language-python` (HTML's example, Prism), `lang-python`
    re.compile(r"(?:^|\s)lang(?:uage)?-([\w+#.-]{1,30})(?=\s|$)", re.IGNORECASE),
    # `highlight-source-python` (GitHub), `highlight-python` (Sphinx)
    re.compile(r"(?:^|\s)highlight-(?:source-|text-)?([\w+#]{1,30})(?=\s|$)", re.IGNORECASE),
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
    parts, language = [], code_language(blocks.table, node)
    for block in (block for block in blocks.table.blocks_in(node) if selection.kept[block]):
        if _stands_for_code(blocks, node, block):
            text = (code_text(blocks, node, block),)
            parts.append(Part("codeblock", text, {"language": language}, node, (block,)))
        elif not named_alike(blocks.texts[block], language):
            text = (blocks.texts[block],)
            parts.append(Part("paragraph", text, {}, int(blocks.node[block]), (block,)))
    return parts


def code_blocks(page: Blocks) -> dict[int, int]:
    """Return the blocks that are code, each with the element around it."""
    owners: dict[int, int] = {}
    for node in page.code:
        inside = page.table.blocks_in(node)
        owners |= {block: node for block in inside if _stands_for_code(page, node, block)}
    return owners


def _stands_for_code(blocks: Blocks, node: int, block: int) -> bool:
    """Return whether a block in a code element is code and not a bar beside it."""
    return len(blocks.table.blocks_in(node)) == 1 or bool(blocks.node[block] == node)


@once
def code_text(blocks: Blocks, node: int, block: int) -> str:
    """Return the lines of a block of code, with their white space; `node` is the code element."""
    table = blocks.table
    in_pre = any(table.tags[at] in CODE_TAGS for at in table.around(node, _MAX_AROUND))
    if in_pre and _has_only_spans(blocks, node):  # most code: the text has all line breaks
        return _tidy("".join(_as_is(text) for _, _, text in _texts(blocks, node, block)))
    lines = _Lines(table, in_pre, *_lines_of(blocks))
    for element, text in _events(blocks, node, block):
        if text is None:
            lines.enter(element)
        else:
            lines.add_text(element, text)
    return lines.text()


@once
def _has_only_spans(page: Blocks, node: int) -> bool:
    """Return whether no element inside another begins a line; code may have thousands of blocks."""
    table, inner = page.table, slice(node + 1, int(page.table.end[node]))
    if not table.is_inline[inner].all() or not _LINED.isdisjoint(table.tags[inner]):
        return False
    names = map(table.classes.__getitem__, np.unique(table.class_number[inner]).tolist())
    return not any(map(LINE.search, names))


def _as_is(text: str) -> str:
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.replace("\u00a0", " ")


def _tidy(text: str) -> str:
    """Code without blank lines at the ends."""
    return _BLANK_START.sub("", text).rstrip()


def _events(blocks: Blocks, node: int, block: int) -> Iterator[tuple[int, str | None]]:
    """Yield the elements and texts of a block of code in page order.

    An element comes as (element, None), a text as (element around, text).
    """
    table = blocks.table
    end, following = int(table.end[node]), node + 1
    texts = _texts(blocks, node, block)
    for (after, around, text), behind in zip_longest(texts, texts[1:]):
        yield from ((inner, None) for inner in range(following, after))
        following = max(following, after)
        # in `&quot; &quot;<br>` the first space is text, and the second is the walk's for the break
        is_last = behind is None or behind[0] > after
        of_break = text == " " and is_last and after < end and table.tags[after] == "br"
        if text != LINE_END and not of_break:
            yield around, text


def _texts(blocks: Blocks, node: int, block: int) -> list[tuple[int, int, str]]:
    """The runs and blanks of a block: number of elements before it, element around it, text."""
    table, end = blocks.table, int(blocks.table.end[node])
    of_block = table.run_block
    first, last = (int(of_block.searchsorted(of_block.dtype.type(at))) for at in (block, block + 1))
    afters, nodes = table.run_after[first:last].tolist(), table.run_node[first:last].tolist()
    own = zip(afters, range(first, last), nodes, table.run_texts[first:last], strict=True)
    texts: list[tuple[int, float, int, str]] = list(own)
    at = bisect_left(table.blanks, first, key=lambda blank: blank[0])
    while at < len(table.blanks) and table.blanks[at][0] < last:
        before, around, after, text = table.blanks[at]
        at += 1
        if node <= around < end:
            texts.append((after, before - 0.5, around, text))
    return [(after, around, text) for after, _, around, text in sorted(texts)]


@dataclass(slots=True, eq=False)
class _Lines:
    """The text of a block of code under construction; with `in_pre` its white space shows.

    `is_line` and `begins_line` are those of `_lines_of`.
    """

    table: Table
    in_pre: bool
    is_line: Bools
    begins_line: Bools
    texts: list[str] = field(default_factory=list)
    open: list[tuple[int, int]] = field(default_factory=list)  # element, number of texts before
    at_line_start: bool = True
    pending_break: bool = False  # an element ended a line; the next text may have that break
    after_inline_line: bool = False

    def enter(self, node: int) -> None:
        """Begin an element."""
        self._leave(node)
        tag = self.table.tags[node]
        if tag == "br":
            self.pending_break &= not self.after_inline_line  # it ends that line, as in Hexo's code
            self._break_line()
            self._add("\n")
            return
        if self.begins_line[node]:
            self.pending_break |= not self.at_line_start
            self._break_line()
        self.open.append((node, len(self.texts)))

    def add_text(self, around: int, text: str) -> None:
        """Add a text in an element."""
        self._leave(around)
        between_lines = not self.in_pre and "\n" in text
        if text.isspace() and (between_lines or self.table.tags[around] in _LAYOUT):
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
        while self.open and not self.open[-1][0] <= node < self.table.end[self.open[-1][0]]:
            left, start = self.open.pop()
            self.after_inline_line = bool(self.table.is_inline[left])
            if self.begins_line[left]:
                is_empty_line = start == len(self.texts) and bool(self.is_line[left])
                self.pending_break |= is_empty_line or not self.at_line_start

    def _break_line(self) -> None:
        if self.pending_break:
            self.pending_break = False
            self._add("\n")

    def _add(self, text: str) -> None:
        if text:
            self.texts.append(text)
            self.at_line_start = text.endswith("\n")


@once
def _lines_of(page: Blocks) -> tuple[Bools, Bools]:
    """Mark the elements that are a line, even without text, and those that begin one, both (m,)."""
    table = page.table
    names_line = [bool(LINE.search(names)) and not GUTTER.search(names) for names in table.classes]
    is_line = np.array(names_line, np.bool_)[table.class_number] | page.table.is_tag("li", "tr")
    return is_line, is_line | ~(table.is_inline | page.table.is_tag("td", "th"))


_LINED = frozenset(["br", "li", "tr"])
_LAYOUT = frozenset(["table", "thead", "tbody", "tr", "ol", "ul"])
"""Elements whose own white space never shows, even in a `pre`."""


def code_language(table: Table, node: int) -> str:
    """Return the language that the markup names for the code of a `pre`, in lower case, or ""."""
    inner = range(node + 1, min(node + 3, int(table.end[node])))
    codes = [child for child in inner if table.tags[child] == "code"]
    for element in (*codes, *table.around(node, _MAX_AROUND)):
        if language := _named_language(table.attributes[element]):
            return language
    return ""


def _named_language(attributes: Mapping[str, str]) -> str:
    if not attributes:
        return ""
    for name in ("data-lang", "data-language", "language"):
        language = (attributes.get(name) or "").strip().lower()
        if re.fullmatch(r"[\w+#.-]{1,30}", language) and language not in _NO_LANGUAGE:
            return language
    return _language_in((attributes.get("class") or "")[:_MAX_CLASS_CHARS])


@lru_cache(maxsize=1024)
def _language_in(classes: str) -> str:
    for pattern in _LANGUAGE_CLASSES:
        match = pattern.search(classes)
        if match and match[1].lower() not in _NO_LANGUAGE:
            return match[1].lower()
    return ""


# find what a page shows that is no part of its content: buttons, labels of code, the site's name
#
# Models keep such blocks where all text around them is kept. Only structured formats leave them
# out: `Document.text` has the words of all kept blocks.

# a whole block, in the languages of the sites that translate it
_COPY = (
    r"(?i)(?:copy|copied)(?: (?:code|code block|snippet|link|to clipboard))?[!.]?|"
    r"(?:copy)? ?copied!?|(?:code )?(?:kopieren|kopiert)!?|copier(?: le code)?|copié ?!?|"
    r"copiar(?: código)?|¡?copiado!?|copia(?:to)?!?|复制(?:代码)?|已复制|複製|コピー(?:しました)?|"
    r"복사|(?:с)?копировать|kopírovat"
)
_IN_TEXT = (*HEADINGS, *"p li dt dd td th caption summary button".split())
_BUTTON = re.compile(r"(?:^|[\s_-])(?:btn|button)(?=\s|$)", re.IGNORECASE)  # `<span class=btn>`
# `<a class=button href=/report.pdf>PDF</a>` in each row of a list of downloads is content
_FILE = r"(?i)\.(?:pdf|docx?|xlsx?|pptx?|od[tsp]|epub|csv|txt|zip|gz|mp[34])(?:$|[?#])"
_CRUMBS = re.compile(r"breadcrumb|\bcrumbs\b", re.IGNORECASE)
_TITLE_PART = re.compile(r"(?<!\s)\s++[-–—|·•»:]\s+")
_MAX_BESIDE = 3  # blocks of a bar above or below code: a file's name, a language, a button
_MIN_ALIKE, _MAX_WORDS = 3, 4  # buttons of one text on a page, and its words
_MAX_FIRST = 4  # blocks above the title, that may name the site or the way to the page
_MOST_ABOVE = 6  # of a breadcrumb


def without_dirt(page: Blocks, kept: Bools) -> Bools:
    """Return the kept blocks (n,) without buttons, labels of code and the site's name."""
    clean = kept.copy()
    clean[[*_around_code(page, kept), *_buttons(page, kept)]] = False
    clean[list(_above_title(page, clean))] = False
    return clean if clean.any() else kept


def _around_code(page: Blocks, kept: Bools) -> Iterator[int]:
    """Yield the blocks beside code that name its language or copy it."""
    in_text = page.table.within(*_IN_TEXT)[page.node] > 0
    for node in page.code:
        language = code_language(page.table, node)
        inside = page.table.blocks_in(node)
        yield from (at for at in inside if len(inside) > 1 and _copies(page, at))
        above, below = range(inside.start - 1, -1, -1), range(inside.stop, len(page))
        for beside in (above[:_MAX_BESIDE], below[:_MAX_BESIDE]):
            for block in beside:
                names = not in_text[block] and named_alike(page.texts[block], language)
                if not (kept[block] and (names or _copies(page, block))):
                    break
                yield block


def _copies(page: Blocks, block: int) -> bool:
    return bool(re.fullmatch(_COPY, page.texts[block]))


def _buttons(page: Blocks, kept: Bools) -> list[int]:
    """The blocks of buttons that stand many times on the page, as "Add to cart" in each card.

    A button that opens a panel is its heading, and stays.
    """
    table, first = page.table, page.table.first_block
    plain = page.table.is_tag("button") | in_classes(table, _BUTTON, ["btn", "button"])
    plain = plain & (page.table.within(*HEADINGS) == 0) & (table.end_block - first == 1)
    buttons = [node for node in np.flatnonzero(plain).tolist() if kept[first[node]]]
    if len(buttons) < _MIN_ALIKE:
        return []
    items = page.table.nearest(page.table.is_tag("li"))
    labels = [int(first[node]) for node in buttons if _is_label(page, node, int(items[node]))]
    counts = Counter(page.texts[at] for at in labels)
    often = {text for text, count in counts.items() if count >= _MIN_ALIKE}
    return [at for at in labels if page.texts[at] in often]


def _is_label(page: Blocks, node: int, item: int) -> bool:
    """Return whether a button has few words, opens no panel, leads to no file, begins no item."""
    table, block, attributes = page.table, page.table.first_block[node], page.table.attributes[node]
    opens = not {"aria-expanded", "aria-controls"}.isdisjoint(attributes)
    if opens or re.search(_FILE, attributes.get("href") or ""):
        return False
    begins = item >= 0 and table.first_block[item] == block
    is_short = len(page.texts[block].split()) <= _MAX_WORDS
    return is_short and not begins and table.tags[page.node[block]] not in HEADINGS


def _above_title(page: Blocks, kept: Bools) -> Iterator[int]:
    """Yield the first kept blocks if they are breadcrumbs or the site's name, above a heading.

    The name is the last part of the page's title. The heading below is the first part, or has it
    and the same rank: `<h1>The book</h1>` stands on each page of a book.
    """
    first = np.flatnonzero(kept)[: 1 + _MAX_FIRST].tolist()
    tags = [page.table.tags[page.node[block]] for block in first]
    texts = [page.texts[block].casefold() for block in first]
    title, *others = _TITLE_PART.split(page.title.casefold())
    for at, block in enumerate(first):
        below = [other for other in range(at + 1, len(first)) if tags[other] in HEADINGS]
        alike = any(
            texts[other] == title or (tags[other] == tags[at] and title and title in texts[other])
            for other in below
        )
        is_name = alike and texts[at] in others[-1:]
        if not (is_name or (below and tags[at] not in HEADINGS and _is_crumbs(page, block))):
            return
        yield block


def _is_crumbs(page: Blocks, block: int) -> bool:
    for node in page.table.around(int(page.node[block]), _MOST_ABOVE):
        attributes = page.table.attributes[node]
        names = (attributes.get(name) or "" for name in ("class", "id", "aria-label"))
        if _CRUMBS.search(" ".join(names)):
            return True
    return False
