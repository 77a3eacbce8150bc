"""Patterns and words that mark a text, a class or a link as a date, an author or a post."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

from crfclean.lexicon import lexicon
from crfclean.lexicon.datepatterns import CLOCK, DAY_AND_MONTH, YEAR_FIRST
from crfclean.lexicon.markup import POST_MARKUP

MAX_DATE = 90  # characters of a text that may be a date with a few words beside it

TIME = re.compile(rf"{CLOCK}(?:\b|(?=[ap]m\b))", re.IGNORECASE)

_DIGIT = re.compile(r"\d")
_ENDS = " :.,()[]#»«|·•-–"
_MAX_LABEL = 60  # characters of a text that says what a date is of
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SETS = {kind: frozenset(words.split()) for kind, words in POST_MARKUP.items()}


@cache
def date_pattern() -> re.Pattern[str]:
    """Match a date with or without its year; "of" is English, as the shipped models learned it."""
    ordinals = lexicon().pattern(lambda language: language.dates.ordinals)
    months = "|".join(lexicon().month_stems)
    return re.compile(
        rf"\b{DAY_AND_MONTH}\d{{2,4}}\b|{YEAR_FIRST}|"
        rf"\b\d{{1,2}}(?:\.|{ordinals})?[ -]?(?:of )?(?:{months})\w{{0,8}}\b|"
        rf"\b(?:{months})[^\W\d_]{{0,8}}\.?[ -]\d{{1,4}}\b|"
        r"\d{4}年\s?\d{1,2}月|\d{1,2}月\d{1,2}日|\d{4}년\s?\d{1,2}월|\d{1,2}월\s?\d{1,2}일",
        re.IGNORECASE,
    )


@cache
def relative_pattern() -> re.Pattern[str]:
    """Match a date or time relative to now, as in `3 hours ago` or `yesterday`."""
    return re.compile(f"{_spaced()}|{_unspaced()}", re.IGNORECASE)


_MORE = r",? ?(?:(?:and|und|et|y|e|i|и|en|og|och|ja) )?"
"""What stands between the parts of a span of time, as in `10 months and 3 weeks`."""


def _spaced() -> str:
    """Relative dates of languages with spaces: number and unit beside "ago"; words for days."""
    words = lexicon().spaced
    units = words.pattern(lambda language: language.dates.units)
    single = words.pattern(lambda language: language.dates.one)
    ago = words.pattern(lambda language: language.dates.ago)
    before = words.pattern(lambda language: language.dates.before_units)
    days = words.pattern(lambda language: language.dates.days)
    span = rf"(?:\d{{1,4}}|{single}) ?(?:{units})\w{{0,6}}\.?"
    more = rf"(?:{_MORE}\d{{1,4}} ?(?:{units})\w{{0,6}}\.?){{0,2}}"
    return (
        rf"\b{span}{more} (?:{ago})\b|"
        rf"\b(?:{before}) \w{{1,6}} (?:{units})\w{{0,6}}{more}|\b(?:{days})\b"
    )


def _unspaced() -> str:
    """Relative dates of languages that write no spaces, as in `3小时前`."""
    words = lexicon().unspaced
    units = words.pattern(lambda language: language.dates.units)
    ago = words.pattern(lambda language: language.dates.ago)
    return rf"\d ?(?:{units})(?:{ago})|{words.pattern(lambda language: language.dates.days)}"


@cache
def span_pattern() -> re.Pattern[str]:
    """Match a text that is a span of time and no more, as in `3h` or `10 Monate 3 Wochen`."""
    units = lexicon().spaced.pattern(lambda language: language.dates.units)
    part = rf"\d{{1,3}} ?(?:{units})\w{{0,6}}\.?"
    return re.compile(
        rf"(?:{part}(?:{_MORE}{part}){{0,2}}|\d{{1,3}} ?(?:s|m|min|h|d|w|mo|y))\W{{0,2}}",
        re.IGNORECASE,
    )


@cache
def profile_pattern() -> re.Pattern[str]:
    """Match what is typical of links to members' profiles.

    Discuz links members as `mod=space&uid=7`; links to their groups (`ac=usergroup`) and to their
    posts of a thread alone (`authorid=7`) have words of profiles, too.

    >>> links = "mod=space&uid=7 ac=usergroup&gid=10 tid=5&authorid=7 mod=space&uid=7&do=thread"
    >>> [bool(profile_pattern().search(link)) for link in links.split()]
    [True, False, False, False]
    """
    names = lexicon().pattern(lambda language: language.forum.profiles)
    member = r"^(?!.*(?:usergroup|[?&]authorid=|mod=space\b.*[?&]do=)).*"
    return re.compile(rf"{member}(?:{names}|/u/|/@|/~|mod=space&uid=\d)", re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=20_000)
def words_of(name: str) -> frozenset[str]:
    """Split a class or an id into words, and pairs of them joined.

    >>> sorted(words_of("postBody-wrap"))
    ['body', 'bodywrap', 'post', 'postbody', 'wrap']
    """
    parts = [part.lower() for part in _PARTS.findall(name)]
    joined = [left + right for left, right in pairwise(parts)]
    return frozenset(parts + joined)


@lru_cache(maxsize=20_000)
def kinds_of(words: frozenset[str]) -> frozenset[str]:
    """Return the kinds of `POST_MARKUP` that any of the words belongs to."""
    return frozenset(kind for kind, kind_words in _SETS.items() if words & kind_words)


def dates_other(text: str, before: str = "") -> bool:
    """Whether a folded text with a date dates a member's joining or an edit, not a post.

    `before` is the text before it in its record: what names the date may stand there.

    >>> dates_other("joined: may 2010"), dates_other("3 jahre", "mitglied seit:")
    (True, True)
    >>> dates_other("may 5, 2020 at 10:00", "edited")
    True
    >>> dates_other("5 may 2020", "joined: 2010")
    False
    """
    starts = [
        match.start() for match in (_DIGIT.search(text), date_pattern().search(text)) if match
    ]
    label = text[: min(starts)] if starts else text
    if not label.strip(_ENDS) and len(before) <= _MAX_LABEL and not _DIGIT.search(before):
        label = before
    words = label[:_MAX_LABEL].split()
    keys = {lexicon().fields.get(word.strip(_ENDS)) for word in words}
    return bool(keys & {"joined", "edited"})


def looks_like_date(text: str) -> bool:
    """Whether a short text has a date, a relative date, or a time of day."""
    if len(text) > MAX_DATE:
        return False
    return bool(date_pattern().search(text) or relative_pattern().search(text) or TIME.search(text))
