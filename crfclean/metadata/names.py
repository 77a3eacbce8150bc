"""Extract the names of authors from a byline, without roles, titles and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import folded, single_line
from crfclean.metadata.dates import find_date

MAX_BYLINE_CHARS = 300
_MAX_NAME_CHARS = 60
_MAX_NAME_WORDS = 6
_MAX_NAMES = 30

# a part behind a comma: "MD", "Ph.D.", "R.N.", "CFA", "iii"
_CREDENTIAL = re.compile(
    r"[A-Z][a-z]{0,2}\.?-?(?:[A-Z][a-zA-Z]{0,3}\.?-?){1,3}®?|(?:[A-Z]\.){2,5}|ph\.?\s?d\.?|[a-z.]*m\.?d\.?|esq\.?|"
    r"[A-Z-]{2,8}®?(?:\s[A-Z0-9-]{2,8}|\s\d+)*|jr\.?|sr\.?|ii|iii",
)
# "Ann Lee MD RDN"
_DEGREES_BEHIND = re.compile(r"(?<=\w\s\w)(\w*)\s(?:[A-Z]{2,6}®?\s?)+$")
_ADDRESS = re.compile(r"https?://\S*|www\.\S+|(?:^|\s)/\S+/\S*")
# "ann@x.example (Ann Lee)", as RSS writes authors
_MAIL_WITH_NAME = re.compile(r"[^\s()<>]+@[^\s()<>]+\s*[(<]([^()<>]+)[)>]")
_BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """Patterns of what surrounds names, and of what is no name."""

    by: re.Pattern[str]
    unspaced_by: re.Pattern[str]
    end: re.Pattern[str]
    joins: re.Pattern[str]
    before_last: re.Pattern[str]
    role: re.Pattern[str]
    others: re.Pattern[str]
    titles: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    words = lexicon()
    editors = words.unspaced.pattern(lambda language: language.bylines.editors)
    before_last = words.pattern(lambda language: language.bylines.before_last)
    roles = words.pattern(lambda language: language.bylines.roles)
    titles = "|".join(words.words(lambda language: language.bylines.titles))
    return _Patterns(
        re.compile(rf"(?:{by()})(?:\(s\))?\s*(?::|：|\b(?=\s))\s*", re.IGNORECASE),
        re.compile(rf"(?:{unspaced_by()}|{editors})\s*[:：/｜|]\s*"),
        _end(),
        _joins(),
        re.compile(rf"^(?:{before_last}|&)\s+"),
        re.compile(rf"\b(?:{roles})\b", re.IGNORECASE),
        re.compile(words.pattern(lambda language: language.bylines.others), re.IGNORECASE),
        re.compile(rf"(?:(?:{titles})\.?\s)+(?=\w+\s\w)", re.IGNORECASE),
    )


def by() -> str:
    """What stands before names ("by") in languages with spaces, as alternatives of a pattern."""
    return lexicon().spaced.pattern(lambda language: language.bylines.by)


def unspaced_by() -> str:
    """What stands before a colon and names in languages without spaces."""
    return lexicon().unspaced.pattern(lambda language: language.bylines.by)


def _end() -> re.Pattern[str]:
    """What ends names."""
    words = lexicon()
    end_words = words.pattern(lambda language: language.bylines.end_words)
    weekdays = "|".join(words.words(lambda language: language.dates.weekdays))
    before_date = words.pattern(lambda language: language.dates.before_date)
    end = words.pattern(lambda language: language.bylines.end)
    return re.compile(
        rf"\s+[|•·–—/]\s+|[|•·]|\s-\s|\n|\[|<| @|\b(?:on )?(?:{end_words}|{weekdays})\b|{end}|"
        rf"\s+(?:{before_date})\s+(?=\S*\d|[A-Z][a-z]+ \d)",
        re.IGNORECASE,
    )


def _joins() -> re.Pattern[str]:
    """What stands between names."""
    words = lexicon()
    joins = words.pattern(lambda language: language.bylines.joins)
    short = words.pattern(lambda language: language.bylines.joins_capitals)
    capital = "(?-i:[A-ZÀ-ÞĀ-ŽА-ЯЁ])"
    return re.compile(
        rf"\s*(?:;|,|，|、|\n|\s&\s|\s\+\s|\s(?:{joins})\s"
        rf"|(?<=\w\w)\s(?:{short})\s(?={capital}\w*\s+{capital}))\s*",
        re.IGNORECASE,
    )


@cache
def _nobody() -> frozenset[str]:
    return frozenset(lexicon().words(lambda language: language.bylines.nobody))


@cache
def _no_part() -> frozenset[str]:
    return frozenset(lexicon().words(lambda language: language.bylines.no_part))


def names_of(text: str) -> tuple[str, ...]:
    """The names of a byline in their order, each once.

    >>> names_of("By Ann Lee, MD and Bob  Roe | May 7, 2024")
    ('Ann Lee', 'Bob Roe')
    """
    text = single_line(text, MAX_BYLINE_CHARS)
    mail = _MAIL_WITH_NAME.fullmatch(text)
    text = mail[1] if mail else _ADDRESS.sub(" ", text).strip()
    text = _head(_without_by(" ".join(_BRACKETS.sub(" ", text).split())))
    if _patterns().others.match(text):
        return ()
    # "Lee, Ann", but not "Lee, editor"
    if re.fullmatch(r"\w+, \w+\.?(?: \w\.?)?", text) and not _is_no_name(text.split(", ")[1]):
        text = " ".join(reversed(text.split(", ")))
    return tuple(dict.fromkeys(_split(text)))[:_MAX_NAMES]


def _without_by(text: str) -> str:
    for _ in range(3):
        match = _patterns().by.match(text) or _patterns().unspaced_by.match(text)
        if not match:
            break
        text = text[match.end() :]
    return text.strip()


def _head(text: str) -> str:
    """The text up to a date, a separator or another end of names; a date in front is dropped."""
    day = find_date(text)
    if day and day.start < 4:
        text = text[day.end :].lstrip(" ,;:.-–—|•·/")
    cut = _patterns().end.search(text, 1)
    text = text[: cut.start()] if cut else text
    day = find_date(text)
    return (text[: day.start] if day else text).strip(" ,;:.-–—|•·")


def _split(text: str) -> Iterator[str]:
    for number, part in enumerate(_patterns().joins.split(text)):
        name = _patterns().before_last.sub("", part.strip(" .:;-–—|•·\"“”'’"))
        if number and _is_no_name(name):
            continue
        if any(map(str.islower, name)):  # of "ANN LEE" the last word is no degree
            name = _DEGREES_BEHIND.sub(r"\1", name)
        if is_name(name):
            yield name


def _is_no_name(part: str) -> bool:
    """Whether a part of a byline is a degree ("MD") or a role ("editor")."""
    return bool(_CREDENTIAL.fullmatch(part) or _patterns().role.search(part))


def is_name(text: str) -> bool:
    """Whether a text may be somebody's name.

    >>> [is_name(text) for text in ("Ann Lee", "12", "the first of all our many cats", "admin")]
    [True, False, False, False]
    """
    words = folded(text).split()
    if not words or len(text) > _MAX_NAME_CHARS or len(words) > _MAX_NAME_WORDS:
        return False
    if _no_part().intersection(words) or " ".join(words).removeprefix("the ") in _nobody():
        return False
    months = lexicon().months.keys()
    is_date = len(words) <= 3 and any(map(str.isdigit, words)) and months & set(words)
    return any(map(str.isalpha, text)) and not is_date


def name_key(names: tuple[str, ...]) -> str:
    """The key of a set of authors: their names, folded, without titles, in alphabetical order.

    >>> name_key(("Dr. Ann Lee", "Bob")) == name_key(("bob", "Ann Lee"))
    True
    """
    return "; ".join(sorted({folded(_patterns().titles.sub("", name)) for name in names}))
