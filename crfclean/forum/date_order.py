"""The order of day, month and year in a thread's dates of numbers alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date

from crfclean.lexicon import lexicon
from crfclean.lexicon.datepatterns import YEAR, month_first_votes

DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "DMY", "MDY", "YMD"

_PAIR = re.compile(r"\b(\d{1,2})([./-])(\d{1,2})\2(?:\d{4}|\d{2})\b")
_SHORT = re.compile(r"(?<![\d./-])(\d\d)([./-])(\d{1,2})\2(\d\d)\b(?!\2\d)")
"""A date whose parts have two digits each, the year as well."""
_YEAR = re.compile(rf"\b{YEAR}\b")
_CENTURY = 69  # years below it are of this century, as in POSIX
_FEWEST = 3  # distinct dates that decide by the time they span


def is_month_first(texts: Sequence[str], language: str) -> bool:
    """Whether numeric dates put the month first: by unambiguous dates, else by language.

    >>> is_month_first(["3/4/2014", "3/13/2014"], "de")
    True
    """
    pairs = [match for text in texts for match in _PAIR.finditer(text)]
    votes = month_first_votes((int(match[1]), int(match[3])) for match in pairs)
    slashes = any(match[2] != "." for match in pairs)
    usual = {"", *lexicon().month_first.codes}
    return votes > 0 or (votes == 0 and slashes and language[:2] in usual)


def date_order(texts: Sequence[str], language: str = "", years: Iterable[int] = ()) -> str:
    """The order of the numeric dates of a thread; only years of two digits may come first.

    `24-5-13` is of 2024 where the other order has days that no month has; where the page's other
    dates, of `years`, are nearer to that year; where three dates or more then lie nearer to each
    other, as the posts of a thread do; and in languages that write the year first.

    >>> date_order(["24-05-13"]), date_order(["24-05-13"], years=[2024]), date_order(["24-05-32"])
    ('DMY', 'YMD', 'DMY')
    """
    usual = MONTH_FIRST if is_month_first(texts, language) else DAY_FIRST
    short = {match.group(1, 3, 4) for text in texts for match in _SHORT.finditer(text)}
    if not short:
        return usual
    orders = [usual, YEAR_FIRST]
    if language[:2] in lexicon().year_first.codes:
        orders.reverse()
    others = frozenset(years)
    return min(orders, key=lambda order: _doubts(short, order, others))  # of equals the first


def years_of(texts: Iterable[str]) -> set[int]:
    """The years of four digits in some texts.

    >>> sorted(years_of(["5 May 2020", "2024-05-13 10:02"]))
    [2020, 2024]
    """
    return {int(year) for text in texts for year in _YEAR.findall(text)}


def year_first_as_iso(text: str) -> str:
    """A text with the two-digit years that come first written in full.

    >>> year_first_as_iso("24-5-13 10:02")
    '2024-5-13 10:02'
    """
    return _SHORT.sub(lambda match: f"{_full(match[1])}-{match[3]}-{match[4]}", text)


def _doubts(short: Iterable[Sequence[str]], order: str, years: frozenset[int]) -> tuple[int, ...]:
    """What speaks against an order: impossible dates, years from others', days that they span."""
    dates = [_date(parts, order) for parts in short]
    days = [day for day in dates if day is not None]
    impossible = len(dates) - len(days)
    if not days:
        return impossible, 0, 0
    away = sum(min((abs(day.year - year) for year in years), default=0) for day in days)
    spanned = (max(days) - min(days)).days if len(days) >= _FEWEST else 0
    return impossible, away, spanned


def _date(parts: Sequence[str], order: str) -> date | None:
    """The date of three numbers in an order, None if there is no such day."""
    year, month, day = (parts[order.index(letter)] for letter in "YMD")
    try:
        return date(_full(year), int(month), int(day))
    except ValueError:
        return None


def _full(year: str) -> int:
    """A year of two digits in full."""
    return int(year) + (2000 if int(year) < _CENTURY else 1900)
