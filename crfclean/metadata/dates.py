"""Find dates in texts, in all languages of the lexicon."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from crfclean.lexicon import lexicon
from crfclean.lexicon.branches import branched
from crfclean.lexicon.number_dates import DAY_AND_MONTH, YEAR

MAX_DATE_CHARS = 200  # of a text that may hold a date
_MAX_LABEL = 40  # characters before a date that say what happened on it
YEARS = range(1900, 2101)
_LEAP_YEAR = 2024

_YEAR = re.compile(r"(?:19|20)(?=\d\d)")  # every date has one
_ISO = re.compile(
    rf"(?P<y>{YEAR})(?<![\d-]....)(?:(?P<s>[-/.])(?P<m>\d{{1,2}})(?:(?P=s)(?P<d>\d{{1,2}})(?!\d))?"
    r"|(?P<m2>\d\d)(?P<d2>\d\d))(?!\d)"
)
# patterns begin with a digit, to which Python skips, rather than with what stands before it
_DAY = r"(?P<d>\d(?<!\d.)\d?)"
_WORD = (
    r"(?:[^\W\d_]{3,14}|[\u0900-\u0963\u0980-\u09e3\u200d\u0600-\u06ff]{2,12}"
    r"|[\u0e01-\u0e4e.]{4,11}|[\u1200-\u135f]{2,8})"
)
"""A word that may be a month; Indic ones are short, with signs that are no letters: "मई"."""
_NUMBERS = re.compile(rf"(?<![\d./-]){DAY_AND_MONTH}(?P<y>{YEAR})(?!\d)")
_CJK_DAY = r"(?P<m>\d{1,2}) ?[月월](?: ?(?P<d>\d{1,2}) ?[日일])"
_CJK = re.compile(rf"(?P<y>{YEAR}) ?[年년] ?{_CJK_DAY}?")
_OTHER_DIGIT = re.compile("[٠-٩۰-۹०-९০-৯๐-๙０-９]")
_DIGITS = str.maketrans(
    "٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙０１２３４５６７８９", "0123456789" * 6
)
# "May 2024", but not the end of "7 May 2024"
_MONTH_ALONE = re.compile(
    rf"(?<![^\W_])(?<!\d )(?<!\d\. )(?P<n>{_WORD})\.?,? (?:de )?(?P<y>{YEAR})(?!\d)"
)
# "31.10.23", "3/4/24"; "1.2.10" in running text is a version
_SHORT_YEAR = re.compile(
    r"(?P<a>\d(?<![\w./-].)\d?)(?P<s>[./]) ?(?P<b>\d{1,2})(?P=s) ?(?P<y>[0-3]\d)(?![\d./-])"
)
_SECONDS = re.compile(r"1\d{9}(?:\d{3})?")  # or milliseconds, since 1970


@cache
def _days() -> tuple[str, str]:
    """Patterns of a day and its month, the day first and the month first, without the year."""
    words = lexicon()
    ordinals = words.pattern(lambda language: language.dates.ordinals)
    before_month = words.pattern(lambda language: language.dates.before_month)
    behind_day = words.month_first.pattern(lambda language: language.dates.ordinals)
    return (
        (
            rf"{_DAY}(?:{ordinals}|\.|º)?[ \-]?"
            rf"(?:(?:{before_month})(?: |(?<=['’])))?(?P<n>{_WORD})"
        ),
        rf"(?<![^\W_])(?P<n>{_WORD})\.? ?(?P<d>\d{{1,2}})(?:{behind_day})?",
    )


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """The patterns of dates; earlier patterns win where matches overlap."""
    words = lexicon()
    before_month = words.pattern(lambda language: language.dates.before_month)
    before_year = words.pattern(lambda language: language.dates.before_year)
    after_year = words.pattern(lambda language: language.dates.after_year)
    day_first, month_first = _days()
    named = (
        rf"{day_first}\.?,?[ \-]?(?:(?:{before_year}) )?(?P<y>{YEAR})(?!\d)",
        rf"{month_first},? ?(?P<y>{YEAR})(?!\d)",
        (
            rf"(?P<y>{YEAR})(?<!\d....)(?:{after_year}|\.)?,? (?:(?P<n>{_WORD})\.? (?P<d>\d{{1,2}})"
            rf"|(?P<d2>\d{{1,2}})\.? ?(?P<n2>{_WORD}))(?!\d)(?:\.(?=,))?"
        ),  # as in Hungarian, "2020. május 4., 09:15"
        # 3 tháng 5, 2023
        rf"{_DAY},? (?:{before_month}) (?P<m>\d{{1,2}}),? (?P<y>{YEAR})(?!\d)",
    )
    compiled = (re.compile(pattern, re.IGNORECASE) for pattern in named)
    return (_ISO, _CJK, *compiled, _NUMBERS, _MONTH_ALONE)


@cache
def _yearless() -> tuple[re.Pattern[str], ...]:
    """The patterns of a day and its month."""
    named = (rf"{pattern}(?![^\W_])" for pattern in _days())
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in (_CJK_DAY, *named))


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    """Map each kind of date to the words before it; the first match decides.

    "modified" comes first because of "last updated, first published in 2019".
    """
    words = {
        "modified": lexicon().pattern(lambda language: language.dates.modified),
        "published": lexicon().pattern(lambda language: language.dates.published),
    }
    return {kind: re.compile(branched(text), re.IGNORECASE) for kind, text in words.items()}


@cache
def _clock() -> re.Pattern[str]:
    """A time of day after a date."""
    before = lexicon().pattern(lambda language: language.dates.before_clock)
    return re.compile(
        rf"(?:T|[ ,|·•–-]*(?:{before})?)(?P<h>\d{{1,2}})[:h](?P<n>\d\d)"
        r"(?::(?P<s>\d\d)(?:[.,]\d+)?)?(?: ?(?P<p>[ap])\.?m\b\.?)?"
        r"(?: ?(?P<z>Z\b|[+-]\d\d:?\d\d(?!\d)))?",
        re.IGNORECASE,
    )


class DateSpan(NamedTuple):
    """A date in ISO 8601 and where it stands in its text."""

    iso: str
    start: int
    end: int


def find_date(text: str, *, month_first: bool = False) -> DateSpan | None:
    """Find the first date of a text; `month_first` reads `3/4/2024` (not `3.4.2024`) as in March.

    >>> [find_date(text).iso for text in ("Am 7. März 2024 um 10:30", "2024年5月7日", "3.4.2024")]
    ['2024-03-07T10:30', '2024-05-07', '2024-04-03']
    """
    return next(iter(find_dates(text, month_first=month_first)), None)


def find_short_date(text: str, *, month_first: bool = False) -> DateSpan | None:
    """Find the first date with a year of two digits, in a text that is likely to be a date.

    >>> [find_short_date(text) for text in ("31.10.23", "version 1.2.10.4")]
    [DateSpan(iso='2023-10-31', start=0, end=8), None]
    """
    if "." not in text and "/" not in text:
        return None
    for match in _SHORT_YEAR.finditer(text[:MAX_DATE_CHARS]):
        iso = _iso(match, month_first=month_first)
        if iso:
            return _timed(text[:MAX_DATE_CHARS], match.start(), match.end(), iso)
    return None


def find_dates(text: str, *, month_first: bool = False) -> tuple[DateSpan, ...]:
    """Find all dates of a text, in their order."""
    text = text[:MAX_DATE_CHARS]
    text = text.translate(_DIGITS) if _OTHER_DIGIT.search(text) else text
    if "20" not in text and "19" not in text:
        return ()
    return _dates_in(text, month_first)


def find_yearless(text: str) -> tuple[int, int] | None:
    """Find a month and a day without a year.

    >>> find_yearless("11:43pm on Apr 23"), find_yearless("5. Mai"), find_yearless("12月4日")
    ((4, 23), (5, 5), (12, 4))
    """
    for match in (match for pattern in _yearless() for match in pattern.finditer(text)):
        part = match.groupdict()
        month = int(part.get("m") or lexicon().months.get(part.get("n", "").lower(), 0))
        if iso_date(_LEAP_YEAR, month, int(match["d"])):
            return month, int(match["d"])
    return None


@lru_cache(maxsize=500)  # a page states a date in its head, in an attribute and in its text
def _dates_in(text: str, month_first: bool) -> tuple[DateSpan, ...]:  # noqa: FBT001
    spans: list[tuple[int, int, str]] = []
    years = [match.start() for match in _YEAR.finditer(text)]  # those in no date yet
    for pattern in _patterns() if years else ():
        for match in pattern.finditer(text):
            start, end = match.span()
            iso = _iso(match, month_first=month_first)
            if iso and not any(a < end and start < b for a, b, _ in spans):
                spans.append((start, end, iso))
                years = [year for year in years if not start <= year < end]
        if not years:
            break
    return tuple(_timed(text, start, end, iso) for start, end, iso in sorted(spans))


def _iso(match: re.Match[str], *, month_first: bool) -> str:
    """A match as `2024-05-07` or `2024-05`; "" for a day that does not exist."""
    part = match.groupdict()
    month, day = part.get("m") or part.get("m2"), part.get("d") or part.get("d2")
    if name := part.get("n") or part.get("n2"):
        month = str(lexicon().months.get(name.lower(), 0))
    if part.get("a"):
        usual = month_first and part["s"] != "."  # `02.12.19` is of December in English, too
        first_is_month = int(part["b"]) > 12 or (usual and int(part["a"]) <= 12)
        month, day = (part["a"], part["b"]) if first_is_month else (part["b"], part["a"])
    year = part["y"] if len(part["y"]) == 4 else f"20{part['y']}"
    return iso_date(int(year), int(month or 0), int(day) if day else None)


def iso_date(year: int, month: int, day: int | None) -> str:
    """Write a day or a month as ISO 8601; "" for a day that does not exist.

    >>> iso_date(2024, 2, None), iso_date(2023, 2, 29)
    ('2024-02', '')
    """
    try:
        parsed = date(year, month, 1 if day is None else day)
    except ValueError:
        return ""
    if parsed.year not in YEARS:
        return ""
    return parsed.isoformat() if day is not None else f"{year:04}-{month:02}"


def kind_of(words: str) -> str:
    """Return the kind of a date by the words before it: "modified", "published" or "".

    >>> kind_of("Zuletzt aktualisiert am"), kind_of("Опубликовано"), kind_of("on")
    ('modified', 'published', '')
    """
    return next((kind for kind, pattern in _kinds().items() if pattern.search(words)), "")


def is_of_member(words: str) -> bool:
    """Return whether the words before a date say since when somebody is a member of a forum.

    >>> is_of_member("Registriert: So"), is_of_member("Published on")
    (True, False)
    """
    return bool(_membership().search(words[-_MAX_LABEL:]))


@cache
def _membership() -> re.Pattern[str]:
    words = "|".join(lexicon().words(lambda language: language.forum.fields.get("joined", "")))
    return re.compile(rf"\b(?:{branched(words)})\b", re.IGNORECASE)


def _timed(text: str, start: int, end: int, iso: str) -> DateSpan:
    """A date with the time of day that follows it, if any."""
    clock = _clock().match(text, end) if len(iso) == 10 else None
    if clock is None:
        return DateSpan(iso, start, end)
    hour = int(clock["h"])
    if clock["p"]:
        hour = hour % 12 + 12 * (clock["p"].lower() == "p")
    if hour == 24:  # Python 3.14 takes it for the next day
        return DateSpan(iso, start, end)
    time = f"{hour:02}:{clock['n']}" + (f":{clock['s']}" if clock["s"] else "")
    zone = (clock["z"] or "").upper()
    zone = f"{zone[:3]}:{zone[3:]}" if len(zone) == 5 else zone
    try:
        datetime.fromisoformat(f"{iso}T{time}")
    except ValueError:
        return DateSpan(iso, start, end)
    return DateSpan(f"{iso}T{time}{zone}", start, clock.end())


def parse_machine_date(text: str, *, month_first: bool = True) -> str:
    """Write a date of metadata (ISO 8601, seconds since 1970, RFC 2822) as ISO 8601; "" for none.

    Dates for readers are read as well; for `month_first` see `find_date`.

    >>> parse_machine_date("Tue, 07 May 2024 10:30:00 +0200"), parse_machine_date("1715070600")
    ('2024-05-07T10:30:00+02:00', '2024-05-07T08:30:00+00:00')
    """
    text = text[:MAX_DATE_CHARS].strip()
    if _SECONDS.fullmatch(text):
        time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(text[:10]))
        return time.isoformat()
    span = find_date(text, month_first=month_first)
    span = span or find_short_date(text, month_first=month_first)
    if span is None:
        return text if re.fullmatch(YEAR, text) else ""
    is_unset = span.iso.startswith("1970-01-01")  # what software writes for no date
    return "" if is_unset else span.iso
