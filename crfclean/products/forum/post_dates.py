"""Dates and times beside the posts of forums, which need no year."""

from __future__ import annotations

import re
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.lexicon.language import Language
from crfclean.lexicon.number_dates import CLOCK, DAY_AND_MONTH, YEAR_FIRST

MAX_DATE = 90  # characters of a text that may be a date with a few words beside it
TIME = re.compile(rf"{CLOCK}(?:\b|(?=[ap]m\b))", re.IGNORECASE)


def _units_of(language: Language) -> str:
    return "|".join(filter(None, language.dates.units))


def _days_of(language: Language) -> str:
    return "|".join(filter(None, language.dates.days))


@cache
def date_pattern() -> re.Pattern[str]:
    """Match a date with or without a year; "of" is English, since shipped models learned it."""
    ordinals = lexicon().pattern(lambda language: language.dates.ordinals)
    months = "|".join(lexicon().month_stems)
    return re.compile(
        rf"\b{DAY_AND_MONTH}\d{{2,4}}\b|{YEAR_FIRST}|"
        rf"\b\d{{1,2}}(?:\.|{ordinals})?[ -]?(?:of )?(?:{months})\w{{0,8}}\b|"
        rf"\b(?:{months})[^\W\d_]{{0,8}}\.?[ -]\d{{1,4}}(?:{ordinals})?\b|"
        r"\d{4}年\s?\d{1,2}月|\d{1,2}月\d{1,2}日|\d{4}년\s?\d{1,2}월|\d{1,2}월\s?\d{1,2}일",
        re.IGNORECASE,
    )


@cache
def relative_pattern() -> re.Pattern[str]:
    """Match a date or time relative to now, as in `3 hours ago` or `yesterday`."""
    return re.compile(f"{_spaced()}|{_unspaced()}", re.IGNORECASE)


_MORE = r",? ?(?:(?:and|und|et|y|e|i|и|en|og|och|ja) )?"
"""Words between the parts of a span of time, as in `10 months and 3 weeks`."""


def _spaced() -> str:
    """Relative dates in languages with spaces: number, unit and "ago", or a word for a day."""
    words = lexicon().spaced
    units = words.pattern(_units_of)
    single = words.pattern(lambda language: language.dates.one)
    ago = words.pattern(lambda language: language.dates.ago)
    before = words.pattern(lambda language: language.dates.before_units)
    days = words.pattern(_days_of)
    span = rf"(?:\d{{1,4}}|{single}) ?(?:{units})\w{{0,6}}\.?"
    more = rf"(?:{_MORE}\d{{1,4}} ?(?:{units})\w{{0,6}}\.?){{0,2}}"
    return (
        rf"\b{span}{more} (?:{ago})\b|"
        rf"\b(?:{before}) \w{{1,6}} (?:{units})\w{{0,6}}{more}|\b(?:{days})\b"
    )


def _unspaced() -> str:
    """Relative dates in languages without spaces, as in `3小时前`."""
    words = lexicon().unspaced
    units = words.pattern(_units_of)
    ago = words.pattern(lambda language: language.dates.ago)
    return rf"\d ?(?:{units})(?:{ago})|{words.pattern(_days_of)}"


@cache
def span_pattern() -> re.Pattern[str]:
    """Match a text that is only a span of time, as in `3h` or `10 Monate 3 Wochen`."""
    units = lexicon().spaced.pattern(_units_of)
    part = rf"\d{{1,3}} ?(?:{units})\w{{0,6}}\.?"
    return re.compile(
        rf"(?:{part}(?:{_MORE}{part}){{0,2}}|\d{{1,3}} ?(?:s|m|min|h|d|w|mo|y))\W{{0,2}}",
        re.IGNORECASE,
    )


def looks_like_date(text: str) -> bool:
    """Return whether a short text has a date, a relative date, or a time of day."""
    if len(text) > MAX_DATE:
        return False
    return bool(date_pattern().search(text) or relative_pattern().search(text) or TIME.search(text))
