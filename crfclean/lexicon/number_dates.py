"""Patterns of dates in numbers, and votes on the order of day and month."""

from __future__ import annotations

from collections.abc import Iterable

YEAR = r"(?:19|20)\d\d"
DAY_AND_MONTH = r"(?P<a>\d{1,2})(?P<s>[./-]) ?(?P<b>\d{1,2})(?P=s) ?"
"""Day and month, `a` and `b` in either order, each followed by the same separator `s`."""

YEAR_FIRST = r"\b\d{4}[-/.]\d{1,2}[-/.]\d{1,2}\b"
CLOCK = r"\b[0-2]?\d[:.h][0-5]\d(?:[:.][0-5]\d)?"
"""A time of day, with or without seconds; callers add what may follow it ("pm", "Uhr")."""


def month_first_votes(pairs: Iterable[tuple[int, int]]) -> int:
    """Count the pairs that must be month and day, minus those that must be day and month.

    >>> month_first_votes([(3, 13), (3, 4)]), month_first_votes([(13, 3)])
    (1, -1)
    """
    return sum((second > 12) - (first > 12) for first, second in pairs)
