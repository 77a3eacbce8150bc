"""Find the parts of a page that are there for comments, teasers, promotion, notices or navigation.

The evidence is class, id, type and tag of block elements: a block is what the nearest element
around it is there for. What a page is made of (its main part, what holds the main heading, most of
its running text) is there for none of these.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from crfclean.core import native
from crfclean.features.core_zones import zones_by_core
from crfclean.features.kinds import WIDE_TAGS, comment_containers, is_comment, too_wide
from crfclean.features.link_boxes import LINK_BOX_BOUNDS, link_boxes
from crfclean.features.main_heading import APART_GROUPS, HEADING_BOUNDS, main_heading
from crfclean.features.markup import elements_for, elements_typed
from crfclean.features.networks import MAX_LINK_WORDS, is_network_row
from crfclean.features.openings import (
    MAX_LABEL_WORDS,
    TEASER_BOUNDS,
    opening_kinds,
    sure_kinds,
    teaser_headings,
)
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import TAGS, group_bit
from crfclean.page.arrays import among
from crfclean.page.measures import Measures, once
from crfclean.page.memo import key_of
from crfclean.page.tree import HEADINGS, held, link_words, linked, nearest, running_words, wider
from crfclean.types import Bools, Floats, Ints, Kind

_MOST = 0.5  # of a page's running text: an element with more is the page's content
_MAX_WORDS = 150  # of running text: "share" is a word of content, too (`id="market-share"`)
_MAX_NOTICE_WORDS = 600  # of running text: a page's articles may stand in overlays
_LINKED = 0.5  # of a block's characters: a block with more is a link
_CARD_LINKED = 0.2  # of a card's words: a standfirst may be named a teaser, too
_NOTHING = 0  # no zone

_NAMED = {
    Kind.LEGAL: "for_legal",
    Kind.NAVIGATION: "for_navigation",
    Kind.NOTICE: "for_notice",
    Kind.PROMO: "for_promo",
    Kind.TEASER: "for_teaser",
}
"""Kind -> group of `KIND_MARKUP`; of an element with words of several groups the last counts."""


_FIGURE = ("figure",)
_INNER = ("article", "main", "blockquote", "figure", "section")
"""Elements whose headers and footers are not the page's."""

_MAX_BOX_WORDS = {Kind.PROMO: 60, Kind.NOTICE: 200}
"""Kind -> words of an element that its first words make one of the kind."""

_BOXES = (Kind.NAVIGATION,)
"""Kinds of elements in which a block may be another thing by its own words."""


@once
def may_be_zone(page: Measures) -> Bools:
    """Whether each element may be there for something beside the page's content, shape (m,)."""
    running = held(page, running_words(page))
    holds_most = running > _MOST * float(running_words(page).sum())
    zones: Bools = ~page.blocks.nodes.inline & ~too_wide(page) & ~holds_most
    return zones


@once
def zone_elements(page: Measures) -> Ints:
    """The `Kind` that each element is there for, 0 for none; shape (m,)."""
    if native.CORE is not None:
        return np.frombuffer(_by_core(page).elements, np.int32)
    allowed = may_be_zone(page)
    elements = np.full(len(page.blocks.nodes), _NOTHING, np.int32)
    elements[_frames(page) & allowed] = Kind.NAVIGATION
    headings = page.is_tag(HEADINGS)  # their ids say what they say
    running = held(page, running_words(page))
    long, very_long = running > _MAX_WORDS, running > _MAX_NOTICE_WORDS
    barred = dict.fromkeys(_NAMED, headings)
    barred[Kind.LEGAL] = headings | (page.inside(_FIGURE) > 0)  # a photograph's copyright
    barred[Kind.PROMO] = barred[Kind.NAVIGATION] = headings | long
    barred[Kind.NOTICE] = headings | very_long
    for kind, group in _NAMED.items():
        elements[elements_for(page, group) & allowed & ~barred[kind]] = kind
    elements[elements_typed(page, "in_nav") & allowed] = Kind.NAVIGATION
    dialogs = elements_typed(page, "in_dialog") & allowed & (held(page, page.words) <= _MAX_WORDS)
    elements[dialogs & (elements == _NOTHING)] = Kind.NOTICE
    elements[_headed_boxes(page) & allowed & (elements == _NOTHING)] = Kind.TEASER
    for kind in _MAX_BOX_WORDS:
        elements[_said_boxes(page, kind) & allowed & (elements == _NOTHING)] = kind
    boxes = link_boxes(page)
    free = allowed & (boxes > 0) & (nearest(page, elements > _NOTHING) < 0)
    elements[free] = boxes[free]
    elements[_cards(page) & allowed & (elements == _NOTHING)] = Kind.TEASER
    comments = comment_containers(page)
    elements[comments & ~(elements_for(page, "for_teaser") & allowed)] = Kind.COMMENT
    return elements


_TAG_SETS: tuple[tuple[str, ...], ...] = (WIDE_TAGS, HEADINGS, _FIGURE, _INNER, ("h1",), ("a",))
"""Sets of tags, in the order of `native/zones.c`."""

_ZONE_KINDS = (*_NAMED, Kind.COMMENT)
_TYPES = ("in_nav", "in_dialog", "in_header", "in_footer", "in_comment")


