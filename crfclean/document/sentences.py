"""Divide a text into sentences by punctuation, in any script."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from crfclean.document.parts import Content
from crfclean.page.chars import CLOSERS, IDEOGRAPHIC_ENDS, TERMINATORS

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
