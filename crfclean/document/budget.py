"""Cut the parts of a page to a number of words: its outline, and what matters most under it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from crfclean.document.parts import Content, Part, Show, filter_parts, iter_parts
from crfclean.page.chars import CLOSERS, IDEOGRAPHIC_ENDS, TERMINATORS

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

_MARKS, _CLOSERS = re.escape(TERMINATORS), re.escape(CLOSERS)
_WIDE = re.escape(IDEOGRAPHIC_ENDS)
_CLOSING = f"[{_CLOSERS}]{{0,4}}"
# "Rain. Sun" and "「雨。」晴", not "3.14"
_END = re.compile(rf"[{_WIDE}]+{_CLOSING}\s*|[{_MARKS}]+{_CLOSING}\s+")
_LAST_WORD = re.compile(r"[^\s(\[\"'“„«]{1,12}\Z")
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
    for mark in _END.finditer(text):
        following = mark.end()
        if following == len(text) or text[following].islower():
            continue
        if mark[0][0] == "." and _is_abbreviation(text, mark.start(), text[following]):
            continue
        yield mark.start() + len(mark[0].rstrip()), following


def _is_abbreviation(text: str, dot: int, following: str) -> bool:
    """Return whether a dot belongs to the word before it; `following` is the next character."""
    before = text[max(0, dot - _MAX_LOOKBACK) : dot]
    word = _LAST_WORD.search(before)
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
