"""Tell what each block of a page is, from its title to its legal notices."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from crfclean.core.native import CORE
from crfclean.features.headline import tokens_of
from crfclean.features.kinds import CAPTIONED, MAX_BYLINE_WORDS, NEAR, SIGNED
from crfclean.features.markup import (
    elements_for,
    elements_typed,
    named_elements,
    rows_of_steps,
    steps_to_marks,
    type_bits,
    typed_elements,
)
from crfclean.features.wording import opening_groups
from crfclean.features.zones import find_zones, main_heading, zones
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.lexicon.markup import group_bit
from crfclean.page.arrays import share
from crfclean.page.chars import spelled_out
from crfclean.page.data_tables import text_tables
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures, once
from crfclean.page.tree import held, in_heading, is_long, nearest, running_words, start_nodes
from crfclean.types import Bools, Floats, Ints, Kind

_MOST = 0.5  # of a page's running text: captions, or quotations, with more are its content


@once
def kinds_of(page: Measures) -> Ints:
    """The `Kind` of each block, shape (n,); posts of threads are comments here.

    The title is first, then what the nearest element around is there for, then what the block is by
    itself. Authors and dates of comments are bylines.
    """
    if not len(page):
        return np.zeros(0, np.int32)
    kinds, apart = forms(page), apart_kinds(page)
    plain = (kinds == 0) & (apart == 0)
    kinds[in_heading(page)] = Kind.HEADING
    kinds[is_lead(page, plain)] = Kind.LEAD
    merged: Ints = np.where(apart > 0, apart, kinds)
    return merged


def with_posts(kinds: Ints, *, is_thread: bool) -> Ints:
    """The `Kind`s (n,) of a page; on a thread the comments are posts."""
    posts: Ints = np.where((kinds == Kind.COMMENT) & is_thread, Kind.POST, kinds)
    return posts


# Blocks that are the title, or no plain text by their mark or place

_MAX_BYLINE_BOX_WORDS = 60  # of an element that names an author: with more it is about them
_TAG_SETS = (("li", "td"), ("figcaption", "caption"), ("address",))
_BIT_OF_TAG = {tag: 1 << place for place, tags in enumerate(_TAG_SETS) for tag in tags}
"""Tag -> bit of its set: items, captions, addresses, in the order of `native/apart.c`."""


@once
def apart_kinds(page: Measures) -> Ints:
    """The `Kind` of each block that is the title, or no plain text by its mark or place; (n,).

    Of the other blocks, whose value is 0, `kinds_of` tells headings, leads and forms of text apart.
    A byline says who wrote something, or when: models take more for one (`kinds.is_byline`), items
    of a list of names, say. Captions that hold most of the running text are none: so galleries tell
    their text.
    """
    if not len(page):
        return np.zeros(0, np.int32)
    return np.frombuffer(CORE.apart(_arrays(page), main_heading(page)), np.int32)


@cache
def _params() -> tuple[Ints, Floats]:
    """Groups, kinds, rows of steps, and bounds, for the core."""
    marks = PHRASE_GROUPS.index("byline"), group_bit("for_byline"), type_bits(("in_time",))
    kinds = map(int, (Kind.BYLINE, Kind.CAPTION, Kind.COMMENT, Kind.TITLE))
    rows = rows_of_steps(SIGNED), rows_of_steps(CAPTIONED)
    numbers = (*marks, *kinds, round(1 / NEAR) - 1, *rows[0], *rows[1])
    bounds = (MAX_BYLINE_WORDS, _MAX_BYLINE_BOX_WORDS, _MOST)
    return np.array(numbers, np.int64), np.array(bounds, np.float64)


def _arrays(page: Measures) -> tuple[Any, ...]:
    """What the core reads, in the order of `native/apart.c`."""
    nodes, (which, bits) = page.nodes, named_elements(page)
    return (
        *(which, typed_elements(page), _by_role(page), page.tag_codes),
        *(nodes.first_block, nodes.end_block, nodes.parent),
        *(page.node, start_nodes(page), page.words, running_words(page)),
        *(page.sentence_ends, in_heading(page), opening_groups(page), zones(page)),
        *(steps_to_marks(page), bits),
        np.array([_BIT_OF_TAG.get(tag, 0) for tag in page.tag_names], np.uint8),
        *_params(),
    )


def _by_role(page: Measures) -> Bools:
    """Whether each element is marked as an author's name; shape (m,)."""
    authors = np.zeros(len(page.nodes), np.bool_)
    for name in ("itemprop", "rel"):
        numbers, values = page.attribute(name)
        named = ["author" in value.lower().split() for value in values]
        if any(named):
            authors |= np.array(named)[numbers]
    return authors


