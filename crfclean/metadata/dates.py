"""A text -> the date in it, in ISO 8601 with the precision that it has.

Names of months in the languages of the lexicon, numbers in any order, Chinese and Japanese dates.
A date counted from today ("3 days ago") is none: nobody knows when the page was fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.lexicon.datepatterns import DAY_AND_MONTH, YEAR, month_first_votes

MAX_CHARS = 200  # of a text that may hold a date
YEARS = range(1900, 2101)

_YEAR = re.compile(YEAR)  # what every date has
_ISO = re.compile(
    rf"(?<![\d-])(?P<y>{YEAR})(?:(?P<s>[-/.])(?P<m>\d{{1,2}})(?:(?P=s)(?P<d>\d{{1,2}})(?!\d))?"
    r"|(?P<m2>\d\d)(?P<d2>\d\d))(?!\d)"
)
_WORD = r"[^\W\d_]{3,12}"
_NUMBERS = re.compile(rf"(?<![\d./-]){DAY_AND_MONTH}(?P<y>{YEAR})(?!\d)")
_CJK = re.compile(rf"(?P<y>{YEAR}) ?年 ?(?P<m>\d{{1,2}}) ?月(?: ?(?P<d>\d{{1,2}}) ?日)?")
_MONTH_ALONE = re.compile(
    rf"(?<![^\W_])(?<!\d )(?<!\d\. )(?P<n>{_WORD})\.?,? (?:de )?(?P<y>{YEAR})(?!\d)"
)
_SECONDS = re.compile(r"1\d{9}(?:\d{3})?")


@cache
def _patterns() -> tuple[re.Pattern[str], ...]:
    """The patterns of dates; what one has found, those behind it don't find again."""
    return (_ISO, _CJK, _day_first(), _month_first(), _NUMBERS, _MONTH_ALONE)


def _day_first() -> re.Pattern[str]:
    ordinals = lexicon().pattern(lambda language: language.dates.ordinals)
    before_month = lexicon().pattern(lambda language: language.dates.before_month)
    before_year = lexicon().pattern(lambda language: language.dates.before_year)
    return re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:{ordinals}|\.|º)?[ \-]?(?:(?:{before_month}) )?(?P<n>{_WORD})"
        rf"\.?,?[ \-]?(?:(?:{before_year}) )?(?P<y>{YEAR})(?!\d)",
        re.IGNORECASE,
    )


def _month_first() -> re.Pattern[str]:
    ordinals = lexicon().month_first.pattern(lambda language: language.dates.ordinals)
    return re.compile(
        rf"(?<![^\W_])(?P<n>{_WORD})\.? ?(?P<d>\d{{1,2}})(?:{ordinals})?,? ?(?P<y>{YEAR})(?!\d)",
        re.IGNORECASE,
    )


@cache
def _kinds() -> dict[str, re.Pattern[str]]:
    """Kind of a date -> the words that say so; the first that has one is the kind."""
    words = {
        "modified": lexicon().pattern(lambda language: language.dates.modified),
        "published": lexicon().pattern(lambda language: language.dates.published),
    }
    return {kind: re.compile(pattern, re.IGNORECASE) for kind, pattern in words.items()}


@cache
def _clock() -> re.Pattern[str]:
    """A time of day behind a date."""
    before = lexicon().pattern(lambda language: language.dates.before_clock)
    return re.compile(
        rf"(?:T|[ ,|·•–-]*(?:{before})?)(?P<h>\d{{1,2}})[:h](?P<n>\d\d)"
        r"(?::(?P<s>\d\d)(?:[.,]\d+)?)?(?: ?(?P<p>[ap])\.?m\b\.?)?"
        r"(?: ?(?P<z>Z\b|[+-]\d\d:?\d\d(?!\d)))?",
        re.IGNORECASE,
    )


@dataclass(frozen=True, slots=True)
class Found:
    """A date in ISO 8601 and where it stands in its text."""

    iso: str
    start: int
    end: int


def find(text: str, *, month_first: bool = False) -> Found | None:
    """The first date of a text; `month_first` says how `3/4/2024` is read.

    >>> [find(one).iso for one in ("Am 7. März 2024 um 10:30 Uhr", "2024年5月7日", "3.4.2024")]
    ['2024-03-07T10:30', '2024-05-07', '2024-04-03']
    """
    return next(find_all(text, month_first=month_first), None)


