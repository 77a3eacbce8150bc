"""Tell what each block of a page is, from its title to its legal notices."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from crfclean.core import native
from crfclean.features.forms import forms
from crfclean.features.kinds import (
    CAPTIONED,
    MAX_BYLINE_WORDS,
    NEAR,
    SIGNED,
    is_caption,
    is_signed,
)
from crfclean.features.main_heading import main_heading
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
from crfclean.features.zones import zones
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.lexicon.markup import group_bit
from crfclean.page.measures import Measures, once
from crfclean.page.tree import held, in_heading, nearest, running_words, start_nodes
from crfclean.types import Bools, Floats, Ints, Kind

_MOST = 0.5  # of a page's running text: captions with more are its content
_MAX_BYLINE_BOX_WORDS = 60  # of an element that names an author: with more it is about them


@once
def kinds_of(page: Measures) -> Ints:
    """The `Kind` of each block, shape (n,); posts of threads are comments here.

    The title is first, then what the nearest element around is there for, then what the block is by
    itself. Authors and dates of comments are bylines.
    """
    from crfclean.features.leads import is_lead  # texts without kinds do not ask for them

    if not len(page):
        return np.zeros(0, np.int32)
    kinds, apart = forms(page), apart_kinds(page)
    plain = (kinds == 0) & (apart == 0)
    kinds[in_heading(page)] = Kind.HEADING
    kinds[is_lead(page, plain)] = Kind.LEAD
    merged: Ints = np.where(apart > 0, apart, kinds)
    return merged


@once
def apart_kinds(page: Measures) -> Ints:
    """The `Kind` of each block that is the title, or no plain text by its mark or place; (n,).

    Of the other blocks, whose value is 0, `kinds_of` tells headings, leads and forms of text apart.
    """
    if native.CORE is not None and len(page):
        zone, heading = zones(page), main_heading(page)
        return np.frombuffer(native.CORE.apart(_core_arrays(page, zone), heading), np.int32)
    around, kinds = zones(page), np.zeros(len(page), np.int32)
    bylines, captions = is_signature(page), _captions(page)
    kinds[bylines] = Kind.BYLINE
    kinds[captions] = Kind.CAPTION
    signed = (around == Kind.COMMENT) & (bylines | captions)
    kinds = np.where((around > 0) & ~signed, around, kinds)
    if (index := main_heading(page)) >= 0:
        kinds[index] = Kind.TITLE
    return kinds


_ITEMS = ("li", "td")
_CAPTIONS = ("figcaption", "caption")
_ADDRESS = ("address",)
_SETS = (_ITEMS, _CAPTIONS, _ADDRESS)
_BIT_OF_TAG = {tag: 1 << place for place, tags in enumerate(_SETS) for tag in tags}
"""Tag -> bit of its set, in the order of `native/apart.c`."""


@cache
def _core_params() -> tuple[Ints, Floats]:
    """Groups, kinds, rows of steps, and bounds, for the core."""
    marks = PHRASE_GROUPS.index("byline"), group_bit("for_byline"), type_bits(("in_time",))
    kinds = map(int, (Kind.BYLINE, Kind.CAPTION, Kind.COMMENT, Kind.TITLE))
    rows = rows_of_steps(SIGNED), rows_of_steps(CAPTIONED)
    numbers = (*marks, *kinds, round(1 / NEAR) - 1, *rows[0], *rows[1])
    bounds = (MAX_BYLINE_WORDS, _MAX_BYLINE_BOX_WORDS, _MOST)
    return np.array(numbers, np.int64), np.array(bounds, np.float64)


def _core_arrays(page: Measures, zone: Ints) -> tuple[Any, ...]:
    """What the core reads, in the order of `native/apart.c`."""
    nodes, (which, bits) = page.blocks.nodes, named_elements(page)
    return (
        *(which, typed_elements(page), _by_role(page), page.tag_codes),
        *(nodes.first_block, nodes.end_block, nodes.parent),
        *(page.blocks.node, start_nodes(page), page.words, running_words(page)),
        *(page.sentence_ends, in_heading(page), opening_groups(page), zone),
        *(steps_to_marks(page), bits),
        np.array([_BIT_OF_TAG.get(tag, 0) for tag in page.tag_names], np.uint8),
        *_core_params(),
    )


@once
def zones_but_title(page: Measures) -> Ints:
    """The `zones` of each block but the title, whose value is 0; shape (n,)."""
    around, index = zones(page), main_heading(page)
    if index >= 0 and around[index]:
        around = around.copy()
        around[index] = 0
    return around


def is_signature(page: Measures) -> Bools:
    """Whether each block says who wrote something, or when; shape (n,).

    Models take more for a byline (`kinds.is_byline`): items of a list of names, say.
    """
    worded = opening_groups(page) == PHRASE_GROUPS.index("byline")
    worded = worded & (page.sentence_ends == 0) & (page.inside(_ITEMS)[page.blocks.node] == 0)
    bylines = is_signed(page, worded)
    if not bylines.any():
        return bylines
    tagged = elements_typed(page, "in_time") | page.is_tag(_ADDRESS) | _by_role(page)
    small = held(page, page.words) <= _MAX_BYLINE_BOX_WORDS
    around = nearest(page, (elements_for(page, "for_byline") | tagged) & small)
    marked = around[start_nodes(page)] >= 0
    signatures: Bools = bylines & (marked | worded)
    return signatures


def _by_role(page: Measures) -> Bools:
    """Whether each element is marked as an author's name; shape (m,)."""
    authors = np.zeros(len(page.blocks.nodes), np.bool_)
    for name in ("itemprop", "rel"):
        numbers, values = page.attribute(name)
        named = ["author" in value.lower().split() for value in values]
        if any(named):
            authors |= np.array(named)[numbers]
    return authors


def _captions(page: Measures) -> Bools:
    """Whether each block is in a caption, at any height, or named like one; shape (n,).

    Where they hold most of the running text they are none: so galleries tell their text.
    """
    inside = page.inside(_CAPTIONS)[page.blocks.node] > 0
    captions: Bools = inside | is_caption(page)
    if not captions.any():
        return captions
    running = running_words(page)
    is_gallery = float(running[captions].sum()) > _MOST * float(running.sum())
    return np.zeros(len(page), np.bool_) if is_gallery else captions


def with_posts(kinds: Ints, *, is_thread: bool) -> Ints:
    """The `Kind`s (n,) of a page; on a thread the comments are posts."""
    posts: Ints = np.where((kinds == Kind.COMMENT) & is_thread, Kind.POST, kinds)
    return posts
