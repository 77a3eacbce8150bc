"""Divide a text into sentences by punctuation, in any script.

A sentence ends at a terminator (and the closing marks behind it) before white space, unless the
next word begins with a lower-case letter, or the terminator is the dot of an abbreviation, an
initial or an ordinal. Ideographic terminators need no white space.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from crfclean.page.chars import CLOSERS, IDEOGRAPHIC_ENDS, TERMINATORS

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
_MAX_LOOKBACK = 32  # characters before a terminator that may tell that it ends no sentence


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Half-open spans of the sentences of a line of text, without white space at their ends.

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
    """The end of each sentence but the last, and where the next one begins."""
    for mark in _END.finditer(text):
        following = mark.end()
        if following == len(text) or text[following].islower():
            continue
        if mark[0][0] == "." and _is_abbreviation(text, mark.start(), text[following]):
            continue
        yield mark.start() + len(mark[0].rstrip()), following


def _is_abbreviation(text: str, dot: int, following: str) -> bool:
    """Whether the dot at an index belongs to the word before it; `following` comes next."""
    before = text[max(0, dot - _MAX_LOOKBACK) : dot]
    word = _LAST_WORD.search(before)
    if word is None:
        return False
    if _ORDINAL.fullmatch(word[0]):
        return not _is_counted(before[: word.start()].split()[-1:])
    name = word[0].lower()
    if following.isdigit() and name in _BEFORE_NUMBERS:
        return True
    return name in _ABBREVIATED or bool(_INITIALS.fullmatch(word[0]))


def _is_counted(words: list[str]) -> bool:
    """Whether the word before a number seems to be a name ("May 3."), or ends with a dot itself."""
    return any((word[0].isupper() and len(word) > 2) or word[-1] == "." for word in words)