@cache
def _core_params() -> tuple[Ints, Floats]:
    """Kinds, bits of names and of types, and bounds, for the core."""
    names = [group_bit(name) for name in (*_NAMED.values(), "comment", "for_card")]
    types = [1 << list(TAGS).index(group) for group in _TYPES]
    groups = [PHRASE_GROUPS.index(name) for name in ("ad", "related")]
    words = (_MAX_WORDS, _MAX_NOTICE_WORDS)
    boxes = tuple(_MAX_BOX_WORDS.values())
    zones = (_MOST, *words, _LINKED, _CARD_LINKED, *boxes, *LINK_BOX_BOUNDS)
    bounds = (*zones, *HEADING_BOUNDS, MAX_LABEL_WORDS, MAX_LINK_WORDS, *TEASER_BOUNDS)
    apart = sum(map(group_bit, APART_GROUPS))
    numbers = (*map(int, _ZONE_KINDS), *names, apart, *types, *groups)
    return np.array(numbers, np.int64), np.array(bounds, np.float64)


class _Zones(NamedTuple):
    """What the core says, as bytes: of elements the kind, of blocks the `zones`."""

    elements: bytes
    blocks: bytes


@once
def _by_core(page: Measures) -> _Zones:
    """Elements and blocks by the core, which also keeps other functions' values."""
    memo = page.memo
    known = memo.get(key_of(main_heading))
    answer = zones_by_core(page, _TAG_SETS, *_core_params(), heading=known)
    memo[key_of(main_heading)], elements, allowed, comments, blocks, inside = answer
    memo[key_of(may_be_zone)] = np.frombuffer(allowed, np.bool_)
    memo[key_of(is_comment)] = np.frombuffer(inside, np.bool_)
    memo[key_of(comment_containers)] = np.frombuffer(comments, np.bool_)
    return _Zones(elements, blocks)


def is_named_teaser(page: Measures) -> Bools:
    """Whether each block stands in an element whose class or id says that it is for teasers; (n,).

    Such a box is beside the content, however long it is; boxes of links and cards may be a list.
    """
    named = elements_for(page, _NAMED[Kind.TEASER]) & may_be_zone(page)
    inside: Bools = nearest(page, named)[page.blocks.node] >= 0
    return inside


def _frames(page: Measures) -> Bools:
    """Whether each element is the header or footer of the whole page, by its tag or role; (m,)."""
    tops = elements_typed(page, "in_header") | elements_typed(page, "in_footer")
    inner = page.inside(_INNER) > 0
    main_headings = (page.inside(["h1"])[page.blocks.node] > 0).astype(np.float64)
    frames: Bools = tops & ~inner & (held(page, main_headings) == 0)
    return frames


def _said_boxes(page: Measures, kind: Kind) -> Bools:
    """Whether each small element begins with a phrase of the kind, shape (m,)."""
    nodes = page.blocks.nodes
    boxes = np.zeros(len(nodes), np.bool_)
    heads = np.flatnonzero(sure_kinds(page) == kind)
    around = wider(page)[page.blocks.node[heads]]
    begins = (around >= 0) & (nodes.first_block[around] == heads)
    boxes[around[begins]] = True
    small: Bools = boxes & (held(page, page.words) <= _MAX_BOX_WORDS[kind])
    return small


def _cards(page: Measures) -> Bools:
    """Whether each element is named a teaser and links to what it is about, shape (m,).

    Where such elements hold most of the running text the page is a list of them.
    """
    named = elements_for(page, "for_card") & ~page.blocks.nodes.inline
    cards: Bools = named & (held(page, link_words(page)) >= _CARD_LINKED * held(page, page.words))
    inside = nearest(page, cards)[page.blocks.node] >= 0
    running = running_words(page)
    is_list = float(running[inside].sum()) > _MOST * float(running.sum())
    return np.zeros(len(cards), np.bool_) if is_list else cards


def _headed_boxes(page: Measures) -> Bools:
    """Whether each element begins with the heading of a teaser and consists of links; (m,)."""
    nodes = page.blocks.nodes
    boxes = np.zeros(len(nodes), np.bool_)
    heads = np.flatnonzero(teaser_headings(page))
    around = wider(page)[page.blocks.node[heads]]
    heads, around = heads[around >= 0], around[around >= 0]
    words, links = held(page, page.words)[around], held(page, link_words(page))[around]
    own = page.words[heads]
    is_box = (nodes.first_block[around] == heads) & (links >= _LINKED * (words - own)) & (links > 0)
    boxes[around[is_box]] = True
    return boxes


@once
def zones(page: Measures) -> Ints:
    """The `Kind` of each block by what it is there for, 0 where it is nothing special; (n,)."""
    if native.CORE is not None:
        return np.frombuffer(_by_core(page).blocks, np.int32)
    elements = zone_elements(page)
    around = nearest(page, elements > _NOTHING)[page.blocks.node]
    by_element = np.where(around >= 0, elements[around], _NOTHING)
    said = opening_kinds(page)
    sure = (sure_kinds(page) > _NOTHING) | (said == Kind.LEGAL) | is_network_row(page)
    in_links = among(by_element, _BOXES) & (said > _NOTHING) & sure
    is_open = (by_element == _NOTHING) | in_links
    worded = np.where(is_open, said, by_element)
    in_run = _teaser_runs(page) & (worded == _NOTHING)
    kinds: Ints = np.where(in_run, Kind.TEASER, worded).astype(np.int32)
    return kinds


def _teaser_runs(page: Measures) -> Bools:
    """Whether each block is the heading of a teaser, or one of the links right after it; (n,)."""
    heads, count = teaser_headings(page), len(page)
    if not heads.any():  # as on most pages
        return heads
    links = linked(page) > _LINKED
    follows = np.append(links[1:], np.zeros(1, np.bool_)) if count else links
    starts = heads & follows
    # the last heading or block without links at or before each block
    last = np.maximum.accumulate(np.where(starts | ~links, np.arange(count), 0))
    runs: Bools = starts | (links & starts[last])
    return runs
