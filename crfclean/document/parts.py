"""The tree of a document's content: its parts, their filter and budget, the types of blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from crfclean.page.chars import CLOSERS, IDEOGRAPHIC_ENDS, TERMINATORS
from crfclean.types import check_bounds, option

# the tree of a document's content: parts such as headings, lists, tables, code and links

INLINE_KINDS = frozenset(
    "emphasis strong code deleted inserted marked subscript superscript "
    "link image break note formula ruby reading".split()
)
"""Kinds of parts inside a line of text; all others are blocks of their own."""


class Part(NamedTuple):
    """A piece of a document's content: its kind, its facts and its children in page order.

    `docs/formats.md` lists kinds and facts; `children` are parts and text.
    Text is as a reader sees it: white space is folded (but kept in a `codeblock`), and there is
    none at the ends of a part that is not inline. `node` is the index of the page's element that
    the part comes from, -1 if there is none; `blocks` are the indices of the blocks whose text
    stands in the part itself or in its inline parts.
    """

    kind: str
    children: tuple[Part | str, ...] = ()
    facts: Mapping[str, Any] = MappingProxyType({})
    node: int = -1
    blocks: tuple[int, ...] = ()


Content: TypeAlias = "Part | str"

_MOST_WORDS = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Show:
    """Switches for what a writer writes.

    `count` measures the budget instead of words. Tables, images and headings that are switched off
    go with everything inside them; links and
    formatting that are switched off leave their words.
    """

    links: bool = option(True, "write the addresses of links")
    images: bool = option(True, "keep images")
    tables: bool = option(True, "keep tables")
    formatting: bool = option(True, "keep emphasis, code, subscripts and superscripts inside lines")
    headings: bool = option(True, "keep headings")
    metadata: bool = option(True, "write title, authors, dates and more, with their sources (JSON)")
    places: bool = option(True, "write kept blocks with type, probability and XPath (JSON)")
    levels: bool = option(False, "a strict and a generous text (JSON)")
    left_out: bool = option(False, "dropped blocks, for crfclean audit (JSON)")
    site_places: bool = option(False, "places of the text, for crfclean drift (JSON)")
    front_matter: bool = option(False, "metadata as a YAML header (md)")
    parts: bool = option(False, "the text as a tree (JSON)")
    passage_words: int = option(400, "most words of a passage (passages)")
    budget: int = option(0, "most words of the text, with its headings and what matters; 0: all")
    count: Any = None

    def __post_init__(self) -> None:
        check_bounds(self, {"passage_words": (1, _MOST_WORDS), "budget": (0, _MOST_WORDS)})

    @property
    def all_text(self) -> bool:
        """True if no part of the text is switched off."""
        on = self.links and self.images and self.tables and self.formatting and self.headings
        return on and not self.budget


DEFAULT_SHOW = Show()
"""The switches at their defaults."""


def split_inline(part: Part) -> tuple[Sequence[Content], list[Part]]:
    """Return the text and inline parts that a part begins with, and its other parts."""
    children = (child for child in part.children if isinstance(child, Part))
    others = [child for child in children if child.kind not in INLINE_KINDS]
    return part.children[: len(part.children) - len(others)], others


def iter_parts(part: Part) -> Iterator[Part]:
    """Yield a part and all parts inside it in page order, without recursion."""
    stack = [part]
    while stack:
        current = stack.pop()
        yield current
        stack += [child for child in reversed(current.children) if isinstance(child, Part)]


# remove the parts that are switched off

FORMATTING = frozenset(
    "emphasis strong code deleted inserted marked subscript superscript ruby".split()
)
_CHILDLESS = frozenset(["image", "break", "rule", "cell", "reading"])


def filter_parts(parts: Sequence[Part], show: Show) -> tuple[Part, ...]:
    """Return the parts that are switched on, without those that become empty."""
    switches = {
        "image": show.images,
        "table": show.tables,
        "heading": show.headings,
        "reading": show.formatting,
    }
    removed = frozenset(kind for kind, is_on in switches.items() if not is_on)
    unwrapped = (FORMATTING if not show.formatting else frozenset()) | (
        frozenset(["link"]) if not show.links else frozenset()
    )
    if not removed and not unwrapped:
        return tuple(parts)
    children = _children(parts, removed, unwrapped)
    return tuple(part for part in children if isinstance(part, Part))


def _children(
    children: Iterable[Content], removed: frozenset[str], unwrapped: frozenset[str]
) -> list[Content]:
    remaining: list[Content] = []
    for child in children:
        if isinstance(child, str):
            remaining.append(child)
        elif child.kind not in removed:
            remaining += _remainder(child, removed, unwrapped)
    return remaining


def _remainder(part: Part, removed: frozenset[str], unwrapped: frozenset[str]) -> list[Content]:
    """Return what remains of a part: the part, its children or nothing."""
    children = _children(part.children, removed, unwrapped)
    if part.kind in unwrapped:
        return children
    if part.kind == "figure" and all(map(_is_caption, children)):
        return _paragraphs(children)
    if part.kind != "codeblock":
        children = _fold(children, keep_ends=part.kind in INLINE_KINDS)
    if not children and part.kind not in _CHILDLESS:
        return []
    if part.kind == "table" and all(map(_is_caption, children)):
        return _paragraphs(children)
    return [part._replace(children=tuple(children))]


def _is_caption(child: Content) -> bool:
    return isinstance(child, Part) and child.kind == "caption"


def _paragraphs(captions: Iterable[Content]) -> list[Content]:
    """The captions of nothing, as paragraphs."""
    return [part._replace(kind="paragraph") for part in captions if isinstance(part, Part)]


def _fold(children: Sequence[Content], *, keep_ends: bool) -> list[Content]:
    """Join texts that touch, with single spaces between words and breaks only between texts.

    `a <img> b` without the image is `a b`; spaces at the ends stay if `keep_ends`.
    """
    folded: list[Content] = []
    for child in children:
        after_space = not folded or (isinstance(folded[-1], str) and folded[-1].endswith(" "))
        after_space |= bool(folded) and _is_break(folded[-1])
        if isinstance(child, str):
            text = child[1:] if child.startswith(" ") and after_space and not keep_ends else child
            text = text[1:] if text.startswith(" ") and after_space and folded else text
            if folded and isinstance(folded[-1], str):
                folded[-1] += text
            elif text:
                folded.append(text)
        elif not (_is_break(child) and (not folded or _is_break(folded[-1]))):
            folded.append(child)
    while not keep_ends and folded and (_is_break(folded[-1]) or folded[-1] == " "):
        folded.pop()
    if not keep_ends and folded and isinstance(folded[-1], str):
        folded[-1] = folded[-1].rstrip(" ")
    return folded


def _is_break(child: Content) -> bool:
    return isinstance(child, Part) and child.kind == "break"


# the type of each block: the kind of its part, with the facts of all parts around it

MAX_COLUMNS = 1_000  # in which cells that reach into further rows are followed

FACT_TYPES: Mapping[str, type] = {
    "level": int,
    "depth": int,
    "ordered": bool,
    "number": int,
    "row": int,
    "column": int,
    "header": bool,
    "colspan": int,
    "rowspan": int,
    "language": str,
    "quotes": int,
    "note": str,
}
"""Fact of a block -> its type.

