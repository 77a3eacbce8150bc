"""`Measures` -> columns of the surroundings in the sequence: running text, the heading above."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from crfclean.features.headline import title_likeness
from crfclean.features.lexicon import PHRASES
from crfclean.features.textual import said
from crfclean.features.tree import in_heading, is_long
from crfclean.measures import Measures, once, share
from crfclean.types import Bools, Floats, Ints

FAR_BLOCKS = 100.0  # distances are counted up to here


def window(values: Floats, reach: int) -> Floats:
    """Mean over the blocks up to `reach` before and behind, itself included; shape (n,)."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    here = np.arange(len(values))
    low, high = np.maximum(0, here - reach), np.minimum(len(values), here + reach + 1)
    mean: Floats = (total[high] - total[low]) / np.maximum(1, high - low)
    return mean


def last(wanted: Bools) -> Ints:
    """The nearest wanted place at or before each one, -1 for none; shape (n,)."""
    return np.maximum.accumulate(np.where(wanted, np.arange(len(wanted)), -1))


def since(wanted: Bools) -> Floats:
    """Blocks since the nearest wanted one, at most `FAR_BLOCKS`; shape (n,)."""
    place = last(wanted)
    gone = np.arange(len(wanted)) - place
    return np.where(place < 0, FAR_BLOCKS, np.minimum(gone, FAR_BLOCKS))


def until(wanted: Bools) -> Floats:
    """Blocks until the nearest wanted one, at most `FAR_BLOCKS`; shape (n,)."""
    return since(wanted[::-1])[::-1]


def smooth(of: Callable[[Measures], Floats], reach: int) -> Callable[[Measures], Floats]:
    """A block's value and its neighbours', as a mean."""
    return lambda page: window(of(page), reach)


def _words(page: Measures) -> Floats:
    return np.log1p(page.words)


def _links(page: Measures) -> Floats:
    return share(page.chars_in(["a"]), page.chars)


def _long(page: Measures) -> Floats:
    return is_long(page).astype(np.float64)


def _ends(page: Measures) -> Floats:
    return (page.sentence_ends > 0).astype(np.float64)


def since_long(page: Measures) -> Floats:
    """Blocks since the last running text."""
    return since(is_long(page))


def until_long(page: Measures) -> Floats:
    """Blocks until the next running text."""
    return until(is_long(page))


@once
def _long_words(page: Measures) -> Floats:
    return np.where(is_long(page), page.words, 0.0)


def long_before(page: Measures) -> Floats:
    """Share of the page's running text that stands before the block (0..1)."""
    words = _long_words(page)
    return share(np.cumsum(words) - words, words.sum())


def long_left(page: Measures) -> Floats:
    """Share of the page's running text that stands behind the block (0..1)."""
    words = _long_words(page)
    return share(words.sum() - np.cumsum(words), words.sum())


@once
def heading_above(page: Measures) -> Ints:
    """The last block in a heading at or before each block, -1 for none; shape (n,)."""
    return last(in_heading(page))


def heading_level(page: Measures) -> Floats:
    """Level of the heading above, 1 to 6; 0 for none."""
    level = np.zeros(len(page.page.nodes))
    for number in range(6, 0, -1):
        level[page.inside([f"h{number}"]) > 0] = number
    above = heading_above(page)
    return np.where(above < 0, 0.0, level[page.page.node][above])


def since_heading(page: Measures) -> Floats:
    """Blocks since the heading above."""
    above = heading_above(page)
    return np.where(above < 0, FAR_BLOCKS, np.minimum(np.arange(len(page)) - above, FAR_BLOCKS))


def heading_says(group: str) -> Callable[[Measures], Floats]:
    """Whether the heading above begins with a phrase of the group (0 or 1)."""
    place = list(PHRASES).index(group)

    def column(page: Measures) -> Floats:
        above = heading_above(page)
        return np.where(above < 0, 0.0, said(page)[above, place])

    return column


def since_said(group: str) -> Callable[[Measures], Floats]:
    """Blocks since a short one began with a phrase of the group."""
    place = list(PHRASES).index(group)
    return lambda page: since(said(page)[:, place])


def h1_above(page: Measures) -> Floats:
    """Whether an `h1` stands at or before the block (0 or 1)."""
    wanted = page.inside(["h1"])[page.page.node] > 0
    return (last(wanted) >= 0).astype(np.float64)


def link_run(page: Measures) -> Floats:
    """Blocks in the run of whole-link blocks around the block, 0 for a block of text."""
    linked = _links(page) > 0.8
    before, behind = since(~linked), until(~linked)
    return np.where(linked, before + behind - 1.0, 0.0)


def heading_title(page: Measures) -> Floats:
    """Likeness of the heading above with the page's title (0..1)."""
    above = heading_above(page)
    return np.where(above < 0, 0.0, title_likeness(page)[above])


CONTEXT = (
    {
        f"{name}_around{reach}": smooth(of, reach)
        for name, of in (("words", _words), ("links", _links), ("long", _long), ("ends", _ends))
        for reach in (2, 5, 12)
    }
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
    | {f"heading_says_{group}": heading_says(group) for group in PHRASES}
    | {f"since_{group}": since_said(group) for group in ("related", "comments", "byline", "legal")}
)
