"""A text that names authors -> their names, without roles, titles and addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from crfclean.lexicon import lexicon
from crfclean.metadata.candidates import folded, plain
from crfclean.metadata.dates import find

MAX_CHARS = 300  # of a text that names authors
MAX_NAME = 60  # characters of a name
MAX_WORDS = 6
MAX_NAMES = 30

_CREDENTIAL = re.compile(
    r"[A-Z][a-z]{0,2}\.?-?(?:[A-Z][a-zA-Z]{0,3}\.?-?){1,3}®?|(?:[A-Z]\.){2,5}|ph\.?\s?d\.?|[a-z.]*m\.?d\.?|esq\.?|"
    r"[A-Z-]{2,8}®?(?:\s[A-Z0-9-]{2,8}|\s\d+)*|jr\.?|sr\.?|ii|iii",
)
_DEGREES_BEHIND = re.compile(r"(?<=\w\s\w)(\w*)\s(?:[A-Z]{2,6}®?\s?)+$")
_ADDRESS = re.compile(r"https?://\S*|www\.\S+|(?:^|\s)/\S+/\S*")
_MAIL_WITH_NAME = re.compile(r"[^\s()<>]+@[^\s()<>]+\s*[(<]([^()<>]+)[)>]")
_BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True, slots=True)
class _Patterns:
    """What is cut off names, and what is none."""

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
    """What stands before names in languages with white space, as alternatives of a pattern."""
    return lexicon().spaced.pattern(lambda language: language.bylines.by)


def unspaced_by() -> str:
    """What stands before a mark and names in languages without white space."""
    return lexicon().unspaced.pattern(lambda language: language.bylines.by)


def _end() -> re.Pattern[str]:
    """What ends names."""
    words = lexicon()
    whole = words.pattern(lambda language: language.bylines.end_words)
    weekdays = "|".join(words.words(lambda language: language.dates.weekdays))
    before_date = words.pattern(lambda language: language.dates.before_date)
    end = words.pattern(lambda language: language.bylines.end)
    return re.compile(
        rf"\s+[|•·–—/]\s+|[|•·]|\s-\s|\n|\[|<| @|\b(?:on )?(?:{whole}|{weekdays})\b|{end}|"
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
    """The names of a text in their order, each once; none where it names nobody.

    >>> names_of("By Ann Lee, MD and Bob  Roe | May 7, 2024")
    ('Ann Lee', 'Bob Roe')
    """
    text = plain(text, MAX_CHARS)
    mail = _MAIL_WITH_NAME.fullmatch(text)
    text = mail[1] if mail else _ADDRESS.sub(" ", text).strip()
    text = _head(_without_by(" ".join(_BRACKETS.sub(" ", text).split())))
    if _patterns().others.match(text):
        return ()
    if re.fullmatch(r"\w+, \w+\.?(?: \w\.?)?", text) and not _is_no_name(text.split(", ")[1]):
        text = " ".join(reversed(text.split(", ")))
    found = dict.fromkeys(_split(text))
    return tuple(found)[:MAX_NAMES]


def _without_by(text: str) -> str:
    for _ in range(3):
        match = _patterns().by.match(text) or _patterns().unspaced_by.match(text)
        if not match:
            break
        text = text[match.end() :]
    return text.strip()


def _head(text: str) -> str:
    """What stands before a date, a separator or what else is no name; a date in front goes."""
    day = find(text)
    if day and day.start < 4:
        text = text[day.end :].lstrip(" ,;:.-–—|•·/")
    cut = _patterns().end.search(text, 1)
    text = text[: cut.start()] if cut else text
    day = find(text)
    return (text[: day.start] if day else text).strip(" ,;:.-–—|•·")


def _split(text: str) -> Iterator[str]:
    for number, part in enumerate(_patterns().joins.split(text)):
        bare = _patterns().before_last.sub("", part.strip(" .:;-–—|•·\"“”'’"))
        if number and _is_no_name(bare):
            continue
        if any(map(str.islower, bare)):
            bare = _DEGREES_BEHIND.sub(r"\1", bare)
        if is_name(bare):
            yield bare


def _is_no_name(part: str) -> bool:
    """Whether what follows a name and a comma is a degree or a role."""
    return bool(_CREDENTIAL.fullmatch(part) or _patterns().role.search(part))


def is_name(text: str) -> bool:
    """Whether a text may be somebody's name.

    >>> [is_name(one) for one in ("Ann Lee", "12", "the first of all our many cats", "admin")]
    [True, False, False, False]
    """
    words = folded(text).split()
    if not words or len(text) > MAX_NAME or len(words) > MAX_WORDS:
        return False
    if _no_part().intersection(words) or " ".join(words).removeprefix("the ") in _nobody():
        return False
    months = lexicon().months.keys()
    dated = len(words) <= 3 and any(map(str.isdigit, words)) and months & set(words)
    return any(map(str.isalpha, text)) and not dated


def name_key(names: tuple[str, ...]) -> str:
    """What tells two sets of authors apart: their names without titles, in order.

    >>> name_key(("Dr. Ann Lee", "Bob")) == name_key(("bob", "Ann Lee"))
    True
    """
    return "; ".join(sorted({folded(_patterns().titles.sub("", name)) for name in names}))
