"""Read what blocks begin with: phrases, and names of social networks."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import regex

from crfclean.core import native
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import NETWORKS
from crfclean.page.measures import Measures, once
from crfclean.types import Bools, Ints, Kind

MAX_PHRASE_WORDS = 12  # a longer block is more than a phrase of a group
MAX_KIND_WORDS = 60  # a longer block is more than a phrase of a kind
MAX_NETWORKS_WORDS = 15  # of a row of networks
MAX_PHRASE_CHARS = 80  # of a block that are searched for a phrase
MAX_NETWORKS_CHARS = 200  # of a block that are searched for names of networks


class Beginnings(NamedTuple):
    """What the first words of each block say, shape (n,) each.

    `groups` are places in `PHRASE_GROUPS`, -1 for none; if several phrases fit, it is the first
    group in their order. `kinds` are those of `KIND_GROUPS`, 0 for none. `networks` says of a block
    that it only names networks. Blocks of too many words for a phrase have none.
    """

    groups: Ints
    kinds: Ints
    networks: Bools


# Phrases of groups

_MARKS = regex.compile(r"[\W_]*+")
_Phrase = tuple[str, "regex.Pattern[str] | None", str]


@cache
def _group_phrases() -> dict[str, list[_Phrase]]:
    """First two characters -> phrases: literal part, pattern of the whole if it is one, group."""
    by_start: dict[str, list[_Phrase]] = {}
    for group, phrases in lexicon().block_phrases.items():
        for phrase in phrases.split("|"):
            literal, escape, _ = phrase.partition("\\")
            pattern = regex.compile(phrase) if escape else None
            by_start.setdefault(literal[:2], []).append((literal, pattern, group))
    return by_start


def opening_group(text: str) -> str:
    """The group of the phrase that a lower-case text begins with after marks, "" for none."""
    unmarked = text if text[0].isalpha() else _MARKS.sub("", text, count=1)
    for literal, pattern, group in _group_phrases().get(unmarked[:2], ()):
        if unmarked.startswith(literal) and (pattern is None or pattern.match(unmarked)):
            return group
    marks = text[: len(text) - len(unmarked)]
    return "legal" if "©" in marks else ""  # the only phrase that is a mark


_PLACES = {name: column for column, name in enumerate(PHRASE_GROUPS)} | {"": -1}


# Phrases of kinds

_KEY_CHARS = 4  # of a phrase, by which it is looked up

_BY_GROUP = {
    "teaser": Kind.TEASER,
    "promo": Kind.PROMO,
    "notice": Kind.NOTICE,
    "legal": Kind.LEGAL,
}
"""Group of `KIND_GROUPS` -> kind of any short block."""

_WORD_GOES_ON = re.compile(r"[a-z\u00df-\u024f\u0370-\u052f]{2}")
"""A letter of an alphabet before another: a phrase that ends there is another word."""

_KIND_MARKS = " \u00a0\"'\u2018\u201c\u00ab\u00bb\u2192>*-\u2013\u2022"
"""Characters before a phrase."""


@cache
def _kind_phrases() -> dict[str, list[tuple[str, Kind]]]:
    """First characters (of a shorter phrase: all) -> phrases and their kinds, the longest first."""
    table: dict[str, list[tuple[str, Kind]]] = {}
    for group, phrases in lexicon().kind_phrases.items():
        for phrase in phrases:
            table.setdefault(phrase[:_KEY_CHARS], []).append((phrase, _BY_GROUP[group]))
    for pairs in table.values():
        pairs.sort(key=lambda pair: -len(pair[0]))  # "subscribe now to read" is no "subscribe"
    return table


def phrase_kind(text: str) -> int:
    """The kind of the phrase that a text in lower case begins with, 0 for none."""
    plain = text.lstrip(_KIND_MARKS)
    for size in range(_KEY_CHARS, 0, -1):  # the mark of copyright is a phrase of its own
        key = plain[:size]
        for phrase, kind in _kind_phrases().get(key, ()):
            if plain.startswith(phrase) and not _WORD_GOES_ON.match(plain, len(phrase) - 1):
                return int(kind)
    return 0


# Names of networks

_NAMES = frozenset(NETWORKS.split())
_WORD = re.compile(r"[^\W_]+")
_BEGINS = re.compile(rf"[\W_]*(?:{'|'.join(sorted(_NAMES))})(?![^\W_])")


def names_networks(text: str) -> bool:
    """Whether a text in lower case has names of networks and no other word."""
    return bool(_BEGINS.match(text)) and _NAMES.issuperset(_WORD.findall(text))


# All of a page


@once
def beginnings(page: Measures) -> Beginnings:
    """What the first words of each block say."""
    if native.CORE is not None:
        return _by_core(page)
    count = len(page)
    groups, kinds = np.full(count, -1, np.int32), np.zeros(count, np.int32)
    networks = np.zeros(count, np.bool_)
    for place in range(count):
        groups[place], kinds[place], networks[place] = _beginning(page, place)
    return Beginnings(groups, kinds, networks)


def _beginning(page: Measures, place: int) -> tuple[int, int, bool]:
    """Group, kind, and whether only networks are named, of a block."""
    text, words = page.texts[place], page.words[place]
    head = text[:MAX_PHRASE_CHARS].lower()
    return (
        _PLACES[opening_group(head)] if words <= MAX_PHRASE_WORDS else -1,
        phrase_kind(head) if words <= MAX_KIND_WORDS else 0,
        words <= MAX_NETWORKS_WORDS and names_networks(text[:MAX_NETWORKS_CHARS].lower()),
    )


def _by_core(page: Measures) -> Beginnings:
    """The same by the core, which leaves rare letters and patterns to Python."""
    *rows, odd = native.CORE.beginnings(page.texts, page.words, *_core_params())
    groups, kinds = (np.frombuffer(row, np.int32) for row in rows[:2])
    networks = np.frombuffer(rows[2], np.bool_)
    if odd:
        groups, kinds, networks = groups.copy(), kinds.copy(), networks.copy()
        for place in np.frombuffer(odd, np.int32).tolist():
            groups[place], kinds[place], networks[place] = _beginning(page, place)
    return Beginnings(groups, kinds, networks)


@cache
def _core_params() -> tuple[Any, ...]:
    """Phrases, names and bounds for the core, in its order.

    A single character is no phrase to it, since one begins a text that is not longer alone.
    """
    phrases = [phrase for phrases in _group_phrases().values() for phrase in phrases]
    pairs = [(phrase[0], place) for place, phrase in enumerate(phrases) if len(phrase[0]) > 1]
    groups = [_SEE if pattern else _PLACES[group] for _, pattern, group in phrases]
    single = "".join(phrase for phrase, _, _ in phrases if len(phrase) < 2)
    kinds = [(phrase, int(kind)) for pairs in _kind_phrases().values() for phrase, kind in pairs]
    table = native.CORE.Phrases
    return (
        (table(pairs), np.array(groups, np.int32), single, _PLACES["legal"]),
        (table(kinds), _KIND_MARKS),
        table([(name, 0) for name in sorted(_NAMES)]),
        (MAX_PHRASE_CHARS, MAX_NETWORKS_CHARS),
        (MAX_PHRASE_WORDS, MAX_KIND_WORDS, MAX_NETWORKS_WORDS),
    )


_SEE = -2  # Python must see
