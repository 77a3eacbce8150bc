"""Find notices that stand in place of a page's content, such as "page not found"."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from crfclean.core.native import CORE
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import NOTICE_GROUPS
from crfclean.page.arrays import bits_by_member

_MAX_HEADING_CHARS = 100
_MIN_FILLED = 0.6  # share of a heading's letters in a notice: "Sorry, page not found"

_NO_LETTER = re.compile(r"[\W\d_]+")
_TITLE_PARTS = re.compile(r"\s[-–—·«»/]\s|[|:]")
_STATUS = re.compile(
    r"\W*(?:(?:oops|error|http|status|code)\W+)*(?:(40[03]|429|451)|404|410|50[0234])(?:\W+(?:oops|error))*\W*"
)


def bits_of(*groups: str) -> int:
    """Return the bits of some of `NOTICE_GROUPS`."""
    return sum(1 << NOTICE_GROUPS.index(group) for group in groups)


STRONG = bits_of("wall", "blocked", "gone")
"""Bits of groups whose phrases are the message of a page wherever they stand in its text."""
_FILLING = STRONG | bits_of("login", "error")


@cache
def _phrases() -> Any:
    """Return the phrases of notices, each with the bits of its groups."""
    bits = bits_by_member(lexicon().notices[group] for group in NOTICE_GROUPS)
    return CORE.Phrases(list(bits.items()))


def notice_bits(text: str) -> int:
    """Return the bits of the groups that have a phrase in a text in lower case."""
    bits: int = _phrases().within(text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    return bits


def filled_bits(heading: str) -> int:
    """Return the bits of the groups with a notice that makes up a heading in lower case.

    >>> filled_bits("sorry, page not found!") == filled_bits("404") == bits_of("gone")
    True
    >>> filled_bits("what does 404 not found mean?"), filled_bits("peugeot 404")
    (0, 0)
    """
    if status := _STATUS.fullmatch(heading):
        return bits_of("blocked" if status[1] else "gone")
    heading = heading.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    bits = notice_bits(heading) & _FILLING if len(heading) <= _MAX_HEADING_CHARS else 0
    least, filled = _MIN_FILLED * _letters(heading), 0
    for place, group in enumerate(NOTICE_GROUPS if bits else ()):
        phrases = lexicon().notices[group] if bits >> place & 1 else ()
        if any(phrase in heading and _letters(phrase) >= least for phrase in phrases):
            filled |= 1 << place
    return filled


def title_bits(title: str) -> int:
    """Return the bits of the groups with a notice that makes up a part of a title in lower case."""
    bits = 0
    for part in _TITLE_PARTS.split(title):
        bits |= filled_bits(part)
    return bits


def _letters(text: str) -> int:
    return len(_NO_LETTER.sub("", text))
