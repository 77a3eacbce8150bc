"""A text -> the date in it, in ISO 8601 with the precision that it has.

Names of months in ten languages, numbers in any order, Chinese and Japanese dates. A date counted
from today ("3 days ago") is none: nobody knows the day on which the page was fetched.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone

MAX_CHARS = 200  # of a text that may hold a date
YEARS = range(1900, 2101)

_MONTHS = """
january jan jan. januar jänner janvier janv enero ene leden ledna styczeń stycznia sty январь
января янв gennaio gen janeiro
february feb februar feber février févr fév fevrier febrero únor února luty lutego lut февраль
февраля фев febbraio fevereiro fev
march mar märz mär mrz mars marzo březen března bře marzec marca марта март мар março
april apr avril avr abril abr duben dubna dub kwiecień kwietnia kwi апрель апреля апр aprile
may mai mayo květen května kvě maj maja май мая maggio mag maio
june jun juni juin junio červen června čvn czerwiec czerwca cze июнь июня июн giugno giu junho
july jul juli juillet juil julio červenec července čvc lipiec lipca lip июль июля июл luglio lug
julho
august aug août aout agosto ago srpen srpna srp sierpień sierpnia sie август августа авг
september sep sept septembre septiembre set září zář wrzesień września wrz сентябрь сентября сен
сент settembre setembro
october oct oktober okt octobre octubre říjen října říj październik października paź октябрь
октября окт ottobre ott outubro out
november nov novembre noviembre listopad listopadu lis listopada ноябрь ноября ноя нояб novembro
december dec dezember dez décembre déc decembre diciembre dic prosinec prosince pro grudzień
grudnia gru декабрь декабря дек dicembre dezembro
"""
_FIRST = "january february march april may june july august september october november december"


def _months() -> dict[str, int]:
    """Name of a month -> its number: a month's names stand from its English one on."""
    numbers, number = {}, 0
    for name in _MONTHS.split():
        number += name in _FIRST.split()
        numbers[name.rstrip(".")] = number
    return numbers


MONTHS = _months()

_YEAR = re.compile(r"(?:19|20)\d\d")  # what every date has
_ISO = re.compile(
    r"(?<![\d-])(?P<y>(?:19|20)\d\d)(?:(?P<s>[-/.])(?P<m>\d{1,2})(?:(?P=s)(?P<d>\d{1,2})(?!\d))?"
    r"|(?P<m2>\d\d)(?P<d2>\d\d))(?!\d)"
)
_WORD = r"[^\W\d_]{3,12}"
_DAY_FIRST = re.compile(
    rf"(?<!\d)(?P<d>\d{{1,2}})(?:st|nd|rd|th|er|\.|º)?[ \-]?(?:de |of )?(?P<n>{_WORD})"
    r"\.?,?[ \-]?(?:de |del )?(?P<y>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"(?<![^\W_])(?P<n>{_WORD})\.? ?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?,? ?"
    r"(?P<y>(?:19|20)\d\d)(?!\d)",
    re.IGNORECASE,
)
_MONTH_ALONE = re.compile(
    rf"(?<![^\W_])(?<!\d )(?<!\d\. )(?P<n>{_WORD})\.?,? (?:de )?(?P<y>(?:19|20)\d\d)(?!\d)"
)
_NUMBERS = re.compile(
    r"(?<![\d./-])(?P<a>\d{1,2})(?P<s>[./-]) ?(?P<b>\d{1,2})(?P=s) ?(?P<y>(?:19|20)\d\d)(?!\d)"
)
_CJK = re.compile(r"(?P<y>(?:19|20)\d\d) ?年 ?(?P<m>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?日)?")
_MODIFIED = re.compile(
    r"updat|modified|revised|reviewed|last edit|changed|aktualisiert|geändert|überarbeitet|"
    r"stand[: ]|"
    r"mis à jour|modifié|actualizad|modificad|upraven|aktualiz|zaktualiz|zmian|обновл|измен|"
    r"更新|修改|aggiornat|atualizad",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(
    r"publish|posted|written|created|released|first appeared|veröffentlicht|erschienen|erstellt|"
    r"publié|paru|rédigé|publicad|escrito|vydán|publikov|zveřejn|vytvořen|opublik|dodan|data:|datum|"
    r"date|fecha|опублик|дата|размещ|发布|發佈|时间|日期|pubblicat",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:T|[ ,|·•–-]*(?:at |um |v |в |à |o |a las |kl\. ?)?)(?P<h>\d{1,2})[:h](?P<n>\d\d)"
    r"(?::(?P<s>\d\d)(?:[.,]\d+)?)?(?: ?(?P<p>[ap])\.?m\b\.?)?"
    r"(?: ?(?P<z>Z\b|[+-]\d\d:?\d\d(?!\d)))?",
    re.IGNORECASE,
)
_SECONDS = re.compile(r"1\d{9}(?:\d{3})?")


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
    for pattern in (_ISO, _CJK, _DAY_FIRST, _MONTH_FIRST, _NUMBERS, _MONTH_ALONE):
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
        month = str(MONTHS.get(part["n"].lower(), 0))
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
    if _MODIFIED.search(words):
        return "modified"
    return "published" if _PUBLISHED.search(words) else ""


def votes(text: str) -> int:
    """How many dates of a text put the month first beyond doubt, less those that put the day.

    >>> votes("3/13/2024"), votes("13.3.2024"), votes("3/4/2024")
    (1, -1, 0)
    """
    pairs = [(int(one["a"]), int(one["b"])) for one in _NUMBERS.finditer(text[:MAX_CHARS])]
    return sum((b > 12) - (a > 12) for a, b in pairs)


def _timed(text: str, start: int, end: int, iso: str) -> Found:
    """The date with the time of day that stands right behind it, if any."""
    clock = _CLOCK.match(text, end) if len(iso) == 10 else None
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
        return text if re.fullmatch(r"(?:19|20)\d\d", text) else ""
    return "" if found.iso.startswith("1970-01-01") else found.iso
