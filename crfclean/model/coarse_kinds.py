"""Tell main heading, headings, captions, bylines, comments and body text apart, for models."""

from __future__ import annotations

import numpy as np

from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.model.markup import (
    CAPTIONED,
    SIGNED,
    is_near,
    with_markup,
)
from crfclean.model.zones import find_zones, main_heading
from crfclean.page.measures import once
from crfclean.types import Blocks, Bools, CoarseKind, Ints

MAX_BYLINE_WORDS = 15


def is_caption(page: Blocks) -> Bools:
    """Mark each block in a `figcaption` or similar, or in an element named like one; (n,)."""
    return is_near(page, CAPTIONED)


def is_byline(page: Blocks) -> Bools:
    """Mark each short block that is marked or worded as an author, source or date; (n,)."""
    worded = with_markup(page).phrase == PHRASE_GROUPS.index("byline")
    short = (page.words < MAX_BYLINE_WORDS) & ~page.table.in_heading
    bylines: Bools = (is_near(page, SIGNED) | worded) & short
    return bylines


def is_comment(page: Blocks) -> Bools:
    """Mark each block inside an element for readers' comments, at any height; (n,).

    Elements that are too wide do not count, nor do inline elements, such as a counter of comments
    beside a date.
    """
    return find_zones(page).in_comments


@once
def coarse_kinds(page: Blocks) -> Ints:
    """Return the `CoarseKind` of each block, the first that fits from title to comment; (n,)."""
    codes = np.full(len(page), CoarseKind.BODY, np.int32)
    if not len(page):
        return codes
    codes[is_comment(page)] = CoarseKind.COMMENTS
    codes[is_byline(page)] = CoarseKind.BYLINES
    codes[is_caption(page)] = CoarseKind.CAPTIONS
    codes[page.table.in_heading] = CoarseKind.HEADERS
    index = main_heading(page)
    if index >= 0:
        codes[index] = CoarseKind.TITLE
    return codes
