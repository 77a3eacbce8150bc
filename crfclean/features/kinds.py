"""Tell main heading, headings, captions, bylines, comments and body text apart, for models.

Models are trained with these coarse kinds; `block_kinds` has those that are shown to users.
"""

from __future__ import annotations

import numpy as np

from crfclean.features.main_heading import main_heading
from crfclean.features.markup import elements_named, elements_typed, largest_nearness
from crfclean.features.wording import opening_groups
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import in_heading, nearest
from crfclean.types import Bools, CoarseKind, Ints

NEAR = 0.5  # the block's element is marked, or the one around it
SIGNED = ("named_author", "named_date", "in_time", "in_author")
CAPTIONED = ("in_caption", "named_caption")
MAX_BYLINE_WORDS = 15
_TITLE = int(CoarseKind.TITLE)
WIDE_TAGS = ("html", "body", "main")


def is_caption(page: Measures) -> Bools:
    """Whether each block is in a `figcaption` or the like, or an element named like one; (n,)."""
    return largest_nearness(page, CAPTIONED) >= NEAR


def is_byline(page: Measures) -> Bools:
    """Whether each block is short, and marked or worded as an author, source or date; (n,)."""
    return is_signed(page, opening_groups(page) == PHRASE_GROUPS.index("byline"))


def is_signed(page: Measures, worded: Bools) -> Bools:
    """The same for blocks that are worded so, shape (n,)."""
    marked = largest_nearness(page, SIGNED) >= NEAR
    bylines: Bools = (marked | worded) & (page.words < MAX_BYLINE_WORDS) & ~in_heading(page)
    return bylines


@once
def too_wide(page: Measures) -> Bools:
    """Whether each element is the page, its main part, or holds the main heading; shape (m,).

    No word in its class says what the blocks inside are.
    """
    nodes, index = page.blocks.nodes, main_heading(page)
    with_heading = (nodes.first_block <= index) & (index < nodes.end_block)
    wide: Bools = page.is_tag(WIDE_TAGS) | with_heading
    return wide


@once
def comment_containers(page: Measures) -> Bools:
    """Whether each element is there for readers' comments, by its class, id or type; (m,).

    Elements that are too wide, and inline elements, such as a counter of comments beside a date,
    are not.
    """
    marked = elements_named(page, "comment") | elements_typed(page, "in_comment")
    containers: Bools = marked & ~page.blocks.nodes.inline & ~too_wide(page)
    return containers


@once
def is_comment(page: Measures) -> Bools:
    """Whether each block stands in an element that is there for comments, at any height; (n,)."""
    inside: Bools = nearest(page, comment_containers(page))[page.blocks.node] >= 0
    return inside


@once
def coarse_kinds(page: Measures) -> Ints:
    """The `CoarseKind` of each block, the first that fits from title to comment; shape (n,)."""
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


def titles_alone(page: Measures) -> Ints:
    """The `CoarseKind` of each block, but BODY for all that is no title; shape (n,)."""
    codes = np.zeros(len(page), np.int32)  # all of them BODY
    index = main_heading(page)
    if index >= 0:
        codes[index] = _TITLE
    return codes
