"""Tell what each block of a page is, from its title to its legal notices."""

from __future__ import annotations

import numpy as np

from crfclean.features.forms import forms
from crfclean.features.headline import headline
from crfclean.features.kinds import is_byline, is_caption
from crfclean.features.leads import is_lead
from crfclean.features.zones import zones
from crfclean.page.measures import Measures, once
from crfclean.page.tree import in_heading
from crfclean.types import Bools, Ints, Kind


@once
def kinds_of(page: Measures) -> Ints:
    """The `Kind` of each block, shape (n,); posts of threads are comments here.

    The title is first, then what the nearest element around is there for, then what the block is by
    itself. Authors and dates of comments are bylines.
    """
    if not len(page):
        return np.zeros(0, np.int32)
    around, kinds = zones(page), forms(page)
    bylines, captions = is_byline(page), is_caption(page) | _in_captions(page)
    headings = in_heading(page)
    plain = (around == 0) & (kinds == 0) & ~bylines & ~captions & ~headings
    kinds[is_lead(page, plain)] = Kind.LEAD
    for kind, mask in ((Kind.HEADING, headings), (Kind.BYLINE, bylines), (Kind.CAPTION, captions)):
        kinds[mask] = kind
    signed = (around == Kind.COMMENT) & (bylines | captions)
    kinds = np.where((around > 0) & ~signed, around, kinds)
    if (index := headline(page)) >= 0:
        kinds[index] = Kind.TITLE
    return kinds


def _in_captions(page: Measures) -> Bools:
    """Whether each block is in the caption of a figure or table, at any height; shape (n,)."""
    inside: Bools = page.inside(["figcaption", "caption"])[page.blocks.node] > 0
    return inside


def with_posts(kinds: Ints, *, is_thread: bool) -> Ints:
    """The `Kind`s (n,) of a page; on a thread the comments are posts."""
    posts: Ints = np.where((kinds == Kind.COMMENT) & is_thread, Kind.POST, kinds)
    return posts
