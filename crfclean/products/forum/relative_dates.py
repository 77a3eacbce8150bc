"""Dates counted from the day of fetching."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import datetime, timedelta
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata.dates import YEARS

_UNITS = tuple("seconds minutes hours days weeks months years".split())
_SHORT_UNITS = ("s", "m", "h", "d", "w", "mo", "y")


@cache
def _counts() -> re.Pattern[str]:
    """A number before a unit of time."""
    single = lexicon().pattern(lambda language: language.dates.one)
    return re.compile(rf"(?:(?P<n>\d{{1,4}})|\b(?:{single})\b) ?", re.IGNORECASE)


@cache
def _units() -> tuple[re.Pattern[str], ...]:
    """The pattern of each of `_UNITS`, in all languages."""
    words = (
        lexicon().pattern(lambda language: "".join(language.dates.units[at : at + 1]))  # noqa: B023
        for at in range(len(_UNITS))
    )
    pairs = zip(words, _SHORT_UNITS, strict=True)
    return tuple(re.compile(rf"{unit}|{short}(?![^\W\d_])", re.IGNORECASE) for unit, short in pairs)


@cache
def _words_for_days() -> tuple[re.Pattern[str], ...]:
    """The patterns of today, yesterday and the day before."""
    tables = (
        [
            words.pattern(lambda language: "".join(language.dates.days[at : at + 1]))  # noqa: B023
            for words in (lexicon().spaced, lexicon().unspaced)
        ]
        for at in range(3)
    )
    return tuple(re.compile(rf"\b(?:{one})\b|{two}", re.IGNORECASE) for one, two in tables)


def find_relative(text: str, now: datetime) -> datetime | None:
    """Find the moment that a text counts back from `now`; None if it counts nothing.

    >>> now = datetime(2024, 3, 31, 12)
    >>> for text in ("3 hours ago", "vor 1 Monat", "gestern", "2y"):
    ...     print(find_relative(text, now))
    2024-03-31 09:00:00
    2024-02-29 12:00:00
    2024-03-30 12:00:00
    2022-03-31 12:00:00
    """
    patterns = enumerate(_words_for_days())
    backs = [back for back, pattern in patterns if pattern.search(text)]
    moment = now - timedelta(days=backs[-1]) if backs else None
    counts = dict[str, int]()
    for match in _counts().finditer(text):
        ends = {
            unit: found.end()
            for unit, pattern in zip(_UNITS, _units(), strict=True)
            if (found := pattern.match(text, match.end()))
        }
        if ends:  # "minggu" is a week, although it begins with "min"
            counts.setdefault(max(ends, key=lambda unit: ends[unit]), int(match["n"] or 1))
    for unit, count in counts.items():
        moment = _before(moment or now, unit, count)
    return moment


def _before(moment: datetime, unit: str, count: int) -> datetime | None:
    """The moment so many units earlier; None before the first year."""
    months = count * {"months": 1, "years": 12}.get(unit, 0)
    if not months:
        return moment - timedelta(**{unit: count})
    year, month = divmod(12 * moment.year + moment.month - 1 - months, 12)
    if year < YEARS[0]:
        return None
    day = min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)
