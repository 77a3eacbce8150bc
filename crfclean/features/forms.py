"""Tell lists, tables, code, formulas, quotations and notes by the elements around blocks."""

from __future__ import annotations

import numpy as np

from crfclean.features.markup import elements_for
from crfclean.page.arrays import share
from crfclean.page.data_tables import text_tables
from crfclean.page.measures import Measures
from crfclean.page.tree import held, in_heading, nearest, running_words
from crfclean.types import Bools, Ints, Kind

_MOSTLY = 0.8  # of a block's characters: a block with more in formulas is a formula

_MOST = 0.5  # of a page's running text: quotations with more are no quotations
_LONG_QUOTE_WORDS = 60  # of running text, as a mean

_TAGS = {
    Kind.LIST: ("li", "dd", "dt"),
    Kind.QUOTE: ("blockquote",),
    Kind.CODE: ("pre",),
}
"""Kind -> elements whose blocks are of it."""


def form_elements(page: Measures) -> Ints:
    """The `Kind` that each element makes its blocks, 0 for none; shape (m,)."""
    elements = np.zeros(len(page.blocks.nodes), np.int32)
    for kind, tags in _TAGS.items():
        elements[page.is_tag(tags)] = kind
    elements[_indented(page)] = 0
    elements[np.fromiter(page.blocks.code, np.int64)] = Kind.CODE
    elements[np.array(text_tables(page), np.int64)] = Kind.TABLE
    return elements


def _indented(page: Measures) -> Bools:
    """Whether each element is a `blockquote` that only indents the page's own text; shape (m,).

    It holds headings, or together they hold most of the running text, in long pieces.
    """
    quotes = page.is_tag(_TAGS[Kind.QUOTE])
    running = running_words(page)
    quoted = np.where(nearest(page, quotes)[page.blocks.node] >= 0, running, 0.0).sum()
    if quoted > _MOST * running.sum() and quoted > _LONG_QUOTE_WORDS * quotes.sum():
        return quotes
    indented: Bools = quotes & (held(page, in_heading(page).astype(np.float64)) > 0)
    return indented


def forms(page: Measures) -> Ints:
    """The `Kind` of each block by the nearest of these elements around it, 0 for none; (n,)."""
    elements = form_elements(page)
    around = nearest(page, elements > 0)[page.blocks.node]
    kinds = np.where(around >= 0, elements[around], 0)
    kinds = np.where(_in_notes(page) & ((kinds == 0) | (kinds == Kind.LIST)), Kind.NOTE, kinds)
    forms: Ints = np.where(is_formula(page), Kind.FORMULA, kinds).astype(np.int32)
    return forms


def _in_notes(page: Measures) -> Bools:
    """Whether each block stands in an element that is named for footnotes or endnotes; (n,)."""
    named = elements_for(page, "for_note") & ~page.blocks.nodes.inline
    if not named.any():  # as on most pages
        return np.zeros(len(page), np.bool_)
    inside: Bools = nearest(page, named)[page.blocks.node] >= 0
    return inside


def is_formula(page: Measures) -> Bools:
    """Whether each block is a formula, its punctuation aside; shape (n,)."""
    runs = page.blocks.runs
    places = np.fromiter(runs.formulas, np.int64)
    if not len(places):
        return np.zeros(len(page), np.bool_)
    chars = np.bincount(runs.block[places], page.run_chars[places], len(page))
    formulas: Bools = share(chars, page.chars) >= _MOSTLY
    return formulas
