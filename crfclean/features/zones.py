"""Find the main heading, and what is there for comments, teasers, promotion, notices or menus.

The evidence is class, id, type and tag of block elements, the first words of short blocks, and
links: a block is what the nearest element around it is there for. What a page is made of (its main
part, what holds the main heading, most of its running text) is there for none of these. The core
finds all of it in one call (`native/zones.c`).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from crfclean.core.native import CORE
from crfclean.features.headline import likeness_to_titles
from crfclean.features.markup import named_elements, typed_elements
from crfclean.features.wording import beginnings, href_bits, link_targets
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import TAGS, group_bit
from crfclean.page.measures import Measures, once
from crfclean.page.tree import (
    HEADINGS,
    in_heading,
    is_long,
    link_words,
    linked,
    running_words,
    wider,
)
from crfclean.types import Bools, Floats, Ints, Kind

# Zones

_MOST = 0.5  # of a page's running text: an element with more is the page's content
_MAX_WORDS = 150  # of running text: "share" is a word of content, too (`id="market-share"`)
_MAX_NOTICE_WORDS = 600  # of running text: a page's articles may stand in overlays
_LINKED = 0.5  # of a block's characters, and of a box's words: a block with more is a link
_CARD_LINKED = 0.2  # of a card's words: a standfirst may be named a teaser, too
_MAX_PROMO_BOX_WORDS = 60  # of an element that its first words make promotion
_MAX_NOTICE_BOX_WORDS = 200

# Boxes of links: menus, and lists of other pages' headlines

_LEAST_LINKS = 3  # of a box: fewer may be a paragraph's
_HEADLINE_WORDS = 4  # of a link: fewer are the name of a section
_HEADLINES = 0.5  # of the words in a box's links: with more, it advertises other pages
_MOST_OF_BOXES = 0.7  # of a page's running text: the lowest element with more is its content

# The main heading: likeness to a title counts most, then a heading element, then an early place

_LEVELS = {"h1": 0.5, "h2": 0.25, "h3": 0.25}
_EARLY = 0.1  # for a place before the running text
_APART = 0.6  # against a block in a menu, a form or a box of links, or a link home
_LEAST = 0.5  # the score of a likely main heading
_TOKEN = 0.4  # the likeness of a single word that is a title's part: sections are named so, too
_APART_GROUPS = ("for_navigation", "for_promo", "for_notice", "for_teaser", "for_site")
_MAX_APART_WORDS = 150  # of running text: an element with more is no menu, whatever its name is

# First words

_MAX_LABEL_WORDS = 2  # of a block that is only the word for advertisements
_MAX_LINK_WORDS = 8  # of a link to a network: a longer one is a sentence
_MAX_READ_ALSO_WORDS = 25  # of a link that a phrase for teasers begins
_MAX_PHRASE_WORDS = {Kind.TEASER: 8, Kind.PROMO: 25, Kind.NOTICE: 45, Kind.LEGAL: 60}
"""Kind -> words above which a block is more than a phrase of it."""

_BY_PHRASE = {
    "related": Kind.TEASER,
    "share": Kind.PROMO,
    "subscribe": Kind.PROMO,
    "ad": Kind.PROMO,
    "legal": Kind.LEGAL,
    "navigate": Kind.NAVIGATION,
}
"""Group of `PHRASE_GROUPS` -> kind of a block that is a link; of the first one also headings."""

# The tables of the core

_NAMED = {
    Kind.LEGAL: "for_legal",
    Kind.NAVIGATION: "for_navigation",
    Kind.NOTICE: "for_notice",
    Kind.PROMO: "for_promo",
    Kind.TEASER: "for_teaser",
}
"""Kind -> group of `KIND_MARKUP`; of an element with words of several groups the last counts."""

_INNER = ("article", "main", "blockquote", "figure", "section")
"""Elements whose headers and footers are not the page's."""

_TAG_SETS: tuple[tuple[str, ...], ...] = (
    *(("html", "body", "main"), HEADINGS, ("figure",), _INNER, ("h1",), ("a",)),
    *(("html", "body"), ("footer", "aside")),
)
"""Sets of tags, in the order of `native/zones.c`."""

_TYPES = ("in_nav", "in_dialog", "in_header", "in_footer", "in_comment")