def find_all(text: str, *, month_first: bool = False) -> Iterator[Found]:
    """The dates of a text in their order."""
    text = text[:MAX_CHARS]
    if not _YEAR.search(text):
        return
    spans: list[tuple[int, int, str]] = []
    for pattern in _patterns():
        for match in pattern.finditer(text):
            iso = _iso(match, month_first=month_first)
            if iso and not any(s < match.end() and match.start() < e for s, e, _ in spans):
                spans.append((match.start(), match.end(), iso))
    for start, end, iso in sorted(spans):
        yield _timed(text, start, end, iso)


def _iso(match: re.Match[str], *, month_first: bool) -> str:
    """A match -> `2024-05-07`, `2024-05`; "" for what is no day."""
    part = match.groupdict()
    month, day = part.get("m") or part.get("m2"), part.get("d") or part.get("d2")
    if part.get("n"):
        month = str(lexicon().months.get(part["n"].lower(), 0))
    if part.get("a"):
        first_is_month = int(part["b"]) > 12 or (month_first and int(part["a"]) <= 12)
        month, day = (part["a"], part["b"]) if first_is_month else (part["b"], part["a"])
    return written(int(part["y"]), int(month or 0), int(day) if day else None)


def written(year: int, month: int, day: int | None) -> str:
    """Numbers -> ISO 8601, "" where there is no such day.

    >>> written(2024, 2, None), written(2023, 2, 29)
    ('2024-02', '')
    """
    try:
        told = date(year, month, 1 if day is None else day)
    except ValueError:
        return ""
    if told.year not in YEARS:
        return ""
    return told.isoformat() if day is not None else f"{year:04}-{month:02}"


def kind_of(words: str) -> str:
    """What the words before a date say of it: "modified", "published" or "".

    >>> kind_of("Zuletzt aktualisiert am"), kind_of("Опубликовано"), kind_of("on")
    ('modified', 'published', '')
    """
    return next((kind for kind, pattern in _kinds().items() if pattern.search(words)), "")


def votes(text: str) -> int:
    """How many dates of a text put the month first beyond doubt, less those that put the day.

    >>> votes("3/13/2024"), votes("13.3.2024"), votes("3/4/2024")
    (1, -1, 0)
    """
    pairs = _NUMBERS.finditer(text[:MAX_CHARS])
    return month_first_votes((int(one["a"]), int(one["b"])) for one in pairs)


def _timed(text: str, start: int, end: int, iso: str) -> Found:
    """The date with the time of day that stands right behind it, if any."""
    clock = _clock().match(text, end) if len(iso) == 10 else None
    if clock is None:
        return Found(iso, start, end)
    hour = int(clock["h"])
    if clock["p"]:
        hour = hour % 12 + 12 * (clock["p"].lower() == "p")
    time = f"{hour:02}:{clock['n']}" + (f":{clock['s']}" if clock["s"] else "")
    zone = (clock["z"] or "").upper()
    zone = f"{zone[:3]}:{zone[3:]}" if len(zone) == 5 else zone
    try:
        datetime.fromisoformat(f"{iso}T{time}")
    except ValueError:
        return Found(iso, start, end)
    return Found(f"{iso}T{time}{zone}", start, clock.end())


def machine(text: str, *, month_first: bool = True) -> str:
    """What programs are told (ISO 8601, seconds since 1970, RFC 2822) -> ISO 8601, "" for none.

    Texts for readers are read as well; `month_first` is as in `find`.

    >>> machine("Tue, 07 May 2024 10:30:00 +0200"), machine("1715070600")
    ('2024-05-07T10:30:00+02:00', '2024-05-07T08:30:00+00:00')
    """
    text = text[:MAX_CHARS].strip()
    if _SECONDS.fullmatch(text):
        told = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=int(text[:10]))
        return told.isoformat()
    found = find(text, month_first=month_first)
    if found is None:
        return text if re.fullmatch(YEAR, text) else ""
    return "" if found.iso.startswith("1970-01-01") else found.iso
