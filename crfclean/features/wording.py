"""Read what blocks begin with, and where their links lead."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from crfclean.core.native import CORE
from crfclean.features.markup import MAX_NAME_CHARS, core_words
from crfclean.lexicon import lexicon
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import NETWORK_HOSTS, NETWORKS, group_bit
from crfclean.page.measures import Measures, once
from crfclean.types import Bools, Ints, Kind

# What blocks begin with

_MAX_PHRASE_WORDS = 12  # a longer block is more than a phrase of a group
_MAX_KIND_WORDS = 60  # a longer block is more than a phrase of a kind
_MAX_NETWORKS_WORDS = 15  # of a row of networks
_MAX_PHRASE_CHARS = 80  # of a block that are searched for a phrase
_MAX_NETWORKS_CHARS = 200  # of a block that are searched for names of networks

_BY_GROUP = {
    "teaser": Kind.TEASER,
    "promo": Kind.PROMO,
    "notice": Kind.NOTICE,
    "legal": Kind.LEGAL,
}
"""Group of `KIND_GROUPS` -> kind of any short block."""

_KIND_MARKS = " \u00a0\"'\u2018\u201c\u00ab\u00bb\u2192>*-\u2013\u2022"
"""Characters before a phrase of a kind."""


class Beginnings(NamedTuple):
    """What the first words of each block say, shape (n,) each.

    `groups` are places in `PHRASE_GROUPS`, -1 for none; if several phrases fit, it is the first
    group in their order. `kinds` are those of `KIND_GROUPS`, 0 for none: of several phrases the
    longest counts ("subscribe now to read" is no "subscribe"). `networks` says of a block that it
    only names networks. Blocks of too many words for a phrase have none.
    """

    groups: Ints
    kinds: Ints
    networks: Bools


@once
def beginnings(page: Measures) -> Beginnings:
    """What the first words of each block say."""
    groups, kinds, networks = CORE.beginnings(page.plain_texts, page.words, *_phrase_params())
    return Beginnings(
        np.frombuffer(groups, np.int32),
        np.frombuffer(kinds, np.int32),
        np.frombuffer(networks, np.bool_),
    )


@cache
def _phrase_params() -> tuple[Any, ...]:
    """Phrases, names and bounds for the core, in its order."""
    table, phrases = CORE.Phrases, list(_group_phrases())
    groups = [PHRASE_GROUPS.index(group) for _, group in phrases]
    kinds = [
        (phrase, int(_BY_GROUP[group]))
        for group, phrases in lexicon().kind_phrases.items()
        for phrase in phrases
    ]
    return (
        (
            table([(phrase, place) for place, (phrase, _) in enumerate(phrases)]),
            np.array(groups, np.int32),
            PHRASE_GROUPS.index("legal"),  # of the mark of copyright
        ),
        (table(kinds), _KIND_MARKS),
        table([(name, 0) for name in sorted(NETWORKS.split())]),
        (_MAX_PHRASE_CHARS, _MAX_NETWORKS_CHARS),
        (_MAX_PHRASE_WORDS, _MAX_KIND_WORDS, _MAX_NETWORKS_WORDS),
    )


def _group_phrases() -> Iterator[tuple[str, str]]:
    """The phrases of all groups, in their order, with their group; a digit is any of ten."""
    for group, phrases in lexicon().block_phrases.items():
        for phrase in phrases.split("|"):
            plain = phrase.replace("\\.", ".")
            digits = "0123456789" if "\\d" in plain else ("",)
            yield from ((plain.replace("\\d", digit), group) for digit in digits)


def opening_groups(page: Measures) -> Ints:
    """The place in `PHRASE_GROUPS` of the phrase that each short block begins with, -1 for none.

    If several fit, it is the first one in the order of `PHRASE_GROUPS`. Shape (n,).
    """
    return beginnings(page).groups


_EVERY_GROUP = np.arange(len(PHRASE_GROUPS), dtype=np.int32)


@once
def opening_phrases(page: Measures) -> Bools:
    """Whether each short block begins with a phrase of each group, shape (n, groups)."""
    phrases: Bools = opening_groups(page)[:, None] == _EVERY_GROUP
    return phrases


# Where links lead

_HREF_CHARS = 200  # of an address that are read
_MAX_HOME_CHARS = 100  # of an address of a site's first page
_TAGGED = group_bit("tag") | group_bit("author")
_SHARING = group_bit("share")
_ACTIONS = ("javascript:", "mailto:", "tel:")


@once
def link_targets(page: Measures) -> tuple[Ints, list[str]]:
    """The block that each link begins in, and its address, of which `_HREF_CHARS` are read."""
    nodes = page.nodes
    if "a" not in page.tag_names:
        return np.zeros(0, nodes.first_block.dtype), []
    places = (page.tag_codes, page.tag_names.index("a"), nodes.first_block, len(page))
    rows, hrefs = CORE.links(nodes.attributes, *places, "href", _HREF_CHARS)
    return np.frombuffer(rows, np.int32), hrefs


@once
def href_bits(page: Measures) -> bytes:
    """The kinds of each of the `link_targets` as bits.

    They say whether it leads inside the page; to a script, mail or telephone; has a scheme or host;
    leads to pages of tags or authors, and to sharing (both by the words of the address); is on the
    host of a network; is a site's first page.
    """
    bits: bytes = CORE.href_bits(link_targets(page)[1], *_href_params())
    return bits


@cache
def _href_params() -> tuple[Any, ...]:
    """Words, beginnings and bounds of addresses, for the core."""
    hosts = CORE.Words(dict.fromkeys(NETWORK_HOSTS, 0), frozenset())
    bounds = (MAX_NAME_CHARS, _MAX_HOME_CHARS, _HREF_CHARS)
    return core_words(), hosts, _ACTIONS, (_TAGGED, _SHARING), bounds
