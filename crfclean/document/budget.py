"""Cut the parts of a page to a number of words: its outline, and what matters most under each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from crfclean.document.block_types import Count, count_words
from crfclean.document.parts import Part, Show, iter_parts
from crfclean.document.sentences import sentences_of
from crfclean.document.shown import filter_parts

LEFT_OUT_MARK = "[…]"
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
            yield Part("paragraph", (LEFT_OUT_MARK,))
            is_marked = True


def _rejoined(part: Part, pieces: Sequence[_Piece], own: range, chosen: set[int]) -> Part:
    """Return a part with its chosen pieces; gaps between sentences have a mark."""
    children: list[Part | str] = []
    for at in own:
        if at in chosen:
            children += pieces[at].part.children
        elif part.kind == "paragraph" and (not children or children[-1] != f"{LEFT_OUT_MARK} "):
            children.append(f"{LEFT_OUT_MARK} ")
    if children and isinstance(children[-1], str):
        children[-1] = children[-1].rstrip()
    return part._replace(children=tuple(children))


def _text(part: Part) -> str:
    """Return the text of a part, with spaces between the parts inside it."""
    texts = (
        child for each in iter_parts(part) for child in each.children if isinstance(child, str)
    )
    return " ".join(texts)
