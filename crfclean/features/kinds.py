"""Tell main heading, headings, captions, bylines, comments and body text apart, for models.

Models are trained with these coarse kinds; `block_kinds` has those that are shown to users.
"""

from __future__ import annotations

import numpy as np

from crfclean.features.markup import largest_nearness
from crfclean.features.wording import opening_groups
from crfclean.features.zones import find_zones, main_heading
from crfclean.lexicon.language import PHRASE_GROUPS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import in_heading
from crfclean.types import Bools, CoarseKind, Ints

NEAR = 0.5  # the block's element is marked, or the one around it
SIGNED = ("named_author", "named_date", "in_time", "in_author")
CAPTIONED = ("in_caption", "named_caption")
MAX_BYLINE_WORDS = 15


def is_caption(page: Measures) -> Bools:
    """Whether each block is in a `figcaption` or the like, or an element named like one; (n,)."""
    return largest_nearness(page, CAPTIONED) >= NEAR


def is_byline(page: Measures) -> Bools:
    """Whether each block is short, and marked or worded as an author, source or date; (n,)."""
    marked = largest_nearness(page, SIGNED) >= NEAR
    worded = opening_groups(page) == PHRASE_GROUPS.index("byline")
    bylines: Bools = (marked | worded) & (page.words < MAX_BYLINE_WORDS) & ~in_heading(page)
    return bylines


def is_comment(page: Measures) -> Bools:
    """Whether each block stands in an element that is there for comments, at any height; (n,).

    Elements that are too wide, and inline elements, such as a counter of comments beside a date,
    are there for none.
    """
    return find_zones(page).in_comments


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
