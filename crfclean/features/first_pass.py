"""What a first pass says of every block -> columns for the CRF: its own, near and alike blocks'.

A network sees each block alone; these columns let the sequence, the containers and the repeated
parts of the page speak as a whole: what it thinks of the neighbours, of each wider element, and
of all blocks made by the same template.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crfclean.features.repetition import card_keys, parent_keys, path_keys
from crfclean.page.arrays import share
from crfclean.page.measures import Measures
from crfclean.page.tree import containers
from crfclean.types import Bools, Floats, Ints, Label

LEAST, MOST = 1e-4, 1.0 - 1e-4  # probabilities whose log-odds are told apart
SURE, SURE_WORDS = 0.8, 10  # a block that the first pass would keep for certain
NEIGHBOURS = (-2, -1, 0, 1, 2)
REACHES = (3, 8, 20)  # blocks to each side that a mean runs over
FAR_BLOCKS = 100.0
LEVELS = 4
_KEYS = ("path", "parent", "card")

FIRST_PASS_NAMES = (
    *(f"pass[{step:+d}]" if step else "pass" for step in NEIGHBOURS),
    "pass_heading",
    *(f"pass_up{level}{what}" for level in range(1, LEVELS + 1) for what in ("", "_share")),
    *(f"pass_{key}{what}" for key in _KEYS for what in ("", "_share")),
    *(f"pass_around{reach}" for reach in REACHES),
    "pass_before",
    "pass_left",
    "pass_since",
    "pass_until",
    "pass_page",
    "pass_page_blocks",
    "pass_doubt",
    "pass_peak",
)
"""Names of the columns: `pass_up2` is the mean of the second wider element, `_share` its share."""

FIRST_PASS_PLACES = {name: place for place, name in enumerate(FIRST_PASS_NAMES)}


@dataclass(frozen=True, slots=True)
class Frame:
    """What of a page the columns need: `words` (n,), `spans` (4, n, 2), `keys` (3, n).

    `spans` are the half-open ranges of blocks of ever wider elements; `keys` number the blocks
    that are alike (-1: like no other).
    """

    words: Floats
    spans: Ints
    keys: Ints


def frame(page: Measures) -> Frame:
    """The frame of a page."""
    if not len(page):
        return Frame(np.zeros(0), np.zeros((LEVELS, 0, 2), np.int64), np.zeros((3, 0), np.int64))
    nodes, places = page.blocks.nodes, containers(page)
    spans = np.stack([nodes.first_block[places], nodes.end_block[places]], axis=-1)
    keys = np.array([path_keys(page), parent_keys(page), card_keys(page)])
    return Frame(page.words, spans, keys)


def first_pass_columns(page: Frame, probabilities: Floats) -> Floats:
    """First-pass probabilities (n, 3) -> columns (n, k) in the order of `FIRST_PASS_NAMES`."""
    kept = 1.0 - probabilities[:, Label.OTHER]
    if not len(kept):
        return np.zeros((0, len(FIRST_PASS_NAMES)))
    heading = share(probabilities[:, Label.HEADER], kept)
    own = [*_neighbours(kept), heading]
    parts = own + _spans(page, kept) + _alike(page, kept) + _around(page, kept) + _page(page, kept)
    return np.column_stack(parts)


def _neighbours(kept: Floats) -> list[Floats]:
    """Log-odds of the block and its neighbours, scaled to -1..1, -1 beyond the page."""
    safe = np.clip(kept, LEAST, MOST)
    odds = np.log(safe / (1.0 - safe)) / np.log(MOST / LEAST)
    reach = max(NEIGHBOURS)
    padded = np.concatenate([np.full(reach, -1.0), odds, np.full(reach, -1.0)])
    return [padded[reach + step : reach + step + len(kept)] for step in NEIGHBOURS]


def _sums(page: Frame, kept: Floats) -> tuple[Floats, Floats]:
    """Running sums of the kept words that are expected, and of all words, (n + 1,) each."""
    expected = np.concatenate([[0.0], np.cumsum(kept * page.words)])
    return expected, np.concatenate([[0.0], np.cumsum(page.words)])


def _spans(page: Frame, kept: Floats) -> list[Floats]:
    """For each wider element: its mean, weighted by words, and its share of what is expected."""
    expected, words = _sums(page, kept)
    found = []
    for first, end in zip(page.spans[:, :, 0], page.spans[:, :, 1], strict=True):
        inside = expected[end] - expected[first]
        found += [share(inside, words[end] - words[first]), share(inside, expected[-1])]
    return found


def _alike(page: Frame, kept: Floats) -> list[Floats]:
    """The same for the blocks with the same path, parent or card; -0.5 and 0 without one."""
    total = float((kept * page.words).sum())
    found = []
    for key in page.keys:
        inside = np.bincount(key + 1, kept * page.words)[key + 1]
        mean = share(inside, np.bincount(key + 1, page.words)[key + 1])
        found += [np.where(key < 0, -0.5, mean), np.where(key < 0, 0.0, share(inside, total))]
    return found


def _around(page: Frame, kept: Floats) -> list[Floats]:
    """Means over the neighbourhood, what is expected before and behind, distances to sure ones."""
    expected, words = _sums(page, kept)
    here, count = np.arange(len(kept)), len(kept)
    found = []
    for reach in REACHES:
        low, high = np.maximum(0, here - reach), np.minimum(count, here + reach + 1)
        found.append(share(expected[high] - expected[low], words[high] - words[low]))
    found += [share(expected[:-1], expected[-1]), share(expected[-1] - expected[1:], expected[-1])]
    sure = (kept > SURE) & (page.words >= SURE_WORDS)
    return [*found, _since(sure), _since(sure[::-1])[::-1]]


def _since(sure: Bools) -> Floats:
    here = np.arange(len(sure))
    last = np.maximum.accumulate(np.where(sure, here, -int(FAR_BLOCKS)))
    since: Floats = np.minimum(here - last, FAR_BLOCKS)
    return since


def _page(page: Frame, kept: Floats) -> list[Floats]:
    """Shares of the page's words and blocks that are expected, its doubt; the block's rank."""
    expected, words = kept * page.words, page.words.sum()
    doubt = np.minimum(kept, 1.0 - kept) * page.words
    total = float(words) if words else 1.0
    figures = (expected.sum() / total, np.mean(kept > 0.5), doubt.sum() / total)
    whole = [np.full(len(kept), figure) for figure in figures]
    return [*whole, share(expected, float(expected.max()))]
