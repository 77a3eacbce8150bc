"""`Measures` -> what a block is for: main heading, heading, caption, byline, comment, body text.

Annotations disagree on whether these belong to a page's text: the user says so (`CutParams.keep`).
"""

from __future__ import annotations

import numpy as np

from crfclean.features.headline import headline
from crfclean.features.lexicon import MARKUP, PHRASES, TAGS
from crfclean.features.marks import markup_nearness, tag_nearness
from crfclean.features.textual import said
from crfclean.features.tree import in_heading
from crfclean.measures import Measures, once
from crfclean.types import Bools, Floats, Ints, Kind

NEAR = 0.5  # marked itself, or its next element
MAX_BYLINE_WORDS = 15


def _named(page: Measures, group: str) -> Floats:
    return markup_nearness(page)[:, list(MARKUP).index(group)]


def _told(page: Measures, group: str) -> Floats:
    return tag_nearness(page)[:, list(TAGS).index(group)]


def is_caption(page: Measures) -> Bools:
    """Whether each block is in a `figcaption` or the like, or an element named so; (n,)."""
    near: Bools = np.maximum(_told(page, "in_caption"), _named(page, "caption")) >= NEAR
    return near


def is_byline(page: Measures) -> Bools:
    """Whether each block is short, and marked as or worded like author, source or date; (n,)."""
    marks = (_named(page, "author"), _named(page, "date"), _told(page, "in_time"))
    near = np.maximum.reduce([*marks, _told(page, "in_author")]) >= NEAR
    worded = said(page)[:, list(PHRASES).index("byline")]
    found: Bools = (near | worded) & (page.words < MAX_BYLINE_WORDS) & ~in_heading(page)
    return found


def is_comment(page: Measures) -> Bools:
    """Whether each block stands in an element marked as comments; (n,)."""
    around: Bools = np.maximum(_named(page, "comment"), _told(page, "in_comment")) > 0
    return around


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
