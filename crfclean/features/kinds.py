"""`Measures` -> what a block is for: main heading, heading, caption, byline, comment, body text.

Annotations disagree on whether these belong to a page's text: the user says so (`CutParams.keep`).
"""

from __future__ import annotations

import numpy as np

from crfclean.features.headline import headline
from crfclean.features.markup import MARKS
from crfclean.features.wording import opening_phrases
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.page.measures import Measures, once
from crfclean.page.tree import in_heading
from crfclean.types import Bools, Floats, Ints, Kind

NEAR = 0.5  # marked itself, or its next element
MAX_BYLINE_WORDS = 15


def _nearness(page: Measures, *names: str) -> Floats:
    """The largest value of columns of `MARKS` for each block (0..1), shape (n,)."""
    nearest: Floats = np.array([MARKS[name](page) for name in names]).max(0)
    return nearest


def is_caption(page: Measures) -> Bools:
    """Whether each block is in a `figcaption` or the like, or an element named so; (n,)."""
    return _nearness(page, "in_caption", "named_caption") >= NEAR


def is_byline(page: Measures) -> Bools:
    """Whether each block is short, and marked as or worded like author, source or date; (n,)."""
    marked = _nearness(page, "named_author", "named_date", "in_time", "in_author") >= NEAR
    worded = opening_phrases(page)[:, PHRASE_GROUPS.index("byline")]
    found: Bools = (marked | worded) & (page.words < MAX_BYLINE_WORDS) & ~in_heading(page)
    return found


def is_comment(page: Measures) -> Bools:
    """Whether each block stands in an element marked as comments, at any height; (n,)."""
    return _nearness(page, "in_comment", "named_comment") > 0


@once
def kinds(page: Measures) -> Ints:
    """The kind of each block, shape (n,); the first that fits of title to comment, else body."""
    found = np.full(len(page), Kind.BODY, np.int32)
    if not len(page):
        return found
    found[is_comment(page)] = Kind.COMMENTS
    found[is_byline(page)] = Kind.BYLINES
    found[is_caption(page)] = Kind.CAPTIONS
    found[in_heading(page)] = Kind.HEADERS
    place = headline(page)
    if place >= 0:
        found[place] = Kind.TITLE
    return found
