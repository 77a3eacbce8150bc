"""Dates as forums write them, read into ISO 8601 with their certainty."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from functools import cache, lru_cache
from typing import Any

from crfclean.forum.outline import TIME, date_pattern, relative_pattern, span_pattern
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import YEAR, month_first_votes
from crfclean.types import CrfcleanError, install

# the order of day, month and year in a thread's dates of numbers alone

DAY_FIRST, MONTH_FIRST, YEAR_FIRST = "DMY", "MDY", "YMD"

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

    "YMD" is for years of two digits: in languages that write the year first, or if the other order
    gives more impossible days.

    >>> date_order(["24-05-13"]), date_order(["24-05-13"], "ja"), date_order(["98-05-13"])
    ('DMY', 'YMD', 'YMD')
    """
    usual = MONTH_FIRST if is_month_first(texts, language) else DAY_FIRST
    short = {match.group(1, 3, 4) for text in texts for match in _SHORT.finditer(text)}
    orders = [usual, YEAR_FIRST]
    if short and language[:2] in lexicon().year_first.codes:
        orders.reverse()
    return min(orders, key=lambda order: sum(not _is_date(parts, order) for parts in short))


def _is_date(parts: Sequence[str], order: str) -> bool:
    """Return whether there is a day of three numbers in an order."""
    year, month, day = (parts[order.index(letter)] for letter in "YMD")
    century = 2000 if int(year) < _CENTURY else 1900
    with suppress(ValueError):
        return bool(date(century + int(year), int(month), int(day)))
    return False


# dateparser reads the dates, in the order that `date_order` finds. Relative dates are resolved only
# if the day of fetching is known, so that equal input gives equal output on any day.

_MAX_CHARS = 60  # of a date; dateparser's time grows with the text
_MARKS = " ·•|,"  # around a date, as in `· 4y`
_CODES = {"no": "nb"}  # our code of a language -> that of dateparser, where they differ
EXACT, DAY, NO_YEAR, RELATIVE_DATE, UNKNOWN_DATE = "exact", "day", "no-year", "relative", "unknown"
"""Certainty of a date: day and time; day; day and month; relative to the fetching; no date."""

_NUMBERS = re.compile(r"\b\d{1,4}([./-])\d{1,2}\1\d{2,4}\b")
_YEAR = re.compile(rf"\b{YEAR}\b|\b\d{{1,2}}([./-])\d{{1,2}}\1\d\d\b|'\d\d\b")
_YEAR_BEFORE = re.compile(rf"\b{YEAR}[.,]? $")
_HOURS = re.compile(r"\b(\d{1,2})[h:.](\d\d)(?:\b|$)")


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
        re.compile(rf"(?:,? ?{YEAR}\b)?(?: ?[ap]\.?m\.?\b)?(?: (?:{clock})\b)?", re.IGNORECASE),
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
    shapes = date_pattern(), relative_pattern(), TIME
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

    `order` is that of numeric dates, as `date_order` finds it. Raises `CrfcleanError` where
    dateparser is not installed.
    """

    language: str = ""
    order: str = DAY_FIRST
    fetched: datetime | None = None
    cache: dict[str, When] = field(default_factory=dict)

    def read(self, text: str, machine: str = "") -> When:
        """Read the date in a text; `machine`, an attribute such as `datetime`, takes precedence."""
        if machine:
            when = read_machine_date(machine)
            if when:
                return when
        text = core_of(text).strip(_MARKS)
        if text not in self.cache:
            self.cache[text] = self._parse(text) if text and len(text) <= _MAX_CHARS else NEVER
        return self.cache[text]

    def _parse(self, text: str) -> When:
        certainty = _certainty(text)
        if certainty == RELATIVE_DATE and self.fetched is None:
            return When("", certainty)
        moment = self._parsed_date(_HOURS.sub(r"\1:\2", text) if "h" in text else text)
        if moment is None:
            return When("", RELATIVE_DATE) if certainty == RELATIVE_DATE else NEVER
        if certainty == NO_YEAR and self.fetched is None:
            return When(f"--{moment:%m-%d}", NO_YEAR)
        return When(_written(moment, _has_clock(text)), certainty)

    def _parsed_date(self, text: str) -> datetime | None:
        """Parse with dateparser; a day without a year is the last such day before the fetching."""
        parser = _parser(self.language, self.order, self.fetched or datetime(2024, 12, 31))  # noqa: DTZ001
        try:
            moment: datetime | None = parser.get_date_data(text).date_obj
        except (ValueError, OverflowError, TypeError, RecursionError):
            return None
        return moment


@cache
def open_dateparser() -> None:
    """Import dateparser, if installed, with its languages: this takes longer than a page."""
    with suppress(CrfcleanError):
        DateReader().read("no date of any language")


@lru_cache(maxsize=16)
def _parser(language: str, order: str, base: datetime) -> Any:
    try:
        from dateparser.date import DateDataParser
    except ImportError as error:
        raise CrfcleanError(f"dates need dateparser: {install('forum')}") from error
    codes = (each.code for each in lexicon().languages if each.forum.dateparser)
    languages = [_CODES.get(code, code) for code in codes]
    first = [language[:2]] if language[:2] in languages else []
    return DateDataParser(
        languages=list(dict.fromkeys([*first, *languages])),
        settings={
            "DATE_ORDER": order,
            "PREFER_DATES_FROM": "past",
            "RELATIVE_BASE": base,
            "RETURN_AS_TIMEZONE_AWARE": False,
            "PREFER_LOCALE_DATE_ORDER": False,
        },
    )


def _certainty(text: str) -> str:
    if relative_pattern().search(text) or span_pattern().fullmatch(text):
        return RELATIVE_DATE
    if not date_pattern().search(text):
        return RELATIVE_DATE if TIME.search(text) else UNKNOWN_DATE
    if not _YEAR.search(text):
        return NO_YEAR
    return EXACT if _has_clock(text) else DAY


def _has_clock(text: str) -> bool:
    """Return whether a text has a time of day; the day and month of `13.05.2024` are none."""
    return bool(TIME.search(_NUMBERS.sub(" ", text)))


def _written(moment: datetime, with_time: bool) -> str:  # noqa: FBT001
    return moment.isoformat(timespec="seconds") if with_time else moment.date().isoformat()


def read_machine_date(text: str) -> When | None:
    """Read an ISO date, or seconds or milliseconds since 1970; None for anything else."""
    text = text.strip()
    if re.fullmatch(r"\d{9,10}(?:\d{3})?", text):
        moment = datetime.fromtimestamp(int(text[:-3] if len(text) > 11 else text), UTC)
        return When(moment.isoformat(), EXACT)
    shape = re.fullmatch(r"(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?.*)?", text)
    if not shape:
        return None
    try:
        datetime.fromisoformat(f"{shape[1]}T{shape[2] or '00:00'}{shape[3] or ''}")
    except ValueError:
        return None
    if not shape[2]:
        return When(shape[1], DAY)
    zone = re.search(r"(?:Z|[+-]\d\d:?\d\d)$", text)
    return When(f"{shape[1]}T{shape[2]}{shape[3] or ':00'}{zone[0] if zone else ''}", EXACT)
