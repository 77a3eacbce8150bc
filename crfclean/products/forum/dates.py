"""Dates as forums write them, read into ISO 8601 with their certainty."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.lexicon.number_dates import CLOCK, YEAR, month_first_votes
from crfclean.metadata.dates import find_date, find_yearless, parse_machine_date
from crfclean.products.forum.post_dates import TIME, date_pattern, relative_pattern, span_pattern
from crfclean.products.forum.relative_dates import find_relative

# the order of day, month and year in a thread's dates of numbers alone

DAY_MONTH_YEAR, MONTH_DAY_YEAR, YEAR_MONTH_DAY = "DMY", "MDY", "YMD"

_PAIR = re.compile(r"\b(\d{1,2})([./-])(\d{1,2})\2(?:\d{4}|\d{2})\b")
_SHORT = re.compile(r"(?<![\d./-])(\d\d)([./-])(\d{1,2})\2(\d\d)\b(?!\2\d)")
"""A date of numbers that may begin with a year of two digits."""
_CENTURY = 69  # years below it are in this century, as in POSIX


def is_month_first(texts: Sequence[str], language: str) -> bool:
    """Return whether numeric dates put the month first.

    Unambiguous dates decide, else the language does.

    >>> is_month_first(["3/4/2014", "3/13/2014"], "de")
    True
    """
    pairs = [match for text in texts for match in _PAIR.finditer(text)]
    votes = month_first_votes((int(match[1]), int(match[3])) for match in pairs)
    slashes = any(match[2] != "." for match in pairs)
    usual = {"", *lexicon().month_first.codes}
    return votes > 0 or (votes == 0 and slashes and language[:2] in usual)


def date_order(texts: Sequence[str], language: str = "") -> str:
    """The order of day, month and year in the numeric dates of a thread, such as "DMY".

    "YMD", for years of two digits, is chosen in languages that write the year first, and if the
    other order gives more impossible days.

    >>> date_order(["24-05-13"]), date_order(["24-05-13"], "ja"), date_order(["98-05-13"])
    ('DMY', 'YMD', 'YMD')
    """
    usual = MONTH_DAY_YEAR if is_month_first(texts, language) else DAY_MONTH_YEAR
    short = {match.group(1, 3, 4) for text in texts for match in _SHORT.finditer(text)}
    orders = [usual, YEAR_MONTH_DAY]
    if short and language[:2] in lexicon().year_first.codes:
        orders.reverse()
    return min(orders, key=lambda order: sum(_day_of(parts, order) is None for parts in short))


def _day_of(parts: Sequence[str], order: str) -> date | None:
    """The day of three numbers in an order; None if there is none. Years may have two digits."""
    year, month, day = (parts[order.index(letter)] for letter in "YMD")
    century = 0 if len(year) == 4 else 2000 if int(year) < _CENTURY else 1900
    with suppress(ValueError):
        return date(century + int(year), int(month), int(day))
    return None


# Dates of numbers are read in the order that `date_order` finds. Relative dates are resolved only
# if the day of fetching is known, so that equal input gives equal output on any day.

_MAX_DATE_CHARS = 60  # of a date
_MARKS = " ·•|,"  # around a date, as in `· 4y`
EXACT, DAY, NO_YEAR, RELATIVE_DATE, UNKNOWN_DATE = "exact", "day", "no-year", "relative", "unknown"
"""Certainty of a date: day and time; day; day and month; relative to the fetching; no date."""

_NUMBERS = re.compile(r"\b\d{1,4}([./-])\d{1,2}\1\d{2,4}\b")
_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)|\b\d{{1,2}}([./-])\d{{1,2}}\1\d\d\b|'\d\d\b")
_DIGIT = re.compile(r"\d")
_YEAR_BEFORE = re.compile(rf"\b{YEAR}[.,]? $")
_NUMERIC = re.compile(r"(?<![\d./-])(\d{1,2})([./-]) ?(\d{1,2})\2 ?(\d{4}|\d\d)\b(?!\2\d)")
_CLOCK = re.compile(rf"{CLOCK}(?: ?(?P<half>[ap])\.?m\b)?", re.IGNORECASE)
_MACHINE = re.compile(r"\d{4}-\d\d-\d\d|\d{10}(?:\d{3})?$")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns of text around a date: edit notes, a weekday before it, year and time after it."""

    edited: re.Pattern[str]
    weekday: re.Pattern[str]
    after: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    last = lexicon().pattern(lambda language: language.forum.before_edited)
    edited = lexicon().pattern(lambda language: language.forum.edited)
    weekdays = "|".join(
        day[:3] for day in lexicon().words(lambda language: language.dates.weekdays)
    )
    clock = lexicon().pattern(lambda language: language.dates.after_clock)
    return _Patterns(
        re.compile(rf"(?<=\w) *[(,;]?\s*(?:(?:{last}) )?(?:{edited})\b", re.IGNORECASE),
        re.compile(f"(?:{weekdays})", re.IGNORECASE),
        re.compile(
            rf"(?: ?\d\d? ?[日일]|,? ?{YEAR}\b)?(?: ?[ap]\.?m\.?\b)?(?: (?:{clock})\b)?",
            re.IGNORECASE,
        ),
    )


@dataclass(frozen=True, slots=True)
class When:
    """A date in ISO 8601 ("" where there is none) and its certainty."""

    iso: str
    certainty: str


