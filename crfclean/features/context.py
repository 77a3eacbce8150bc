"""Features of the surroundings in the sequence: running text, distances, the heading above."""

from __future__ import annotations

import numpy as np

from crfclean.features.feature import rows_of
from crfclean.features.headline import title_likeness
from crfclean.features.wording import opening_phrases
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.page.arrays import share
from crfclean.page.measures import Measures, once, once_a_group
from crfclean.page.tree import in_heading, is_long, linked, running_words
from crfclean.types import Bools, Floats, Ints

FAR_BLOCKS = 100.0  # the largest distance that is counted


def window(values: Floats, reach: int) -> Floats:
    """Mean of `values` (k, n) over each block and `reach` blocks to each side, shape (k, n)."""
    kinds, size = values.shape
    total = np.concatenate([np.zeros((kinds, 1)), np.cumsum(values, axis=1)], axis=1)
    indices = np.arange(size)
    low, high = np.maximum(0, indices - reach), np.minimum(size, indices + reach + 1)
    mean: Floats = (total[:, high] - total[:, low]) / np.maximum(1, high - low)
    return mean


def last(mask: Bools) -> Ints:
    """The nearest block of the mask at or before each block, -1 for none; shape (n,) or (k, n)."""
    return np.maximum.accumulate(np.where(mask, np.arange(mask.shape[-1]), -1), axis=-1)


def since(mask: Bools) -> Floats:
    """Blocks since the last one of the mask, `FAR_BLOCKS` at most and for none, as in `last`."""
    index = last(mask)
    distance = np.arange(mask.shape[-1]) - index
    return np.where(index < 0, FAR_BLOCKS, np.minimum(distance, FAR_BLOCKS))


def until(mask: Bools) -> Floats:
    """Blocks until the next one of the mask, `FAR_BLOCKS` at most and for none; shape (n,)."""
    return since(mask[::-1])[::-1]


SMOOTHED = ("words", "links", "long", "ends")
"""Of a block: the logarithm of its words, the share of its characters in links, whether it is
running text, whether a sentence ends in it."""


@once_a_group
def _smoothed(page: Measures) -> Floats:
    """The values that are smoothed, in the order of `SMOOTHED`, shape (4, n)."""
    ends = page.sentence_ends > 0
    return np.array([np.log1p(page.words), linked(page), is_long(page), ends], np.float64)


_REACHES = (2, 5, 12)  # blocks to each side


@once_a_group
def smooth(page: Measures) -> Floats:
    """Means of the values in `SMOOTHED` over the neighbours in each of the reaches, (4 * 3, n)."""
    means = [window(_smoothed(page), reach) for reach in _REACHES]
    return np.stack(means, axis=1).reshape(len(SMOOTHED) * len(_REACHES), len(page))


def since_long(page: Measures) -> Floats:
    """Blocks since the last running text, 0 in one; `FAR_BLOCKS` if there is none."""
    return since(is_long(page))


def until_long(page: Measures) -> Floats:
    """Blocks until the next running text, 0 in one; `FAR_BLOCKS` if there is none."""
    return until(is_long(page))


def long_before(page: Measures) -> Floats:
    """Share of the page's running text that stands before the block (0..1)."""
    words = running_words(page)
    return share(np.cumsum(words) - words, words.sum())


def long_left(page: Measures) -> Floats:
    """Share of the page's running text that stands after the block (0..1)."""
    words = running_words(page)
    return share(words.sum() - np.cumsum(words), words.sum())


@once
def heading_above(page: Measures) -> Ints:
    """The last block in a heading at or before each block, -1 for none; shape (n,)."""
    return last(in_heading(page))


def heading_level(page: Measures) -> Floats:
    """Level of the heading above, 1 to 6 (of nested ones the smallest); 0 for none."""
    level = np.zeros(len(page))
    for number in range(6, 0, -1):
        if f"h{number}" in page.tag_names:
            level[page.inside([f"h{number}"])[page.blocks.node] > 0] = number
    above = heading_above(page)
    return np.where(above < 0, 0.0, level[above])


def since_heading(page: Measures) -> Floats:
    """Blocks since the heading above, 0 in one; `FAR_BLOCKS` if there is none."""
    above = heading_above(page)
    return np.where(above < 0, FAR_BLOCKS, np.minimum(np.arange(len(page)) - above, FAR_BLOCKS))


@once
def heading_says(page: Measures) -> Floats:
    """Whether the heading above begins with a phrase of each group (0 or 1), (groups, n)."""
    above = heading_above(page)
    return np.where(above < 0, 0.0, opening_phrases(page)[above].T)


SINCE_PHRASES = ("related", "comments", "byline", "legal")
_PLACES = [PHRASE_GROUPS.index(group) for group in SINCE_PHRASES]


@once_a_group
def since_phrase(page: Measures) -> Floats:
    """Blocks since a short one began with a phrase of each of `SINCE_PHRASES`, (groups, n)."""
    return since(opening_phrases(page).T[_PLACES])


def h1_above(page: Measures) -> Floats:
    """Whether an `h1` stands at or before the block (0 or 1)."""
    in_h1 = page.inside(["h1"])[page.blocks.node] > 0
    return (last(in_h1) >= 0).astype(np.float64)


def link_run(page: Measures) -> Floats:
    """Length of the run of link blocks (over 80 % of characters) around the block, 0 in none."""
    whole_link = linked(page) > 0.8
    run = np.cumsum(np.diff(whole_link, prepend=False) & whole_link)
    return np.where(whole_link, np.bincount(run[whole_link], minlength=len(run) + 1)[run], 0.0)


def heading_title(page: Measures) -> Floats:
    """Similarity of the heading above to the page's title (0..1)."""
    above = heading_above(page)
    return np.where(above < 0, 0.0, title_likeness(page)[above])


CONTEXT = (
    rows_of((f"{name}_around{reach}" for name in SMOOTHED for reach in _REACHES), smooth)
    | {
        "since_long": since_long,
        "until_long": until_long,
        "long_before": long_before,
        "long_left": long_left,
        "heading_level": heading_level,
        "since_heading": since_heading,
        "heading_title": heading_title,
        "h1_above": h1_above,
        "link_run": link_run,
    }
    | rows_of((f"heading_says_{group}" for group in PHRASE_GROUPS), heading_says)
    | rows_of((f"since_{group}" for group in SINCE_PHRASES), since_phrase)
)
