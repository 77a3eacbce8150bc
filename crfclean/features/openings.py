"""Tell teasers, promotion, notices, navigation and legal text by how short blocks begin."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from crfclean.core import native
from crfclean.features.networks import is_network_row
from crfclean.features.wording import lowered_heads, opening_groups
from crfclean.lexicon import lexicon
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import in_heading, linked
from crfclean.types import Bools, Ints, Kind
from crfclean.types.pattern import late_pattern

MAX_PHRASE_WORDS = {Kind.TEASER: 8, Kind.PROMO: 25, Kind.NOTICE: 45, Kind.LEGAL: 60}
"""Kind -> words above which a block is more than a phrase of it."""

_MAX_WORDS_BY_KIND = np.array([MAX_PHRASE_WORDS.get(kind, 0) for kind in Kind], np.int32)
"""`MAX_PHRASE_WORDS` by the number of the kind, 0 for kinds without phrases."""

_MAX_READ_ALSO_WORDS = 25  # of a link that a phrase for teasers begins

_MAX_LABEL_WORDS = 2  # of a block that is only the word for advertisements
_LINKED = 0.5  # of a block's characters: a block with more is a link
_KEY_CHARS = 4  # of a phrase, by which it is looked up

_BY_PHRASE = {
    "related": Kind.TEASER,
    "share": Kind.PROMO,
    "subscribe": Kind.PROMO,
    "ad": Kind.PROMO,
    "legal": Kind.LEGAL,
    "navigate": Kind.NAVIGATION,
}
"""Group of `PHRASE_GROUPS` -> kind of a block that is a link; of the first one also headings."""

_KIND_OF_GROUP = np.array([_BY_PHRASE.get(group, 0) for group in (*PHRASE_GROUPS, "")], np.int32)
"""Kind by the number of the group, 0 for groups that say nothing of it; the last is no group."""

_AD = PHRASE_GROUPS.index("ad")

_BY_GROUP = {
    "teaser": Kind.TEASER,
    "promo": Kind.PROMO,
    "notice": Kind.NOTICE,
    "legal": Kind.LEGAL,
}
"""Group of `KIND_GROUPS` -> kind of any short block."""


_WORD_GOES_ON = late_pattern(r"[a-z\u00df-\u024f\u0370-\u052f]{2}")
"""A letter of an alphabet before another: a phrase that ends there is another word."""


_MARKS = " \u00a0\"'\u2018\u201c\u00ab\u00bb\u2192>*-\u2013\u2022"
"""Characters before a phrase."""


@cache
def _phrases() -> dict[str, list[tuple[str, Kind]]]:
    """First characters (of a shorter phrase: all) -> phrases and their kinds, the longest first."""
    table: dict[str, list[tuple[str, Kind]]] = {}
    for group, phrases in lexicon().kind_phrases.items():
        for phrase in phrases:
            table.setdefault(phrase[:_KEY_CHARS], []).append((phrase, _BY_GROUP[group]))
    for pairs in table.values():
        pairs.sort(key=lambda pair: -len(pair[0]))  # "subscribe now to read" is no "subscribe"
    return table


def _phrase_kind(text: str) -> int:
    """The kind of the phrase that a text in lower case begins with, 0 for none."""
    plain = text.lstrip(_MARKS)
    for size in range(_KEY_CHARS, 0, -1):  # the mark of copyright is a phrase of its own
        key = plain[:size]
        for phrase, kind in _phrases().get(key, ()):
            if plain.startswith(phrase) and not _WORD_GOES_ON.match(plain, len(phrase) - 1):
                return int(kind)
    return 0


@cache
def _core_phrases() -> Any:
    """The phrases for the core."""
    phrases = [(phrase, int(kind)) for pairs in _phrases().values() for phrase, kind in pairs]
    return native.CORE.Phrases(phrases)


def _phrase_kinds(texts: list[str]) -> Ints:
    """The `_phrase_kind` of each text, shape (texts,)."""
    if native.CORE is None:
        return np.array([_phrase_kind(text) for text in texts], np.int32)
    return np.maximum(np.frombuffer(_core_phrases().longest(texts, _MARKS), np.int32), 0)


@once
def sure_kinds(page: Measures) -> Ints:
    """The kind of the phrase that each short block begins with, 0 for none; shape (n,)."""
    kinds, most = np.zeros(len(page), np.int32), max(MAX_PHRASE_WORDS.values())
    short, heads = np.flatnonzero(page.words <= most), lowered_heads(page)
    kinds[short] = _phrase_kinds([heads[index] for index in short.tolist()])
    if not kinds.any():
        return kinds
    most_words = _MAX_WORDS_BY_KIND.take(kinds)
    links = (linked(page) > _LINKED) & (kinds == Kind.TEASER)
    most_words[links] = _MAX_READ_ALSO_WORDS
    kinds[page.words > most_words] = 0
    return kinds


@once
def opening_kinds(page: Measures) -> Ints:
    """The `Kind` of each short block by its first words, 0 for none; shape (n,).

    Words of a feature ("share", "next") say so of links alone, phrases of `KIND_GROUPS` of any
    short block but a heading, which is what the blocks below it are.
    """
    groups = opening_groups(page)
    is_link = linked(page) > _LINKED
    labels = (groups == _AD) & (page.words <= _MAX_LABEL_WORDS)
    said = np.where(is_link | labels, _KIND_OF_GROUP.take(groups), 0)
    sure = np.where(in_heading(page) & ~is_link, 0, sure_kinds(page))
    said[is_network_row(page)] = Kind.PROMO
    merged: Ints = np.where(sure > 0, sure, said).astype(np.int32)
    return merged


@once
def teaser_headings(page: Measures) -> Bools:
    """Whether each block is a line or heading that announces links to other pages, shape (n,)."""
    heading = (opening_groups(page) == PHRASE_GROUPS.index("related")) & in_heading(page)
    said: Bools = heading | (sure_kinds(page) == Kind.TEASER)
    short: Bools = said & (page.words <= MAX_PHRASE_WORDS[Kind.TEASER])
    return short
