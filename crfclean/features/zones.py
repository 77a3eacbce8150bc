"""Find the zones around the content, and the kind of each block from title to legal notice."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from crfclean.core.native import CORE
from crfclean.features.markup import (
    elements_for,
    elements_typed,
    largest_nearness,
    named_elements,
    rows_of_steps,
    steps_to_marks,
    type_bits,
    typed_elements,
)
from crfclean.features.wording import (
    beginnings,
    href_bits,
    likeness_to_titles,
    link_targets,
    tokens_of,
)
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import TAGS, group_bit
from crfclean.page.arrays import bits_by_member, share
from crfclean.page.chars import spelled_out
from crfclean.page.data_tables import text_tables
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.page.tree import (
    HEADINGS,
    held,
    in_heading,
    is_long,
    link_words,
    linked,
    nearest,
    running_words,
    start_nodes,
    wider,
)
from crfclean.types import Bools, CoarseKind, Floats, Ints, Kind

# Find the main heading and the zones: comments, teasers, promotion, notices and menus.
#
# The evidence is class, id, type and tag of block elements, the first words of short blocks, and
# links. A block gets its zone from the nearest element around it that has one. Elements that make
# up the page (its main part, one with the main heading or most of the running text) have no zone.
# The core finds all zones in one call (`native/zones.c`).

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
"""Group of `PHRASE_GROUPS` -> kind of a block that is a link; for "related" also of a heading."""

# The tables of the core

_NAMED = {
    Kind.LEGAL: "for_legal",
    Kind.NAVIGATION: "for_navigation",
    Kind.NOTICE: "for_notice",
    Kind.PROMO: "for_promo",
    Kind.TEASER: "for_teaser",
}
"""Kind -> group of `KIND_MARKUP`; if an element has words of several groups, the last counts."""

_INNER = ("article", "main", "blockquote", "figure", "section")
"""Elements whose headers and footers are not the page's."""

_BITS_OF_TAG = bits_by_member(
    [
        *(("html", "body", "main"), HEADINGS, ("figure",), _INNER, ("h1",), ("a",)),
        *(("html", "body"), ("footer", "aside")),
    ]
)
"""Tag -> bits of its sets, in the order of `native/zones.c`."""

_TYPES = ("in_nav", "in_dialog", "in_header", "in_footer", "in_comment")

_KIND_OF_GROUP = np.array([_BY_PHRASE.get(group, 0) for group in PHRASE_GROUPS], np.int32)
_MAX_WORDS_BY_KIND = np.array([_MAX_PHRASE_WORDS.get(kind, 0) for kind in Kind], np.int32)


@cache
def _params() -> tuple[Ints, Floats]:
    """Return kinds, bits of names and of types, groups, and bounds, for the core."""
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


def _arrays(page: Measures) -> tuple[Any, ...]:
    """Return the core's input arrays, in the order of `native/zones.c`."""
    nodes, tags = page.nodes, page.tag_names
    which, name_bits = named_elements(page)
    return (
        *(which, typed_elements(page), nodes.inline, page.tag_codes, nodes.first_block),
        *(nodes.end_block, nodes.end, nodes.parent, wider(page)),
        *(page.node, page.words, running_words(page), link_words(page), linked(page)),
        *(is_long(page), in_heading(page), *beginnings(page), *likeness_to_titles(page)),
        *(link_targets(page)[0], href_bits(page), name_bits),
        np.array([_BITS_OF_TAG.get(tag, 0) for tag in tags], np.uint16),
        np.array([_LEVELS.get(tag, 0.0) for tag in tags], np.float64),
        *(_KIND_OF_GROUP, _MAX_WORDS_BY_KIND, *_params()),
    )


