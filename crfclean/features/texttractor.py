"""The 26 features of the perceptron system Texttractor, with those of neighbouring blocks.

They follow section 4.12 of the paper (2014), in its order. Every value is in 0..1: a count or mean
(`_rel`) is divided by the largest on the page; a density is at most 1, and 1 if the divisor is 0.
They do not belong to `FEATURES`, which the CRF sees.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.features.inputs import largest_nearness
from crfclean.page.arrays import share
from crfclean.page.chars import DIGIT, IDEOGRAPH, LOWER, SPACE, UPPER
from crfclean.page.measures import Measures, once
from crfclean.types import Bools, Floats, Ints

_Array = TypeVar("_Array", Floats, npt.NDArray[np.float32])

Feature: TypeAlias = Callable[[Measures], Floats]
"""Measures of a page -> one value for each of its n blocks, shape (n,)."""

_GOOD_INLINE = (
    *("abbr", "acronym", "b", "bdo", "cite", "code", "dfn", "em", "i", "kbd", "mark", "q"),
    *("samp", "strong", "sub", "sup", "var"),
)
"""Inline elements of running text: the paper names `cite` and `code`, "and others"."""

_GOOD_NAMES = ("named_article", "named_content", "named_body", "named_main", "named_post")
"""Names in a class or id that suggest main text."""

_ITEMS = ("li", "dt", "dd")
_BELOW_BODY = 1.5  # elements around a child of `body` are 2; the half is for rounding
_TINY = 1e-9
NEIGHBOUR_STEPS = (-1, 0, 1)
"""Offsets of the blocks whose columns are a block's inputs, in order."""


def flag(mask: Bools) -> Floats:
    """A mask as numbers, 0 or 1, of the same shape."""
    return mask.astype(np.float64)


def _rel(values: Floats) -> Floats:
    """Divide values by the largest one on the page; 0 if all are 0."""
    return share(values, np.full(values.shape, values.max(initial=0.0)))


def _density(part: Floats | Ints, total: Floats) -> Floats:
    """Part / total, at most 1; 1 where the total is 0."""
    density: Floats = np.minimum(np.where(total > 0, share(part, total), 1.0), 1.0)
    return density


@once
def _token_sizes(page: Measures) -> Floats:
    """Count the letters and digits, the upper-case and the lower-case letters; (tokens, 3)."""
    classes, starts = page.classes, page.token_starts
    if not len(starts):
        return np.zeros((0, 3))
    solid = (classes <= DIGIT) | (classes == IDEOGRAPH)
    masks = (solid, classes == UPPER, classes == LOWER)
    return np.array([np.add.reduceat(mask, starts, dtype=np.int64) for mask in masks], float).T


def _words_that(page: Measures, mask: Bools) -> Floats:
    """Count the tokens of a mask (tokens,) in each block."""
    return page.count(page.token_owner[mask])


@once
def _all_caps(page: Measures) -> Floats:
    """Tokens of two upper-case letters or more, and no lower-case one."""
    sizes = _token_sizes(page)
    return _words_that(page, (sizes[:, 1] >= 2) & (sizes[:, 2] == 0))


@once
def _word_tokens(page: Measures) -> Floats:
    """Tokens with a letter or digit."""
    return _words_that(page, _token_sizes(page)[:, 0] > 0)


@once
def _word_length(page: Measures) -> Floats:
    """Mean letters and digits of a block's words, 0 without words."""
    solid = np.bincount(page.token_owner, _token_sizes(page)[:, 0], len(page))
    return share(solid, _word_tokens(page))


@once
def _sentences(page: Measures) -> Floats:
    """Sentences of a block; words without an end of a sentence count as one."""
    return np.maximum(page.sentence_ends, flag(page.words > 0))


def letters_rel(page: Measures) -> Floats:
    """Letters."""
    return _rel(page.letters)


def words_rel(page: Measures) -> Floats:
    """Words (ideographic text: half a word a character)."""
    return _rel(page.words)


def capitals_rel(page: Measures) -> Floats:
    """Words that begin with an upper-case letter."""
    return _rel(page.capitalised)


def all_caps_rel(page: Measures) -> Floats:
    """Words of two or more letters, all upper-case."""
    return _rel(_all_caps(page))


def sentences_rel(page: Measures) -> Floats:
    """Sentences."""
    return _rel(_sentences(page))


def digit_density(page: Measures) -> Floats:
    """Digits per character other than white space."""
    return _density(page.by_class[:, DIGIT], page.chars)


def space_density(page: Measures) -> Floats:
    """White space per character of the block's text."""
    total = (page.sizes - 1).astype(np.float64)
    return _density(page.by_class[:, SPACE] - 1, total)  # the line break is not the block's


