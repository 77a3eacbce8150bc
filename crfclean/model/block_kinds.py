"""Tell what each block of a page is, from its title to its legal notices."""

from __future__ import annotations

import numpy as np

from crfclean.core import words
from crfclean.model.markup import (
    elements_for,
    elements_typed,
)
from crfclean.model.zones import apart_kinds, find_zones, main_heading
from crfclean.page.chars import share, spelled_out
from crfclean.page.data_tables import text_tables
from crfclean.page.elements import held
from crfclean.page.head import head_metadata
from crfclean.page.measures import once
from crfclean.types import Blocks, Bools, Ints, Kind

_MOST_APART = 0.5  # of a page's running text: captions or quotations with more are its content


@once
def kinds_of(page: Blocks) -> Ints:
    """Return the `Kind` of each block, shape (n,); posts of threads are comments here.

    The title comes first, then the purpose of the nearest element around the block, then the form
    of the block itself. Authors and dates of comments are bylines.
    """
    if not len(page):
        return np.zeros(0, np.int32)
    plain = (forms(page) == 0) & (apart_kinds(page) == 0)
    kinds: Ints = np.where(is_lead(page, plain), np.int32(Kind.LEAD), parts_of(page))
    return kinds


@once
def parts_of(page: Blocks) -> Ints:
    """Return the `Kind` of each block but for leads, which have 0 as all plain text; shape (n,)."""
    apart = apart_kinds(page)
    kinds = np.where(page.table.in_heading, np.int32(Kind.HEADING), forms(page))
    parts: Ints = np.where(apart > 0, apart, kinds)
    return parts


# Lists, tables, code, formulas, quotations and notes, by the elements around blocks

_MOSTLY = 0.8  # of a block's characters: with more of them in formulas it is a formula
_LONG_QUOTE_WORDS = 60  # of running text, as a mean

_TAGS = {
    Kind.LIST: ("li", "dd", "dt"),
    Kind.QUOTE: ("blockquote",),
    Kind.CODE: ("pre",),
}
"""Kind -> the elements that give it to their blocks."""


def form_elements(page: Blocks) -> Ints:
    """Return the `Kind` that each element gives its blocks, 0 for none; shape (m,)."""
    elements = np.zeros(len(page.table.parent), np.int32)
    for kind, tags in _TAGS.items():
        elements[page.table.is_tag(*tags)] = kind
    elements[_indented(page)] = 0
    elements[np.fromiter(page.code, np.int64)] = Kind.CODE
    elements[np.array(text_tables(page), np.int64)] = Kind.TABLE
    return elements


def _indented(page: Blocks) -> Bools:
    """Mark each `blockquote` that only indents the page's own text; shape (m,).

    Such an element holds headings, or all of them hold most of the running text, in long pieces.
    """
    quotes = page.table.is_tag(*_TAGS[Kind.QUOTE])
    if not quotes.any():  # as on most pages
        return quotes
    running = page.table.running
    quoted = np.where(page.table.nearest(quotes)[page.node] >= 0, running, 0.0).sum()
    if quoted > _MOST_APART * running.sum() and quoted > _LONG_QUOTE_WORDS * quotes.sum():
        return quotes
    indented: Bools = quotes & (held(page, page.table.in_heading.astype(np.float64)) > 0)
    return indented


@once
def forms(page: Blocks) -> Ints:
    """Return the `Kind` of each block by the nearest of `form_elements`, 0 for none; (n,)."""
    elements = form_elements(page)
    around = page.table.nearest(elements > 0)[page.node]
    kinds = np.where(around >= 0, elements[around], 0)
    in_notes = in_named(page, "for_note")
    kinds = np.where(in_notes & ((kinds == 0) | (kinds == Kind.LIST)), Kind.NOTE, kinds)
    forms: Ints = np.where(is_formula(page), Kind.FORMULA, kinds).astype(np.int32)
    return forms


def in_named(page: Blocks, group: str) -> Bools:
    """Mark each block that is in an element with a name of a group of `KIND_MARKUP`; (n,)."""
    named = elements_for(page, group) & ~page.table.is_inline
    if not named.any():  # as on most pages
        return np.zeros(len(page), np.bool_)
    inside: Bools = page.table.nearest(named)[page.node] >= 0
    return inside


def is_formula(page: Blocks) -> Bools:
    """Mark each block that is a formula, ignoring punctuation; shape (n,)."""
    table = page.table
    places = np.fromiter(table.formulas, np.int64)
    if not len(places):
        return np.zeros(len(page), np.bool_)
    chars = np.bincount(table.run_block[places], table.run_chars[places], len(page))
    formulas: Bools = share(chars, page.chars) >= _MOSTLY
    return formulas


# The standfirst: the text between the main heading and the first paragraph

_MAX_LEAD_WORDS = 150  # an element with more is no standfirst
_MIN_LEAD_WORDS = 4  # a shorter block is a label
_MAX_PLACE_WORDS = 3  # before the words of a description
_MIN_DESCRIPTION_WORDS = 8  # of a description with a place before it
_MAX_LEAD_BLOCKS = 5  # of running text in a standfirst


def is_lead(page: Blocks, plain: Bools) -> Bools:
    """Mark each block that belongs to the standfirst, shape (n,).

    Its markup says so, or it equals a description of the page. It stands after the main heading and
    before the first other paragraph of running text among the `plain` blocks (n,).
    """
    after = plain & (np.arange(len(page)) > main_heading(page))
    running = np.flatnonzero(after & page.table.is_long)
    if not len(running):
        return np.zeros(len(page), np.bool_)
    early = after & (np.arange(len(page)) <= running[: _MAX_LEAD_BLOCKS + 1][-1])
    short = early & (page.words >= _MIN_LEAD_WORDS) & (page.words <= _MAX_LEAD_WORDS)
    evidence = short & (_marked(page) | _described(page, short))
    body = running[~evidence[running]]
    before = np.arange(len(page)) < (body[0] if len(body) else 0)
    leads: Bools = evidence & before
    return leads


def _marked(page: Blocks) -> Bools:
    """Mark each block in a small element for a standfirst; shape (n,)."""
    named = elements_for(page, "for_lead") | elements_typed(page, "in_description")
    if not named.any():
        return np.zeros(len(page), np.bool_)
    small = held(page, page.words) <= _MAX_LEAD_WORDS
    elements = named & small & ~find_zones(page).wide & ~page.table.is_inline
    marked: Bools = page.table.nearest(elements)[page.node] >= 0
    return marked


def _described(page: Blocks, short: Bools) -> Bools:
    """Mark each of the `short` blocks (n,) that has the words of a page description; (n,).

    A place may stand before them: "Berlin. The former minister takes office today."
    """
    texts = head_metadata(page).descriptions
    descriptions = set(map(tuple, words.tokens(spelled_out(texts)))) - {()}
    same = np.zeros(len(page), np.bool_)
    if not descriptions:
        return same
    texts = page.table.plain_texts
    said = words.tokens(tuple(map(texts.__getitem__, np.flatnonzero(short).tolist())))
    same[short] = [
        any(tuple(block[start:]) in descriptions for start in _starts(len(block))) for block in said
    ]
    return same


def _starts(size: int) -> range:
    """Return where a description may start in a block of a number of words."""
    return range(max(1, min(_MAX_PLACE_WORDS, size - _MIN_DESCRIPTION_WORDS) + 1))