# Lists, tables, code, formulas, quotations and notes, by the elements around blocks

_MOSTLY = 0.8  # of a block's characters: a block with more in formulas is a formula
_LONG_QUOTE_WORDS = 60  # of running text, as a mean

_TAGS = {
    Kind.LIST: ("li", "dd", "dt"),
    Kind.QUOTE: ("blockquote",),
    Kind.CODE: ("pre",),
}
"""Kind -> elements whose blocks are of it."""


def form_elements(page: Measures) -> Ints:
    """The `Kind` that each element makes its blocks, 0 for none; shape (m,)."""
    elements = np.zeros(len(page.nodes), np.int32)
    for kind, tags in _TAGS.items():
        elements[page.is_tag(*tags)] = kind
    elements[_indented(page)] = 0
    elements[np.fromiter(page.code, np.int64)] = Kind.CODE
    elements[np.array(text_tables(page), np.int64)] = Kind.TABLE
    return elements


def _indented(page: Measures) -> Bools:
    """Whether each element is a `blockquote` that only indents the page's own text; shape (m,).

    It holds headings, or together they hold most of the running text, in long pieces.
    """
    quotes = page.is_tag(*_TAGS[Kind.QUOTE])
    running = running_words(page)
    quoted = np.where(nearest(page, quotes)[page.node] >= 0, running, 0.0).sum()
    if quoted > _MOST * running.sum() and quoted > _LONG_QUOTE_WORDS * quotes.sum():
        return quotes
    indented: Bools = quotes & (held(page, in_heading(page).astype(np.float64)) > 0)
    return indented


def forms(page: Measures) -> Ints:
    """The `Kind` of each block by the nearest of these elements around it, 0 for none; (n,)."""
    elements = form_elements(page)
    around = nearest(page, elements > 0)[page.node]
    kinds = np.where(around >= 0, elements[around], 0)
    kinds = np.where(_in_notes(page) & ((kinds == 0) | (kinds == Kind.LIST)), Kind.NOTE, kinds)
    forms: Ints = np.where(is_formula(page), Kind.FORMULA, kinds).astype(np.int32)
    return forms


def _in_notes(page: Measures) -> Bools:
    """Whether each block stands in an element that is named for footnotes or endnotes; (n,)."""
    named = elements_for(page, "for_note") & ~page.nodes.inline
    if not named.any():  # as on most pages
        return np.zeros(len(page), np.bool_)
    inside: Bools = nearest(page, named)[page.node] >= 0
    return inside


def is_formula(page: Measures) -> Bools:
    """Whether each block is a formula, its punctuation aside; shape (n,)."""
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
    """Whether each block belongs to the standfirst, shape (n,).

    It is marked as one, or equals a description of the page, and stands after the main heading and
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
    """Whether each block is in a small element that is there for a standfirst; shape (n,)."""
    named = elements_for(page, "for_lead") | elements_typed(page, "in_description")
    small = held(page, page.words) <= _MAX_LEAD_WORDS
    elements = named & small & ~find_zones(page).wide & ~page.nodes.inline
    marked: Bools = nearest(page, elements)[page.node] >= 0
    return marked


def _described(page: Measures, short: Bools) -> Bools:
    """Whether each of the `short` blocks (n,) has the words of a description of the page; (n,)."""
    texts = head_metadata(page).descriptions
    descriptions = set(map(tuple, tokens_of(spelled_out(texts)))) - {()}
    same = np.zeros(len(page), np.bool_)
    if not descriptions:
        return same
    tokens = tokens_of([page.plain_texts[index] for index in np.flatnonzero(short).tolist()])
    same[short] = [tuple(block) in descriptions for block in tokens]
    return same