class Zones(NamedTuple):
    """Main heading and zones of a page with n blocks and m elements.

    `heading` is the index of the block that is most likely the main heading, -1 if none is likely.
    `wide` (m,) marks elements that are the page or its main part, or hold the main heading; their
    class says nothing about the blocks inside. `blocks` (n,) has the `Kind` of each block's zone,
    0 outside zones. `in_comments` (n,) marks blocks inside an element for readers' comments, by
    its class, id or type, at any height.
    """

    heading: int
    wide: Bools
    blocks: Ints
    in_comments: Bools


@once
def find_zones(page: Measures) -> Zones:
    """Find the main heading of a page and the zones of its blocks."""
    heading, wide, blocks, in_comments = CORE.zones(_arrays(page))
    return Zones(
        heading,
        np.frombuffer(wide, np.bool_),
        np.frombuffer(blocks, np.int32),
        np.frombuffer(in_comments, np.bool_),
    )


def main_heading(page: Measures) -> int:
    """Return the index of the block that is most likely the main heading, -1 if none is likely.

    Kinds and the decision use this heading. Models are trained with another one, the column
    `is_headline`, which was wrong on some pages: "Debian User Forums" in the banner of a thread,
    "Get our news in your inbox" in a form, a language's name above each chapter of its book.
    """
    return find_zones(page).heading


def zones(page: Measures) -> Ints:
    """Return the `Kind` of each block by its zone, 0 outside zones; shape (n,)."""
    return find_zones(page).blocks


# tell main heading, headings, captions, bylines, comments and body text apart, for models
#
# Models are trained with these coarse kinds; users see the kinds of `kinds_of`.

NEAR = 0.5  # the block's element is marked, or the one around it
SIGNED = ("named_author", "named_date", "in_time", "in_author")
CAPTIONED = ("in_caption", "named_caption")
MAX_BYLINE_WORDS = 15


def is_caption(page: Measures) -> Bools:
    """Mark each block in a `figcaption` or similar, or in an element named like one; (n,)."""
    return largest_nearness(page, CAPTIONED) >= NEAR


def is_byline(page: Measures) -> Bools:
    """Mark each short block that is marked or worded as an author, source or date; (n,)."""
    marked = largest_nearness(page, SIGNED) >= NEAR
    worded = beginnings(page).groups == PHRASE_GROUPS.index("byline")
    bylines: Bools = (marked | worded) & (page.words < MAX_BYLINE_WORDS) & ~in_heading(page)
    return bylines


def is_comment(page: Measures) -> Bools:
    """Mark each block inside an element for readers' comments, at any height; (n,).

    Elements that are too wide do not count, nor do inline elements, such as a counter of comments
    beside a date.
    """
    return find_zones(page).in_comments


@once
def coarse_kinds(page: Measures) -> Ints:
    """Return the `CoarseKind` of each block, the first that fits from title to comment; (n,)."""
    codes = np.full(len(page), CoarseKind.BODY, np.int32)
    if not len(page):
        return codes
    codes[is_comment(page)] = CoarseKind.COMMENTS
    codes[is_byline(page)] = CoarseKind.BYLINES
    codes[is_caption(page)] = CoarseKind.CAPTIONS
    codes[in_heading(page)] = CoarseKind.HEADERS
    index = main_heading(page)
    if index >= 0:
        codes[index] = CoarseKind.TITLE
    return codes


# tell what each block of a page is, from its title to its legal notices

_MOST_APART = 0.5  # of a page's running text: captions or quotations with more are its content


@once
def kinds_of(page: Measures) -> Ints:
    """Return the `Kind` of each block, shape (n,); posts of threads are comments here.

    The title comes first, then the purpose of the nearest element around the block, then the form
    of the block itself. Authors and dates of comments are bylines.
    """
    if not len(page):
        return np.zeros(0, np.int32)
    kinds, apart = forms(page), apart_kinds(page)
    plain = (kinds == 0) & (apart == 0)
    kinds[in_heading(page)] = Kind.HEADING
    kinds[is_lead(page, plain)] = Kind.LEAD
    merged: Ints = np.where(apart > 0, apart, kinds)
    return merged


# Blocks that are the title, or no plain text by their mark or place