`level` of a heading; `depth`, the number of lists around the block, `ordered` and `number` of the
innermost list and item; `row` and `column` of a table's cell (from 1, with the spans of other cells
counted), whether it is a `header`, its `colspan` and `rowspan` if over 1; `language` of code;
`quotes`, the number of quotations around it; `note`, the id of a footnote.
"""


class BlockType(NamedTuple):
    """The kind of a block's part, and facts (see `FACT_TYPES`)."""

    kind: str
    facts: Mapping[str, Any] = MappingProxyType({})


def block_types(content: Iterable[Part]) -> dict[int, BlockType]:
    """Return the type of each block, by its index; blocks that are in no part are missing.

    The kind is that of the innermost part that is not inline; a block in several parts has the
    kind of the first one.
    """
    types: dict[int, BlockType] = {}
    no_facts: Mapping[str, Any] = {}
    stack = [(part, "", no_facts) for part in content][::-1]
    while stack:
        part, kind, around = stack.pop()
        facts = _facts(part, around)
        kind = kind if part.kind in INLINE_KINDS and kind else part.kind
        for block in part.blocks:
            types.setdefault(block, BlockType(kind, facts))
        if part.kind == "table":
            inner = _cells(part, facts)
            stack += reversed([(child, kind, child_facts) for child, child_facts in inner])
        else:
            stack += [(child, kind, facts) for child in _parts_in(part)[::-1]]
    return types