NEVER = When("", UNKNOWN_DATE)


def core_of(text: str) -> str:
    """Return the part of a text from its first to its last match of a date or time.

    >>> core_of("Posted February 2 by Ann")
    'February 2'
    >>> core_of("#3 Sat Jan 18, 2020 2:56 pm")
    'Sat Jan 18, 2020 2:56 pm'
    >>> core_of("Szerző: Ilka, 2020. július 11., 20:35")
    '2020. július 11., 20:35'
    """
    folded = _patterns().edited.split(" ".join(text.split())[:200])[0]
    shapes = [relative_pattern()]
    if _DIGIT.search(folded):  # few lines have one, and the longer patterns need it
        shapes += date_pattern(), TIME
    spans = [match.span() for shape in shapes for match in shape.finditer(folded)]
    if not spans:
        return folded
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    before = re.search(r"(?:\b[^\W\d]{2,10}\.?,? )$", folded[:start])
    if before and _patterns().weekday.match(before[0]):
        start -= len(before[0])
    year = _YEAR_BEFORE.search(folded[:start])
    start -= len(year[0]) if year else 0
    after = _patterns().after.match(folded[end:])
    return folded[start : end + (len(after[0]) if after else 0)]


@dataclass
class DateReader:
    """Reads the dates of one thread; relative dates are counted from `fetched`.

    `order` is that of numeric dates, as `date_order` finds it.
    """

    order: str = DAY_MONTH_YEAR
    fetched: datetime | None = None
    cache: dict[str, When] = field(default_factory=dict)

    def read(self, text: str, machine: str = "") -> When:
        """Read the date in a text; `machine`, an attribute such as `datetime`, takes precedence."""
        when = read_machine_date(machine)
        if when:
            return when
        text = core_of(text).strip(_MARKS)
        if text not in self.cache:
            self.cache[text] = self._parse(text) if text and len(text) <= _MAX_DATE_CHARS else NEVER
        return self.cache[text]

    def _parse(self, text: str) -> When:
        certainty, clock = _certainty(text), _clock_of(text)
        if certainty == RELATIVE_DATE:
            day = self.fetched and _relative_day(text, clock, self.fetched)
        elif certainty == NO_YEAR:
            found = find_yearless(text)
            if found and self.fetched is None:
                return When("--{:02}-{:02}".format(*found), NO_YEAR)
            day = _last_day(*found, self.fetched.date()) if found and self.fetched else None
        else:
            day = _full_day(text, self.order)
        if day is None:
            return When("", RELATIVE_DATE) if certainty == RELATIVE_DATE else NEVER
        return When(f"{day}T{clock}" if clock else f"{day}", certainty)


def _certainty(text: str) -> str:
    is_dated = bool(date_pattern().search(text))
    if is_dated and _YEAR.search(text):  # "Today in pictures: July 31, 2012"
        return EXACT if _clock_of(text) else DAY
    if relative_pattern().search(text) or span_pattern().fullmatch(text):
        return RELATIVE_DATE
    if is_dated:
        return NO_YEAR
    return RELATIVE_DATE if TIME.search(text) else UNKNOWN_DATE


def _clock_of(text: str) -> time | None:
    """Return the time of day in a text; the `13.05` of a date is not one."""
    match = _CLOCK.search(_NUMBERS.sub(" ", text))
    if match is None:
        return None
    hour, minute, *seconds = map(int, re.findall(r"\d+", match[0]))
    half = (match["half"] or "").lower()
    with suppress(ValueError):
        return time(hour % 12 + 12 * (half == "p") if half else hour, minute, sum(seconds))
    return None


def _full_day(text: str, order: str) -> date | None:
    """The day of a date with its year."""
    match = _NUMERIC.search(text)
    if match:
        orders = (order, DAY_MONTH_YEAR, MONTH_DAY_YEAR, YEAR_MONTH_DAY)[
            : 3 if len(match[4]) == 4 else 4
        ]
        days = (_day_of(match.group(1, 3, 4), each) for each in orders)
        return next(filter(None, days), None)
    span = find_date(re.sub(r"'(\d\d)\b", r"20\1", text))
    return date.fromisoformat(span.iso[:10]) if span and len(span.iso) >= 10 else None


def _last_day(month: int, day: int, fetched: date) -> date | None:
    """Return the last such day until the fetching; the last 29 February may be years ago."""
    for year in range(fetched.year, fetched.year - 9, -1):
        with suppress(ValueError):
            last = date(year, month, day)
            if last <= fetched:
                return last
    return None


def _relative_day(text: str, clock: time | None, fetched: datetime) -> date | None:
    """The day of a relative date, or of a time of day alone."""
    moment = find_relative(_CLOCK.sub(" ", text), fetched)
    if moment:
        return moment.date()
    return fetched.date() - timedelta(days=clock > fetched.time()) if clock else None


def read_machine_date(text: str) -> When | None:
    """Read an ISO date, or seconds or milliseconds since 1970; None for anything else."""
    text = text.strip()
    iso = parse_machine_date(text) if _MACHINE.match(text) else ""
    if len(iso) < 10:
        return None
    return When(re.sub(r"T(\d\d:\d\d)(?!:)", r"T\1:00", iso), EXACT if "T" in iso else DAY)
