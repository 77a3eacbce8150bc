"""Compute the 26 features of the perceptron Texttractor, with those of neighbouring blocks.

They follow section 4.12 of the paper (2014), in its order. They do not belong to `FEATURES`, which
the CRF sees.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.core.table import FAR
from crfclean.model.markup import rows_of_steps, with_markup
from crfclean.page.chars import DIGIT, IDEOGRAPH, LOWER, SPACE, UNCASED, UPPER, classify, share
from crfclean.types import Blocks, Bools, Floats, Ints

_Array = TypeVar("_Array", Floats, npt.NDArray[np.float32])

_GOOD_INLINE = (
    *("abbr", "acronym", "b", "bdo", "cite", "code", "dfn", "em", "i", "kbd", "mark", "q"),
    *("samp", "strong", "sub", "sup", "var"),
)
"""Inline elements of running text: the paper names `cite` and `code`, "and others"."""

_GOOD_NAMES = ("named_article", "named_content", "named_body", "named_main", "named_post")
"""Names in a class or id that suggest main text."""

TEXTTRACTOR = (
    *("letters_rel", "words_rel", "capitals_rel", "all_caps_rel", "sentences_rel"),
    *("digit_density", "space_density", "links_rel", "bars_rel", "images_rel", "good_inline_rel"),
    *("has_copyright", "has_angle", "word_length_rel", "sentence_length_rel", "image_density"),
    *("bar_density", "link_word_density", "all_caps_density", "long_word_density"),
    *("short_word_density", "good_parent", "is_heading", "is_paragraph", "is_item", "place"),
)
"""Names of the features, in the paper's order."""

NEIGHBOUR_STEPS = (-1, 0, 1)
"""Offsets of the blocks whose columns are a block's inputs, in order."""


def _rel(values: Floats) -> Floats:
    """Divide values by the largest one on the page; 0 if all are 0."""
    return share(values, values.max(initial=0.0))


def _density(part: Floats | Ints, total: Floats) -> Floats:
    """Part / total, at most 1; 1 where the total is 0."""
    density: Floats = np.minimum(np.where(total > 0, share(part, total), 1.0), 1.0)
    return density


def texttractor(page: Blocks) -> dict[str, Floats]:
    """Compute each of the `TEXTTRACTOR` for a page with blocks; (n,), all in 0..1.

    A count or mean (`_rel`) is divided by the largest on the page; a density is at most 1, and 1 if
    the divisor is 0. Words are tokens with a letter or digit; `words_rel` counts half a word for
    each ideograph. A block with words has a sentence at least. A word is long or short beside the
    mean of its block.
    """
    table = page.table
    by_class, chars = table.by_class.reshape(len(page), -1), table.chars
    letters = by_class[:, [LOWER, UPPER, UNCASED, IDEOGRAPH]].sum(1).astype(float)
    sentences = np.maximum(table.sentence_ends, table.words > 0)
    links, images = _begun(page, "a"), _begun(page, "img")
    sizes = (table.sizes - 1).astype(np.float64)  # the line break is not the block's
    bars, tokens = _having(page, "|"), _tokens(page)
    values = (
        *(_rel(letters), _rel(table.words), _rel(table.capitalised), _rel(tokens["all_caps"])),
        *(_rel(sentences), _density(by_class[:, DIGIT], chars)),
        _density(by_class[:, SPACE] - 1, sizes),
        *(_rel(links), _rel(bars), _rel(images), _rel(_begun(page, *_GOOD_INLINE))),
        *(_having(page, "©") > 0, _having(page, "<>") > 0, _rel(tokens["length"])),
        _rel(share(table.words, sentences)),
        *(_density(images, table.words), _density(bars, chars), _density(links, table.words)),
        *(_density(tokens[name], tokens["words"]) for name in ("all_caps", "long", "short")),
        *(_has_good_parent(page), table.in_heading, page.table.is_tag("p")[page.node]),
        *(page.table.is_tag("li", "dt", "dd")[page.node], np.arange(len(page)) / len(page)),
    )
    return dict(zip(TEXTTRACTOR, (value.astype(float) for value in values), strict=True))


def _tokens(page: Blocks) -> dict[str, Floats]:
    """Count words, upper-case words of two letters or more, long and short words; (n,) each.

    `length` is the mean number of letters and digits of a block's words, 0 without words.
    """
    classes = classify("\n".join((*page.table.plain_texts, "")))
    space = classes == SPACE
    starts = np.flatnonzero(~space & np.append(True, space[:-1]))
    owner = np.repeat(np.arange(len(page)), page.table.sizes)[starts]
    masks = ((classes <= DIGIT) | (classes == IDEOGRAPH), classes == UPPER, classes == LOWER)
    size, upper, lower = (
        np.add.reduceat(mask, starts, dtype=np.int64) if len(starts) else starts for mask in masks
    )

    def count(mask: Bools) -> Floats:
        return np.bincount(owner[mask], minlength=len(page)).astype(float)

    words = count(size > 0)
    length = share(np.bincount(owner, size, len(page)), words)
    return {
        "words": words,
        "length": length,
        "all_caps": count((upper >= 2) & (lower == 0)),
        "long": count(size > length[owner]),
        "short": count((size > 0) & (size < length[owner])),
    }


def _having(page: Blocks, chars: str) -> Floats:
    """Count some characters in each block."""
    return np.array([sum(map(text.count, chars)) for text in page.table.plain_texts], float)


def _begun(page: Blocks, *tags: str) -> Floats:
    """Count the elements of some tags that begin in each block or just before it."""
    first = page.table.first_block[page.table.is_tag(*tags)]
    return np.bincount(first[first < len(page)], minlength=len(page)).astype(float)


def _has_good_parent(page: Blocks) -> Bools:
    """Mark each block inside an element whose class or id suggests text.

    The class and id of `html` and `body` do not count: they name the type of the page.
    """
    table = with_markup(page)
    steps = table.steps[rows_of_steps(_GOOD_NAMES)].min(0)
    good: Bools = (steps < FAR) & (table.depth[table.start] - steps.astype(int) > 1)
    return good


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