def _parts_in(part: Part) -> list[Part]:
    """The parts in a part, without inline ones, which have no blocks of their own."""
    inner = (child for child in part.children if isinstance(child, Part))
    return [child for child in inner if child.blocks or child.kind not in INLINE_KINDS]


_COPIED = {
    "heading": ("level", "level"),
    "codeblock": ("language", "language"),
    "footnote": ("note", "id"),
}
"""Kind of part -> a fact of its blocks, and the fact of the part that it is."""


def _facts(part: Part, around: Mapping[str, Any]) -> Mapping[str, Any]:
    """The facts around a part together with those of the part."""
    if part.kind == "list":
        ordered = bool(part.facts.get("ordered"))
        outer = {name: fact for name, fact in around.items() if name != "number"}
        return {**outer, "depth": around.get("depth", 0) + 1, "ordered": ordered}
    if part.kind == "item":
        number = part.facts.get("number")
        return around if number is None else {**around, "number": number}
    if part.kind == "cell":
        sizes = {name: part.facts.get(name) or 1 for name in ("colspan", "rowspan")}
        spans = {name: size for name, size in sizes.items() if size > 1}
        return {**around, "header": bool(part.facts.get("header")), **spans}
    if part.kind == "quote":
        return {**around, "quotes": around.get("quotes", 0) + 1}
    name, fact = _COPIED.get(part.kind, ("", ""))
    return {**around, name: part.facts[fact]} if part.facts.get(fact) else around


def _cells(table: Part, facts: Mapping[str, Any]) -> Iterator[tuple[Part, Mapping[str, Any]]]:
    """Yield the captions and cells of a table, cells with their row and column.

    Cells that span rows are followed only in the first `MAX_COLUMNS` columns.
    """
    spans: list[tuple[int, int, int]] = []  # columns from, to before, and last row of such cells
    number = 0
    outer = {name: fact for name, fact in facts.items() if name not in _CELL_FACTS}
    for row in _parts_in(table):
        if row.kind != "row":
            yield row, outer
            continue
        number, column, passed = number + 1, 1, 0
        spans = sorted(span for span in spans if span[2] >= number)
        begun: list[tuple[int, int, int]] = []
        for cell in _parts_in(row):
            while passed < len(spans) and spans[passed][0] <= column:
                column = max(column, spans[passed][1])
                passed += 1
            yield cell, {**outer, "row": number, "column": column}
            width, height = (int(cell.facts.get(name) or 1) for name in ("colspan", "rowspan"))
            if height > 1 and column <= MAX_COLUMNS:
                begun.append((column, column + width, number + height - 1))
            column += width
        spans += begun


_CELL_FACTS = frozenset("row column header colspan rowspan".split())


Count = Callable[[str], int]
"""The size of a text: its words, or the tokens of a model."""


def count_words(text: str) -> int:
    """Count the words of a text; in scripts without spaces, each character is one."""
    from crfclean.page.align import tokens  # most texts have no budget

    return len(tokens(text))


# divide a text into sentences by punctuation, in any script
#
# A sentence ends at a terminator, with the closing marks after it, before white space. Ideographic
# terminators need no white space. A sentence does not end before a lower-case letter, nor at the
# dot of an abbreviation, an initial or an ordinal.