_KIND_OF_GROUP = np.array([_BY_PHRASE.get(group, 0) for group in PHRASE_GROUPS], np.int32)
_MAX_WORDS_BY_KIND = np.array([_MAX_PHRASE_WORDS.get(kind, 0) for kind in Kind], np.int32)


@cache
def _params() -> tuple[Ints, Floats]:
    """Kinds, bits of names and of types, groups, and bounds, for the core."""
    names = [group_bit(name) for name in (*_NAMED.values(), "comment", "for_card")]
    types = [1 << list(TAGS).index(group) for group in _TYPES]
    groups = [PHRASE_GROUPS.index(name) for name in ("ad", "related")]
    kinds = map(int, (*_NAMED, Kind.COMMENT))
    numbers = (*kinds, *names, sum(map(group_bit, _APART_GROUPS)), *types, *groups)
    bounds = (
        *(_MOST, _MAX_WORDS, _MAX_NOTICE_WORDS, _LINKED, _CARD_LINKED),
        *(_MAX_PROMO_BOX_WORDS, _MAX_NOTICE_BOX_WORDS),
        *(_LEAST_LINKS, _HEADLINE_WORDS, _HEADLINES, _MOST_OF_BOXES),
        *(_EARLY, _APART, _LEAST, _TOKEN, _MAX_APART_WORDS),
        *(_MAX_LABEL_WORDS, _MAX_LINK_WORDS),
        *(_MAX_READ_ALSO_WORDS, _MAX_PHRASE_WORDS[Kind.TEASER]),
    )
    return np.array(numbers, np.int64), np.array(bounds, np.float64)


@cache
def _bits_by_tag() -> dict[str, int]:
    """Tag -> bits of the sets that it is in."""
    bits: dict[str, int] = {}
    for number, tags in enumerate(_TAG_SETS):
        for tag in tags:
            bits[tag] = bits.get(tag, 0) | 1 << number
    return bits


def _arrays(page: Measures) -> tuple[Any, ...]:
    """What the core reads, in the order of `native/zones.c`."""
    nodes, tags, bits = page.nodes, page.tag_names, _bits_by_tag()
    which, name_bits = named_elements(page)
    return (
        *(which, typed_elements(page), nodes.inline, page.tag_codes, nodes.first_block),
        *(nodes.end_block, nodes.end, nodes.parent, wider(page)),
        *(page.node, page.words, running_words(page), link_words(page), linked(page)),
        *(is_long(page), in_heading(page), *beginnings(page), *likeness_to_titles(page)),
        *(link_targets(page)[0], href_bits(page), name_bits),
        np.array([bits.get(tag, 0) for tag in tags], np.uint16),
        np.array([_LEVELS.get(tag, 0.0) for tag in tags], np.float64),
        *(_KIND_OF_GROUP, _MAX_WORDS_BY_KIND, *_params()),
    )


class Zones(NamedTuple):
    """What is found of a page with n blocks and m elements.

    `heading` is the index of the block that is most likely the main heading, -1 if none is likely.
    `wide` (m,) says whether an element is the page, its main part, or holds the main heading: no
    word in its class says what the blocks inside are. `blocks` (n,) have the `Kind` that each is
    there for, 0 for none; `in_comments` (n,) says whether a block stands in an element that is
    there for readers' comments, by its class, id or type, at any height.
    """

    heading: int
    wide: Bools
    blocks: Ints
    in_comments: Bools


@once
def find_zones(page: Measures) -> Zones:
    """The main heading of a page, and what its blocks are there for."""
    heading, wide, blocks, in_comments = CORE.zones(_arrays(page))
    return Zones(
        heading,
        np.frombuffer(wide, np.bool_),
        np.frombuffer(blocks, np.int32),
        np.frombuffer(in_comments, np.bool_),
    )


def main_heading(page: Measures) -> int:
    """The index of the block that is most likely the main heading, -1 if none is likely.

    Models are trained with `is_headline`, a column of theirs, which may point at the site's name or
    a menu; kinds and the decision go by this one. What that column took for main headings: "Debian
    User Forums" in the banner of a thread, "Get our news in your inbox" in a form, a programming
    language's name above every chapter of its book.
    """
    return find_zones(page).heading


def zones(page: Measures) -> Ints:
    """The `Kind` of each block by what it is there for, 0 where it is nothing special; (n,)."""
    return find_zones(page).blocks
