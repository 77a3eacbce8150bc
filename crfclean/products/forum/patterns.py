"""Patterns and words that mark a text, a class or a link as a date, an author or a post."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import pairwise

from crfclean.lexicon import lexicon
from crfclean.lexicon.markup import POST_MARKUP
from crfclean.products.forum.post_dates import MAX_DATE, TIME, date_pattern, relative_pattern

_DIGIT = re.compile(r"\d")
_ENDS = " :.,()[]#»«|·•-–"
_MAX_LABEL = 60  # characters of a label such as `Joined:`
_WEEKDAY = 4  # characters before a date that are at most its weekday
_PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SETS = {kind: frozenset(words.split()) for kind, words in POST_MARKUP.items()}


@cache
def profile_pattern() -> re.Pattern[str]:
    """Match links to members' profiles.

    Discuz links members as `mod=space&uid=7`. Its links to groups of members (`ac=usergroup`) and
    to a member's posts in a thread (`authorid=7`) have words for profiles as well.

    >>> links = "mod=space&uid=7 ac=usergroup&gid=10 tid=5&authorid=7 mod=space&uid=7&do=thread"
    >>> [bool(profile_pattern().search(link)) for link in links.split()]
    [True, False, False, False]
    """
    names = lexicon().pattern(lambda language: language.forum.profiles)
    member = r"^(?!.*(?:usergroup|[?&]authorid=|mod=space\b.*[?&]do=)).*"
    return re.compile(rf"{member}(?:{names}|/u/|/@|/~|mod=space&uid=\d)", re.IGNORECASE | re.DOTALL)


@lru_cache(maxsize=20_000)
def name_words(name: str) -> frozenset[str]:
    """Split a class or an id into words, and pairs of them joined.

    >>> sorted(name_words("postBody-wrap"))
    ['body', 'bodywrap', 'post', 'postbody', 'wrap']
    """
    parts = [part.lower() for part in _PARTS.findall(name)]
    joined = [left + right for left, right in pairwise(parts)]
    return frozenset(parts + joined)


@lru_cache(maxsize=20_000)
def markup_kinds(words: frozenset[str]) -> frozenset[str]:
    """Return the kinds of `POST_MARKUP` that any of the words belongs to."""
    return frozenset(kind for kind, kind_words in _SETS.items() if words & kind_words)


def own_name(name: str) -> str:
    """The last part of an element's name, without the names of its parents."""
    return name.rpartition("/")[2].rpartition(">")[2]


def date_shapes(mask: str) -> tuple[str, ...]:
    """Name the kinds of dates in a short masked text, as `looks_like_date` finds them.

    >>> date_shapes("yesterday, 00:00"), date_shapes("0 may 0000")
    (('relative', 'time'), ('date',))
    """
    return _date_shapes(mask) if len(mask) <= MAX_DATE else ()


@lru_cache(maxsize=20_000)
def _date_shapes(mask: str) -> tuple[str, ...]:
    shapes = {"date": date_pattern(), "relative": relative_pattern(), "time": TIME}
    if "0" not in mask:  # as in `yesterday` and `an hour ago`
        del shapes["date"], shapes["time"]
    return tuple(name for name, pattern in shapes.items() if pattern.search(mask))


@lru_cache(maxsize=20_000)
def name_kinds(name: str) -> frozenset[str]:
    """Return the kinds that an element's name says."""
    return markup_kinds(name_words(own_name(name)))


def is_beside_words(name: str) -> bool:
    """Return whether an element's name says that it holds something other than a post's words."""
    kinds = name_kinds(name)
    return "not_body" in kinds and "body" not in kinds


def dates_other(text: str, before: str = "") -> bool:
    """Return whether the date in a folded text is that of a member's joining or of an edit.

    `before` is the text before it in its record, which may have the label of the date.

    >>> dates_other("joined: may 2010"), dates_other("sat may 8, 2010", "mitglied seit:")
    (True, True)
    >>> dates_other("may 5, 2020 at 10:00", "edited")
    True
    >>> dates_other("5 may 2020", "joined: 2010")
    False
    """
    digit = _DIGIT.search(text)  # a date has one, so few texts need the longer pattern
    date = digit and date_pattern().search(text)
    label = text[: min(match.start() for match in (digit, date) if match)] if digit else text
    is_bare = len(label.strip(_ENDS)) <= _WEEKDAY
    if is_bare and len(before) <= _MAX_LABEL and not _DIGIT.search(before):
        label = before
    words = label[:_MAX_LABEL].split()
    keys = {lexicon().fields.get(word.strip(_ENDS)) for word in words}
    return bool(keys & {"joined", "edited"})