_MAX_BYLINE_BOX_WORDS = 60  # of an element that names an author; a longer one describes them
_APART_BITS = bits_by_member([("li", "td"), ("figcaption", "caption"), ("address",)])
"""Tag -> bit of its set: items, captions, addresses, in the order of `native/apart.c`."""


@once
def apart_kinds(page: Measures) -> Ints:
    """Return the `Kind` of each block that markup or place shows to be no plain text; (n,).

    The title is one of them. Other blocks have 0: `kinds_of` tells headings, leads and forms of
    text apart. A byline says who wrote something, or when. (The `is_byline` of models includes
    more, such as items of a list of names.) Captions with most of the running text are not
    captions: galleries tell their text in them.
    """
    if not len(page):
        return np.zeros(0, np.int32)
    return np.frombuffer(CORE.apart(_apart_arrays(page), main_heading(page)), np.int32)


@cache
def _apart_params() -> tuple[Ints, Floats]:
    """Return groups, kinds, rows of steps, and bounds, for the core."""
    marks = PHRASE_GROUPS.index("byline"), group_bit("for_byline"), type_bits(("in_time",))
    kinds = map(int, (Kind.BYLINE, Kind.CAPTION, Kind.COMMENT, Kind.TITLE))
    rows = rows_of_steps(SIGNED), rows_of_steps(CAPTIONED)
    numbers = (*marks, *kinds, round(1 / NEAR) - 1, *rows[0], *rows[1])
    bounds = (MAX_BYLINE_WORDS, _MAX_BYLINE_BOX_WORDS, _MOST_APART)
    return np.array(numbers, np.int64), np.array(bounds, np.float64)


def _apart_arrays(page: Measures) -> tuple[Any, ...]:
    """Return the core's input arrays, in the order of `native/apart.c`."""
    nodes, (which, bits) = page.nodes, named_elements(page)
    return (
        *(which, typed_elements(page), _by_role(page), page.tag_codes),
        *(nodes.first_block, nodes.end_block, nodes.parent),
        *(page.node, start_nodes(page), page.words, running_words(page)),
        *(page.sentence_ends, in_heading(page), beginnings(page).groups, zones(page)),
        *(steps_to_marks(page), bits),
        np.array([_APART_BITS.get(tag, 0) for tag in page.tag_names], np.uint8),
        *_apart_params(),
    )


def _by_role(page: Measures) -> Bools:
    """Find the elements whose `itemprop` or `rel` names an author; shape (m,)."""
    authors = np.zeros(len(page.nodes), np.bool_)
    for name in ("itemprop", "rel"):
        numbers, values = page.attribute(name)
        named = ["author" in value.lower().split() for value in values]
        if any(named):
            authors |= np.array(named)[numbers]
    return authors


# Lists, tables, code, formulas, quotations and notes, by the elements around blocks

_MOSTLY = 0.8  # of a block's characters: with more of them in formulas it is a formula
_LONG_QUOTE_WORDS = 60  # of running text, as a mean

_TAGS = {
    Kind.LIST: ("li", "dd", "dt"),
    Kind.QUOTE: ("blockquote",),
    Kind.CODE: ("pre",),
}
"""Kind -> the elements that give it to their blocks."""


def form_elements(page: Measures) -> Ints:
    """Return the `Kind` that each element gives its blocks, 0 for none; shape (m,)."""
    elements = np.zeros(len(page.nodes), np.int32)
    for kind, tags in _TAGS.items():
        elements[page.is_tag(*tags)] = kind
    elements[_indented(page)] = 0
    elements[np.fromiter(page.code, np.int64)] = Kind.CODE
    elements[np.array(text_tables(page), np.int64)] = Kind.TABLE
    return elements


