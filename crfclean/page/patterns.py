"""Count the addresses, dates and times of day in each block.

Only blocks whose characters allow one are searched.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import regex

from crfclean.lexicon import lexicon
from crfclean.lexicon.language import CLOCK, DAY_AND_MONTH, YEAR, YEAR_FIRST
from crfclean.page.measures import Measures, once
from crfclean.types import Floats

# "see www.example.org", "write to anna@probe.example"; not "@anna" or "5 @ 3 EUR"
_URL = regex.compile(r"://\S|www\.\S|(?<=\w)@\w[\w-]{0,63}\.\w")
_TIME = regex.compile(rf"{CLOCK}\b")
_URL_BIT, _DATE_BIT, _TIME_BIT = 1, 2, 4  # of what a text may have, by the core


@cache
def _date() -> regex.Pattern[str]:
    """Dates with a year; the suffixes of days are those of the shipped models' training."""
    suffix = lexicon().month_first.pattern(lambda language: language.dates.ordinals)
    return regex.compile(
        rf"\b{DAY_AND_MONTH}(?:\d{{4}}|\d{{2}})\b|{YEAR_FIRST}|"
        rf"\b\d{{1,2}}(?:\.|{suffix})? \p{{L}}{{3,12}}\.?,? {YEAR}\b|"
        rf"\b\p{{Lu}}\p{{L}}{{2,12}}\.? \d{{1,2}}(?:{suffix})?,? {YEAR}\b|\d{{4}}年\d{{1,2}}月"
    )


@once
def urls(page: Measures) -> Floats:
    """Web and e-mail addresses in each block, shape (n,)."""
    return _matches(page, _URL, _URL_BIT)


@once
def dates(page: Measures) -> Floats:
    """Dates with a year in each block, in numbers or with the month's name; shape (n,)."""
    return _matches(page, _date(), _DATE_BIT)


@once
def times(page: Measures) -> Floats:
    """Times of day in each block, shape (n,)."""
    return _matches(page, _TIME, _TIME_BIT)


@once
def _likely(page: Measures) -> list[tuple[int, int]]:
    """The blocks that may have any of what is counted, with its bits, by the core."""
    bits = page.core_counts["likely"]
    blocks = bits.nonzero()[0]
    return list(zip(blocks.tolist(), bits[blocks].tolist(), strict=True))


def _matches(page: Measures, pattern: regex.Pattern[str], bit: int) -> Floats:
    """Matches of the pattern in each block, (n,), where the core says that it may have any."""
    counts = np.zeros(len(page))
    for index, bits in _likely(page):
        if bits & bit:
            counts[index] = len(pattern.findall(page.plain_texts[index]))
    return counts
