"""Find the boxes of links beside a page's content: menus, and lists of other pages' headlines."""

from __future__ import annotations

import numpy as np

from crfclean.page.measures import Measures, once
from crfclean.page.tree import held, link_words, linked, running_words, sizes
from crfclean.types import Bools, Floats, Ints, Kind

_LINKED = 0.5  # of a block's characters, and of a box's words
_LEAST_LINKS = 3  # of a box: fewer may be a paragraph's
_HEADLINE_WORDS = 4  # of a link: fewer are the name of a section
_HEADLINES = 0.5  # of the words in a box's links: with more, it advertises other pages
_MOST = 0.7  # of a page's running text: the lowest element with more is its content


LINK_BOX_BOUNDS = (_LEAST_LINKS, _HEADLINE_WORDS, _HEADLINES, _MOST)
"""What the compiled core needs, in its order; `_LINKED` is the same as of zones."""


def link_boxes(page: Measures) -> Ints:
    """`TEASER` or `NAVIGATION` for each element that consists of links, 0 for others; (m,).

    Lists of links inside the page's content say nothing: they may be its references.
    """
    is_link = linked(page) > _LINKED
    count = held(page, is_link.astype(np.float64))
    words, links = held(page, page.words), held(page, link_words(page))
    boxes = (count >= _LEAST_LINKS) & (links >= _LINKED * words) & ~in_content(page)
    link_text = np.where(is_link, page.words, 0.0)
    headlines = np.where(words_a_link(page) >= _HEADLINE_WORDS, link_text, 0.0)
    advertises = held(page, headlines) > _HEADLINES * held(page, link_text)
    kinds = np.where(advertises, Kind.TEASER, Kind.NAVIGATION)
    box_kinds: Ints = np.where(boxes, kinds, 0).astype(np.int32)
    return box_kinds


def words_a_link(page: Measures) -> Floats:
    """Words of each block by the links that begin in it, shape (n,)."""
    nodes = page.blocks.nodes
    starts = page.is_tag(["a"]) & (nodes.first_block < len(page))
    count = np.bincount(nodes.first_block[starts], minlength=len(page))
    shares: Floats = page.words / np.maximum(count, 1)
    return shares


@once
def in_content(page: Measures) -> Bools:
    """Whether each element is, holds, or is inside the one that holds most running text; (m,).

    Without running text it is every element: the page may be a list itself.
    """
    running = held(page, running_words(page))
    is_main = running > _MOST * float(running_words(page).sum())
    main = np.flatnonzero(is_main & (sizes(page) > 1))  # a paragraph is no page's content
    if not len(main):
        return np.ones(len(running), np.bool_)
    lowest = main[-1]  # all of them are around one another
    indices = np.arange(len(running))
    inside: Bools = (indices >= lowest) & (indices < page.blocks.nodes.end[lowest])
    inside[is_main] = True
    return inside