def _indented(page: Measures) -> Bools:
    """Mark each `blockquote` that only indents the page's own text; shape (m,).

    Such an element holds headings, or all of them hold most of the running text, in long pieces.
    """
    quotes = page.is_tag(*_TAGS[Kind.QUOTE])
    running = running_words(page)
    quoted = np.where(nearest(page, quotes)[page.node] >= 0, running, 0.0).sum()
    if quoted > _MOST_APART * running.sum() and quoted > _LONG_QUOTE_WORDS * quotes.sum():
        return quotes
    indented: Bools = quotes & (held(page, in_heading(page).astype(np.float64)) > 0)
    return indented


def forms(page: Measures) -> Ints:
    """Return the `Kind` of each block by the nearest of `form_elements`, 0 for none; (n,)."""
    elements = form_elements(page)
    around = nearest(page, elements > 0)[page.node]
    kinds = np.where(around >= 0, elements[around], 0)
    in_notes = in_named(page, "for_note")
    kinds = np.where(in_notes & ((kinds == 0) | (kinds == Kind.LIST)), Kind.NOTE, kinds)
    forms: Ints = np.where(is_formula(page), Kind.FORMULA, kinds).astype(np.int32)
    return forms


def in_named(page: Measures, group: str) -> Bools:
    """Mark each block that is in an element with a name of a group of `KIND_MARKUP`; (n,)."""
    named = elements_for(page, group) & ~page.nodes.inline
    if not named.any():  # as on most pages
        return np.zeros(len(page), np.bool_)
    inside: Bools = nearest(page, named)[page.node] >= 0
    return inside


def is_formula(page: Measures) -> Bools:
    """Mark each block that is a formula, ignoring punctuation; shape (n,)."""
    runs = page.runs
    places = np.fromiter(runs.formulas, np.int64)
    if not len(places):
        return np.zeros(len(page), np.bool_)
    chars = np.bincount(runs.block[places], page.run_chars[places], len(page))
    formulas: Bools = share(chars, page.chars) >= _MOSTLY
    return formulas


# The standfirst: the text between the main heading and the first paragraph

_MAX_LEAD_WORDS = 150  # an element with more is no standfirst
_MIN_LEAD_WORDS = 4  # a shorter block is a label
_MAX_LEAD_BLOCKS = 5  # of running text in a standfirst


def is_lead(page: Measures, plain: Bools) -> Bools:
    """Mark each block that belongs to the standfirst, shape (n,).

    Its markup says so, or it equals a description of the page. It stands after the main heading and
    before the first other paragraph of running text among the `plain` blocks (n,).
    """
    after = plain & (np.arange(len(page)) > main_heading(page))
    running = np.flatnonzero(after & is_long(page))
    if not len(running):
        return np.zeros(len(page), np.bool_)
    early = after & (np.arange(len(page)) <= running[: _MAX_LEAD_BLOCKS + 1][-1])
    short = early & (page.words >= _MIN_LEAD_WORDS) & (page.words <= _MAX_LEAD_WORDS)
    evidence = short & (_marked(page) | _described(page, short))
    body = running[~evidence[running]]
    before = np.arange(len(page)) < (body[0] if len(body) else 0)
    leads: Bools = evidence & before
    return leads


def _marked(page: Measures) -> Bools:
    """Mark each block in a small element for a standfirst; shape (n,)."""
    named = elements_for(page, "for_lead") | elements_typed(page, "in_description")
    small = held(page, page.words) <= _MAX_LEAD_WORDS
    elements = named & small & ~find_zones(page).wide & ~page.nodes.inline
    marked: Bools = nearest(page, elements)[page.node] >= 0
    return marked


def _described(page: Measures, short: Bools) -> Bools:
    """Mark each of the `short` blocks (n,) that has the words of a page description; (n,)."""
    texts = head_metadata(page).descriptions
    descriptions = set(map(tuple, tokens_of(spelled_out(texts)))) - {()}
    same = np.zeros(len(page), np.bool_)
    if not descriptions:
        return same
    tokens = tokens_of([page.plain_texts[index] for index in np.flatnonzero(short).tolist()])
    same[short] = [tuple(block) in descriptions for block in tokens]
    return same