def links_rel(page: Measures) -> Floats:
    """Links that begin in the block."""
    return _rel(page.count_in_block("a"))


def bars_rel(page: Measures) -> Floats:
    """Vertical bars."""
    return _rel(page.having("|"))


def images_rel(page: Measures) -> Floats:
    """Pictures in the block or between it and the one before."""
    return _rel(page.count_in_block("img"))


def good_inline_rel(page: Measures) -> Floats:
    """Inline elements that running text has."""
    return _rel(page.count_in_block(*_GOOD_INLINE))


def has_copyright(page: Measures) -> Floats:
    """Return whether the block has a copyright sign (0 or 1)."""
    return flag(page.having("©") > 0)


def has_angle(page: Measures) -> Floats:
    """Return whether the block has an angle bracket (0 or 1)."""
    return flag(page.having("<>") > 0)


def word_length_rel(page: Measures) -> Floats:
    """Mean length of the block's words."""
    return _rel(_word_length(page))


def sentence_length_rel(page: Measures) -> Floats:
    """Mean words of the block's sentences."""
    return _rel(share(page.words, _sentences(page)))


def image_density(page: Measures) -> Floats:
    """Pictures per word."""
    return _density(page.count_in_block("img"), page.words)


def bar_density(page: Measures) -> Floats:
    """Vertical bars per character other than white space."""
    return _density(page.having("|"), page.chars)


def link_word_density(page: Measures) -> Floats:
    """Links per word."""
    return _density(page.count_in_block("a"), page.words)


def all_caps_density(page: Measures) -> Floats:
    """Share of the block's words that are all upper-case."""
    return _density(_all_caps(page), _word_tokens(page))


def long_word_density(page: Measures) -> Floats:
    """Share of the block's words that are longer than their mean."""
    size = _token_sizes(page)[:, 0]
    return _density(
        _words_that(page, size > _word_length(page)[page.token_owner]), _word_tokens(page)
    )


def short_word_density(page: Measures) -> Floats:
    """Share of the block's words that are shorter than their mean."""
    size = _token_sizes(page)[:, 0]
    short = (size > 0) & (size < _word_length(page)[page.token_owner])
    return _density(_words_that(page, short), _word_tokens(page))


def good_parent(page: Measures) -> Floats:
    """Return whether an element around the block has a class or id that suggests text (0 or 1).

    The class and id of `html` and `body` do not count: they name the type of the page.
    """
    near = largest_nearness(page, _GOOD_NAMES)
    steps = np.where(near > 0, 1.0 / np.maximum(near, _TINY) - 1.0, np.inf)
    inside_body: Bools = page.table.depth[page.table.start] - steps >= _BELOW_BODY
    return flag(inside_body)


def is_heading(page: Measures) -> Floats:
    """Return whether the block is in a heading (0 or 1)."""
    return flag(page.table.in_heading)


def is_paragraph(page: Measures) -> Floats:
    """Return whether the block's element is `p` (0 or 1)."""
    return flag(page.is_tag("p")[page.node])


def is_item(page: Measures) -> Floats:
    """Return whether the block's element is a list item (0 or 1)."""
    return flag(page.is_tag(*_ITEMS)[page.node])


def place(page: Measures) -> Floats:
    """Blocks before the block, over those of the page."""
    return np.arange(len(page)) / len(page)


TEXTTRACTOR: dict[str, Feature] = {
    feature.__name__: feature
    for feature in (
        *(letters_rel, words_rel, capitals_rel, all_caps_rel, sentences_rel, digit_density),
        *(space_density, links_rel, bars_rel, images_rel, good_inline_rel, has_copyright),
        *(has_angle, word_length_rel, sentence_length_rel, image_density, bar_density),
        *(link_word_density, all_caps_density, long_word_density, short_word_density),
        *(good_parent, is_heading, is_paragraph, is_item, place),
    )
}
"""Name -> column, in the paper's order."""


def with_neighbours(columns: _Array, steps: tuple[int, ...] = NEIGHBOUR_STEPS) -> _Array:
    """Put the columns (n, k) of the blocks at each offset side by side, (n, k * steps).

    They are 0 where the page has no block at the offset.
    """
    count, width = columns.shape
    wide = np.zeros((count, width * len(steps)), columns.dtype)
    for number, step in enumerate(steps):
        low, high = max(0, -step), min(count, count - step)
        if low < high:
            wide[low:high, number * width : (number + 1) * width] = columns[
                low + step : high + step
            ]
    return wide


def input_names(
    names: tuple[str, ...], steps: tuple[int, ...] = NEIGHBOUR_STEPS
) -> tuple[str, ...]:
    """Return the names of `with_neighbours`' columns: `place[+1]` is the next block's place."""
    return tuple(f"{name}[{step:+d}]" if step else name for step in steps for name in names)