_WIDE, _CLOSERS = re.escape(IDEOGRAPHIC_ENDS), re.escape(CLOSERS)
_NARROW = re.escape("".join(mark for mark in TERMINATORS if mark not in IDEOGRAPHIC_ENDS))
_CLOSING = f"[{_CLOSERS}]{{0,4}}"
# "Rain. Sun" and "「雨。」晴", not "3.14"
# each run of marks is read once: a row of 20,000 points took nine seconds
_END = rf"[{_WIDE}]+{_CLOSING}\s*|(?<![{_NARROW}])[{_NARROW}]++{_CLOSING}\s+"
_LAST_WORD = r"[^\s(\[\"'“„«]{1,12}\Z"
# "J. Roe", "e.g. Rome", "U.S. Army"
_INITIALS = re.compile(r"(?:[^\W\d_]\.){0,5}[^\W\d_]")
# "am 3. Mai" but "on May 3. It rained"
_ORDINAL = re.compile(r"\d{1,2}")
_ABBREVIATED = frozenset(
    "approx bzw ca cf co corp cp dept dr ed eds etc ev evt fig figs geb gen gov hl inc ing jan feb "
    "jr lt ltd max mgr mme mr mrs ms mt op prof rev resp sen sgt sr st str tel tzv tzn usw vgl vs "
    "zb".split()
)
_BEFORE_NUMBERS = frozenset("art no nos nr num pp sec vol".split())  # "No. 5", but "No. Never."
_MAX_LOOKBACK = 32  # characters before a dot that are searched for an abbreviation


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the half-open spans of the sentences of a line, without white space at their ends.

    >>> text = "Dr. Lee arrived at 3.15 p.m. on Monday. “Rain?” she asked. It rained."
    >>> [text[start:end] for start, end in sentence_spans(text)]
    ['Dr. Lee arrived at 3.15 p.m. on Monday.', '“Rain?” she asked.', 'It rained.']
    """
    spans, start = [], len(text) - len(text.lstrip())
    for end, following in _ends(text):
        if end > start:
            spans.append((start, end))
        start = following
    last = len(text.rstrip())
    return [*spans, (start, last)] if last > start else spans


def _ends(text: str) -> Iterator[tuple[int, int]]:
    """Yield the end of each sentence except the last, and the start of the next sentence."""
    for mark in re.finditer(_END, text):
        following = mark.end()
        if following == len(text) or text[following].islower():
            continue
        if mark[0][0] == "." and _is_abbreviation(text, mark.start(), text[following]):
            continue
        yield mark.start() + len(mark[0].rstrip()), following


def _is_abbreviation(text: str, dot: int, following: str) -> bool:
    """Return whether a dot belongs to the word before it; `following` is the next character."""
    before = text[max(0, dot - _MAX_LOOKBACK) : dot]
    word = re.search(_LAST_WORD, before)
    if word is None:
        return False
    if _ORDINAL.fullmatch(word[0]):
        words = before[: word.start()].split()[-1:]  # a name ("May 3."), or another with a dot
        return not any((each[0].isupper() and len(each) > 2) or each[-1] == "." for each in words)
    name = word[0].lower()
    if following.isdigit() and name in _BEFORE_NUMBERS:
        return True
    return name in _ABBREVIATED or bool(_INITIALS.fullmatch(word[0]))


def sentences_of(children: Sequence[Content]) -> Iterator[tuple[Content, ...]]:
    """Yield the sentences of a line with the space after each; none ends inside code or a link."""
    sentence: list[Content] = []
    for child in children:
        if not isinstance(child, str):
            sentence.append(child)
            continue
        start = 0
        for end, _ in sentence_spans(child)[1:]:
            yield (*sentence, child[start:end])
            sentence, start = [], end
        sentence.append(child[start:])
    yield tuple(sentence)


# cut the parts of a page to a number of words: its outline, and what matters most under it

LEFT_OUT = "[…]"
_FIRST, _LEAD = 2.0, 3.0  # value of the first piece of a part, and of a section
_DENSITY, _POSITION = 1.0, 0.5  # value of names and numbers, and of the place on the page
_DIVIDED = frozenset(["list", "definitions", "footnotes", "table", "quote"])
# "Norwick", "4.20", but not the first word of a sentence
_NAMED = re.compile(r"(?<=[^.!?…:\s] )[^\W\d_a-z]\w+|\d[\d.,:%]*")


class _Piece(NamedTuple):
    """A part, or a sentence, item or row of it, with its value; `owner` is the part's place."""

    owner: int
    part: Part
    value: float
    size: int


