"""Nothing -> the parts of patterns of dates in numbers, and what such dates say of their order."""

from __future__ import annotations

from collections.abc import Iterable

YEAR = r"(?:19|20)\d\d"
DAY_AND_MONTH = r"(?P<a>\d{1,2})(?P<s>[./-]) ?(?P<b>\d{1,2})(?P=s) ?"
"""`a` and `b` before a year, in either order, with the same mark `s` behind both."""

YEAR_FIRST = r"\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b"
CLOCK = r"\b[0-2]?\d[:.h][0-5]\d(?:[:.][0-5]\d)?"
"""A time of day with or without seconds; what may follow is the reader's."""


def month_first_votes(pairs: Iterable[tuple[int, int]]) -> int:
    """How many pairs put the month first beyond doubt, less those that put the day first.

    >>> month_first_votes([(3, 13), (3, 4)]), month_first_votes([(13, 3)])
    (1, -1)
    """
    return sum((second > 12) - (first > 12) for first, second in pairs)
