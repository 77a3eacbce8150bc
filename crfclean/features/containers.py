"""Features of the elements around a block: how much text they hold, and of what kind.

Victor has the share of the page's words in the surrounding `div`. Here are more such figures, and
for more elements: every wider one, the smallest one with much of the page, and the one that
Readability (Arc90, 2009) would pick by the commas and length of its paragraphs, less its links.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crfclean.features.feature import Family, Feature, Row, rows_of
from crfclean.page.arrays import share
from crfclean.page.measures import Measures, once, once_a_group
from crfclean.page.tree import (
    HEADINGS,
    containers,
    div_groups,
    held,
    is_long,
    link_words,
    nearest,
    running_words,
    sizes,
    wider,
)
from crfclean.types import Bools, Floats, Ints

BIG_SHARE = 0.3  # least share of the page's words in a big element
MIN_SCORED_CHARS = 25  # Readability does not score shorter paragraphs

_Place = Callable[[Measures], Ints]
"""Measures -> an element for each block, (n,), or -1."""


@once_a_group
def _sums(page: Measures) -> Floats:
    """Words, link words, sentence ends, words of running text, headings in elements, (m, 5)."""
    headings = page.is_tag(HEADINGS)[page.blocks.node]
    values = (page.words, link_words(page), page.sentence_ends, running_words(page), headings)
    return held(page, np.column_stack(values))


@once_a_group
def big_element(page: Measures) -> Ints:
    """The smallest element with `BIG_SHARE` of the page's words around a block, else -1; (n,)."""
    words = _sums(page)[:, 0]
    return nearest(page, words >= BIG_SHARE * page.all_words)[page.blocks.node]


@once_a_group
def paragraph_scores(page: Measures) -> Floats:
    """Readability's score of each element, by the paragraphs in it, shape (m,).

    A paragraph counts for the next wider element, and by half for the one around that.
    """
    node = page.blocks.node
    points = np.minimum(page.chars / 100.0, 3.0) + page.commas + 1.0
    points = np.where((page.chars >= MIN_SCORED_CHARS) & is_long(page), points, 0.0)
    up = wider(page)
    above = np.where(up[node] < 0, node, up[node])
    second = np.where(up[above] < 0, above, up[above])
    count = len(page.blocks.nodes)
    scores = np.bincount(above, points, minlength=count)
    scores = scores + np.bincount(second, points / 2.0, minlength=count)
    sums = _sums(page)
    weighted: Floats = scores * (1.0 - share(sums[:, 1], sums[:, 0]))
    return weighted


@once
def best_element(page: Measures) -> Ints:
    """The element with the best `paragraph_scores`, the same for all blocks; shape (n,)."""
    if not len(page):
        return np.zeros(0, np.int64)
    return np.full(len(page), int(paragraph_scores(page).argmax()))


@once
def inside_best(page: Measures) -> Bools:
    """Whether each block stands inside the best element, shape (n,)."""
    nodes, node = page.blocks.nodes, best_element(page)
    indices = np.arange(len(page))
    return (indices >= nodes.first_block[node]) & (indices < nodes.end_block[node])


def level(height: int) -> _Place:
    """The element `height` + 1 steps of widening above a block's container."""
    return lambda page: containers(page)[height]


def div(page: Measures) -> Ints:
    """The nearest `div`, section, article or main."""
    return div_groups(page)


PLACES: dict[str, _Place] = {
    "up1": level(0),
    "up2": level(1),
    "up3": level(2),
    "up4": level(3),
    "div": div,
    "big": big_element,
    "best": best_element,
}
"""Name -> the element that is measured for each block; -1 gives zeros."""


def words_share(page: Measures) -> Floats:
    """Share of the page's words inside each element (0..1), shape (m,)."""
    return share(_sums(page)[:, 0], page.all_words)


def long_share(page: Measures) -> Floats:
    """Share of the page's running text inside each element (0..1), shape (m,)."""
    return share(_sums(page)[:, 3], _sums(page)[:, 3].max(initial=0.0))


def running_share(page: Measures) -> Floats:
    """Share of each element's words that are running text (0..1), shape (m,)."""
    return share(_sums(page)[:, 3], _sums(page)[:, 0])