def shown_parts(parts: Sequence[Part], show: Show) -> tuple[Part, ...]:
    """Return the parts that are switched on, cut to the budget."""
    shown = filter_parts(parts, show)
    return cut(shown, show.budget, show.count or count_words) if show.budget else shown


def fitted(written: Callable[[Show], str], show: Show) -> str:
    """Return a text of at most `show.budget` words: marks and addresses may have some, too."""
    budget, count = show.budget, show.count or count_words
    text = written(show)
    while budget > 1 and (size := count(text)) > show.budget:
        budget = max(1, min(budget - 1, budget * show.budget // size))
        text = written(replace(show, budget=budget))
    return text


def cut(parts: Sequence[Part], budget: int, count: Count) -> tuple[Part, ...]:
    """Cut parts to at most `budget` words, by `count`, in their order, with marks of gaps.

    Headings come first, those of a higher level before others. Then come the first sentences of
    sections, the first ones of other paragraphs (the first items of lists, the first rows of
    tables), and the rest; in each group those with more names and numbers a word, and those nearer
    to the start of the page.
    """
    pieces = [piece for at, part in enumerate(parts) for piece in _pieces(at, parts, count)]
    if sum(piece.size for piece in pieces) <= budget:
        return tuple(parts)
    chosen, left = set[int](), budget
    for at in sorted(range(len(pieces)), key=lambda at: (-pieces[at].value, at)):
        if pieces[at].size <= left:
            chosen.add(at)
            left -= pieces[at].size
    return tuple(_joined(parts, pieces, chosen))


def _pieces(at: int, parts: Sequence[Part], count: Count) -> Iterator[_Piece]:
    """Yield the pieces of a part with their values."""
    part, is_lead = parts[at], at == 0 or parts[at - 1].kind == "heading"
    if part.kind == "heading":
        text = _text(part)
        yield _Piece(at, part, 100.0 - part.facts["level"] - at / len(parts), count(text))
        return
    for number, piece in enumerate(_divided(part)):
        text = _text(piece)
        words = max(1, count_words(text))
        first = (_LEAD if is_lead else _FIRST) if number == 0 else 0.0
        density = min(1.0, 3.0 * len(_NAMED.findall(text)) / words)
        place = 1.0 - at / len(parts)
        yield _Piece(at, piece, first + _DENSITY * density + _POSITION * place, count(text))


def _divided(part: Part) -> list[Part]:
    """Return the sentences of a paragraph, or the items or rows of a part, as parts like it."""
    if part.kind == "paragraph":
        return [part._replace(children=children) for children in sentences_of(part.children)]
    if part.kind in _DIVIDED and not any(isinstance(child, str) for child in part.children):
        return [part._replace(children=(child,)) for child in part.children]
    return [part]


def _joined(parts: Sequence[Part], pieces: Sequence[_Piece], chosen: set[int]) -> Iterator[Part]:
    """Yield the chosen pieces, those of a part in one, with a mark where some are left out."""
    is_marked, start = False, 0
    for owner, part in enumerate(parts):
        end = start
        while end < len(pieces) and pieces[end].owner == owner:
            end += 1
        own, start = range(start, end), end
        is_whole = chosen.issuperset(own)
        if not chosen.isdisjoint(own):
            yield _rejoined(part, pieces, own, chosen)
            is_marked = part.kind == "paragraph" and own[-1] not in chosen
        if not (is_whole or is_marked):
            yield Part("paragraph", (LEFT_OUT,))
            is_marked = True


def _rejoined(part: Part, pieces: Sequence[_Piece], own: range, chosen: set[int]) -> Part:
    """Return a part with its chosen pieces; gaps between sentences have a mark."""
    children: list[Part | str] = []
    for at in own:
        if at in chosen:
            children += pieces[at].part.children
        elif part.kind == "paragraph" and (not children or children[-1] != f"{LEFT_OUT} "):
            children.append(f"{LEFT_OUT} ")
    if children and isinstance(children[-1], str):
        children[-1] = children[-1].rstrip()
    return part._replace(children=tuple(children))


def _text(part: Part) -> str:
    """Return the text of a part, with spaces between the parts inside it."""
    texts = (
        child for each in iter_parts(part) for child in each.children if isinstance(child, str)
    )
    return " ".join(texts)
