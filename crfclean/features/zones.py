"""Find the parts of a page that are there for comments, teasers, promotion, notices or navigation.

The evidence is class, id, type and tag of block elements: a block is what the nearest element
around it is there for. What a page is made of (its main part, what holds the main heading, most of
its running text) is there for none of these.
"""

from __future__ import annotations

import numpy as np

from crfclean.features.kinds import comment_containers, too_wide
from crfclean.features.markup import elements_for, elements_typed
from crfclean.features.openings import opening_kinds, teaser_headings
from crfclean.page.measures import Measures, once
from crfclean.page.tree import HEADINGS, held, link_words, linked, nearest, running_words, wider
from crfclean.types import Bools, Ints, Kind

_MOST = 0.5  # of a page's running text: an element with more is the page's content
_MAX_WORDS = 150  # of running text: "share" is a word of content, too (`id="market-share"`)
_LINKED = 0.5  # of a block's characters: a block with more is a link
_NOTHING = 0  # no zone

_NAMED = {
    Kind.LEGAL: "for_legal",
    Kind.NAVIGATION: "for_navigation",
    Kind.NOTICE: "for_notice",
    Kind.PROMO: "for_promo",
    Kind.TEASER: "for_teaser",
}
"""Kind -> group of `KIND_MARKUP`; of an element with words of several groups the last counts."""


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
    allowed = may_be_zone(page)
    elements = np.full(len(page.blocks.nodes), _NOTHING, np.int32)
    elements[_frames(page) & allowed] = Kind.NAVIGATION
    headings = page.is_tag(HEADINGS)  # their ids say what they say
    long = held(page, running_words(page)) > _MAX_WORDS
    barred = dict.fromkeys(_NAMED, headings)
    barred[Kind.LEGAL] = headings | (page.inside(["figure"]) > 0)  # a photograph's copyright
    barred[Kind.PROMO] = barred[Kind.NAVIGATION] = headings | long
    for kind, group in _NAMED.items():
        elements[elements_for(page, group) & allowed & ~barred[kind]] = kind
    elements[elements_typed(page, "in_nav") & allowed] = Kind.NAVIGATION
    elements[elements_typed(page, "in_dialog") & allowed & (elements == _NOTHING)] = Kind.NOTICE
    elements[_headed_boxes(page) & allowed & (elements == _NOTHING)] = Kind.TEASER
    elements[comment_containers(page)] = Kind.COMMENT
    return elements


def _frames(page: Measures) -> Bools:
    """Whether each element is the header or footer of the whole page, by its tag or role; (m,)."""
    tops = elements_typed(page, "in_header") | elements_typed(page, "in_footer")
    inner = page.inside(["article", "main", "blockquote", "figure", "section"]) > 0
    main_headings = (page.inside(["h1"])[page.blocks.node] > 0).astype(np.float64)
    frames: Bools = tops & ~inner & (held(page, main_headings) == 0)
    return frames


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
    elements = zone_elements(page)
    around = nearest(page, elements > _NOTHING)[page.blocks.node]
    by_element = np.where(around >= 0, elements[around], _NOTHING)
    said = opening_kinds(page)
    is_open = (by_element == _NOTHING) | ((by_element == Kind.NAVIGATION) & (said > _NOTHING))
    worded = np.where(is_open, said, by_element)
    in_run = _teaser_runs(page) & (worded == _NOTHING)
    kinds: Ints = np.where(in_run, Kind.TEASER, worded).astype(np.int32)
    return kinds


def _teaser_runs(page: Measures) -> Bools:
    """Whether each block is the heading of a teaser, or one of the links right after it; (n,)."""
    links = linked(page) > _LINKED
    heads = teaser_headings(page)
    count = len(page)
    follows = np.append(links[1:], np.zeros(1, np.bool_)) if count else links
    starts = heads & follows
    # the last heading or block without links at or before each block
    last = np.maximum.accumulate(np.where(starts | ~links, np.arange(count), 0))
    runs: Bools = starts | (links & starts[last])
    return runs