def link_share(page: Measures) -> Floats:
    """Share of each element's words in links (0..1), shape (m,)."""
    return share(_sums(page)[:, 1], _sums(page)[:, 0])


def block_count(page: Measures) -> Floats:
    """Blocks inside each element, shape (m,)."""
    return sizes(page).astype(np.float64)


def mean_words(page: Measures) -> Floats:
    """Mean words of the blocks inside each element, shape (m,)."""
    return share(_sums(page)[:, 0], sizes(page))


def sentence_rate(page: Measures) -> Floats:
    """Sentence ends per block inside each element, shape (m,)."""
    return share(_sums(page)[:, 2], sizes(page))


def heading_rate(page: Measures) -> Floats:
    """Headings per block inside each element (0..1), shape (m,)."""
    return share(_sums(page)[:, 4], sizes(page))


ELEMENT_FIGURES: dict[str, Feature] = {
    "words_share": words_share,
    "long_share": long_share,
    "running_share": running_share,
    "link_share": link_share,
    "blocks": block_count,
    "mean_words": mean_words,
    "sentence_rate": sentence_rate,
    "heading_rate": heading_rate,
}
"""Name -> figure of elements, each of shape (m,)."""


@once
def _figures(page: Measures) -> Floats:
    """All `ELEMENT_FIGURES` of the elements, and zeros for -1, shape (m + 1, figures)."""
    columns = np.column_stack([figure(page) for figure in ELEMENT_FIGURES.values()])
    return np.concatenate([columns, np.zeros((1, len(ELEMENT_FIGURES)))])


def figures_of(place: _Place) -> Family:
    """The `ELEMENT_FIGURES` of each block's element, 0 where there is none; (figures, n)."""
    return lambda page: _figures(page).take(place(page), 0).T


@once_a_group
def _places_in(page: Measures) -> Floats:
    """Blocks since the first block of each of `PLACES` over its number of blocks, (places, n).

    0 without an element; 0..1 inside the element; for the best element also below 0 before it and
    above 1 after it.
    """
    elements = np.array([place(page) for place in PLACES.values()])
    first = page.blocks.nodes.first_block[elements]
    inside = share(np.arange(len(page)) - first, sizes(page)[elements])
    return np.where(elements < 0, 0.0, inside)


def in_best(page: Measures) -> Floats:
    """Whether the block stands inside the best element (0 or 1)."""
    return inside_best(page).astype(np.float64)


def after_best(page: Measures) -> Floats:
    """Blocks since the last one of the best element, 0 up to there."""
    last = page.blocks.nodes.end_block[best_element(page)] - 1.0
    return np.clip(np.arange(len(page)) - last, 0.0, None)


def before_best(page: Measures) -> Floats:
    """Blocks until the first one of the best element, 0 from there on."""
    first = page.blocks.nodes.first_block[best_element(page)].astype(np.float64)
    return np.clip(first - np.arange(len(page)), 0.0, None)


def best_common(page: Measures) -> Floats:
    """Share of the page's words in the smallest element around block and best element (0..1).

    This is the best element itself for the blocks in it; 1 where only `body` holds both.
    """
    if not len(page):
        return np.zeros(0)
    nodes = page.blocks.nodes
    target = int(best_element(page)[0])
    first, end = nodes.first_block[target], nodes.end_block[target]
    around = (nodes.first_block <= first) & (nodes.end_block >= end)
    common = nearest(page, around)[page.blocks.node]
    return np.where(common < 0, 1.0, share(_sums(page)[:, 0], page.all_words)[common])


def paragraph_score(page: Measures) -> Floats:
    """Readability's score of the block's next wider element over the page's best (0..1)."""
    scores = paragraph_scores(page)
    return share(scores[containers(page)[0]], float(scores.max(initial=0.0)))


CONTAINERS: dict[str, Feature] = {}
for _number, (_name, _where) in enumerate(PLACES.items()):
    CONTAINERS |= rows_of((f"{_name}_{figure}" for figure in ELEMENT_FIGURES), figures_of(_where))
    CONTAINERS[f"{_name}_place_in"] = Row(_places_in, _number)
CONTAINERS |= {
    "in_best": in_best,
    "after_best": after_best,
    "before_best": before_best,
    "best_common": best_common,
    "paragraph_score": paragraph_score,
}
