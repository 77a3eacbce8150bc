"""Find the standfirst of a page: the text between its main heading and its first paragraph."""

from __future__ import annotations

import numpy as np

from crfclean.features.headline import tokens_of
from crfclean.features.kinds import too_wide
from crfclean.features.main_heading import main_heading
from crfclean.features.markup import elements_for, elements_typed
from crfclean.page.chars import spelled_out
from crfclean.page.head import head_metadata
from crfclean.page.measures import Measures
from crfclean.page.tree import held, is_long, nearest
from crfclean.types import Bools

MAX_LEAD_WORDS = 150  # an element with more is no standfirst
MIN_LEAD_WORDS = 4  # a shorter block is a label
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
    short = early & (page.words >= MIN_LEAD_WORDS) & (page.words <= MAX_LEAD_WORDS)
    evidence = short & (_marked(page) | _described(page, short))
    body = running[~evidence[running]]
    before = np.arange(len(page)) < (body[0] if len(body) else 0)
    leads: Bools = evidence & before
    return leads


def _marked(page: Measures) -> Bools:
    """Whether each block is in a small element that is there for a standfirst; shape (n,)."""
    named = elements_for(page, "for_lead") | elements_typed(page, "in_description")
    small = held(page, page.words) <= MAX_LEAD_WORDS
    elements = named & small & ~too_wide(page) & ~page.blocks.nodes.inline
    marked: Bools = nearest(page, elements)[page.blocks.node] >= 0
    return marked


def _described(page: Measures, short: Bools) -> Bools:
    """Whether each of the `short` blocks (n,) has the words of a description of the page; (n,)."""
    texts = head_metadata(page).descriptions
    descriptions = set(map(tuple, tokens_of(spelled_out(texts)))) - {()}
    same = np.zeros(len(page), np.bool_)
    if not descriptions:
        return same
    tokens = tokens_of([page.texts[index] for index in np.flatnonzero(short).tolist()])
    same[short] = [tuple(block) in descriptions for block in tokens]
    return same
