"""Turn the probabilities of a first pass into columns for the CRF.

The network of the first pass sees each block alone. These columns add what it expects of the
neighbours, of each wider element, and of all blocks made by the same template.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crfclean.features.context import FAR_BLOCKS
from crfclean.features.repetition import card_keys, parent_keys, path_keys
from crfclean.page.arrays import share
from crfclean.page.measures import Measures
from crfclean.page.tree import containers
from crfclean.types import Bools, Floats, Ints, Label

LEAST, MOST = 1e-4, 1.0 - 1e-4  # bounds of probabilities: beyond, log-odds would grow without end
SURE, SURE_WORDS = 0.8, 10  # least probability and words of a block that is surely kept
NEIGHBOURS = (-2, -1, 0, 1, 2)
REACHES = (3, 8, 20)  # blocks to each side that a mean runs over
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
"""Names of the columns: `pass_up2` is the mean over the second wider element, `_share` its share
of the words that are expected to be kept."""

FIRST_PASS_PLACES = {name: place for place, name in enumerate(FIRST_PASS_NAMES)}


@dataclass(frozen=True, slots=True)
class Frame:
    """What the columns need of a page: `words` (n,), `spans` (4, n, 2), `keys` (3, n).

    `spans` are the half-open ranges of blocks of ever wider elements; `keys` number the groups
    of blocks that are alike (-1: in no group).
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
    columns = [*_neighbours(kept), heading, *_spans(page, kept), *_alike(page, kept)]
    return np.column_stack([*columns, *_around(page, kept), *_page(page, kept)])


def scaled_odds(kept: Floats) -> Floats:
    """Log-odds of probabilities, scaled to -1..1."""
    clipped = np.clip(kept, LEAST, MOST)
    odds: Floats = np.log(clipped / (1.0 - clipped)) / np.log(MOST / LEAST)
    return odds


def kept_probability(odds: Floats) -> Floats:
    """The probabilities of `scaled_odds`, within its bounds."""
    probability: Floats = 1.0 / (1.0 + np.exp(-odds * np.log(MOST / LEAST)))
    return probability


def _neighbours(kept: Floats) -> list[Floats]:
    """Scaled log-odds of the block and its neighbours; -1 beyond the page."""
    odds = scaled_odds(kept)
    reach = max(NEIGHBOURS)
    padded = np.concatenate([np.full(reach, -1.0), odds, np.full(reach, -1.0)])
    return [padded[reach + step : reach + step + len(kept)] for step in NEIGHBOURS]


def _sums(page: Frame, kept: Floats) -> tuple[Floats, Floats]:
    """Running sums of the words expected to be kept, and of all words, (n + 1,) each."""
    expected = np.concatenate([[0.0], np.cumsum(kept * page.words)])
    return expected, np.concatenate([[0.0], np.cumsum(page.words)])


def _spans(page: Frame, kept: Floats) -> list[Floats]:
    """Of each wider element: its mean, weighted by words, and its share of the expected words."""
    expected, words = _sums(page, kept)
    columns = []
    for first, end in zip(page.spans[:, :, 0], page.spans[:, :, 1], strict=True):
        inside = expected[end] - expected[first]
        columns += [share(inside, words[end] - words[first]), share(inside, expected[-1])]
    return columns


def _alike(page: Frame, kept: Floats) -> list[Floats]:
    """The same for the blocks with the same path, parent or card; -0.5 and 0 in no group."""
    total = float((kept * page.words).sum())
    columns = []
    for key in page.keys:
        inside = np.bincount(key + 1, kept * page.words)[key + 1]
        mean = share(inside, np.bincount(key + 1, page.words)[key + 1])
        columns += [np.where(key < 0, -0.5, mean), np.where(key < 0, 0.0, share(inside, total))]
    return columns


def _around(page: Frame, kept: Floats) -> list[Floats]:
    """Means over the neighbourhood, expected shares before and after, distances to sure blocks."""
    expected, words = _sums(page, kept)
    indices, count = np.arange(len(kept)), len(kept)
    columns = []
    for reach in REACHES:
        low, high = np.maximum(0, indices - reach), np.minimum(count, indices + reach + 1)
        columns.append(share(expected[high] - expected[low], words[high] - words[low]))
    columns += [
        share(expected[:-1], expected[-1]),
        share(expected[-1] - expected[1:], expected[-1]),
    ]
    sure = (kept > SURE) & (page.words >= SURE_WORDS)
    return [*columns, _since(sure), _since(sure[::-1])[::-1]]


def _since(sure: Bools) -> Floats:
    indices = np.arange(len(sure))
    last = np.maximum.accumulate(np.where(sure, indices, -int(FAR_BLOCKS)))
    since: Floats = np.minimum(indices - last, FAR_BLOCKS)
    return since


def _page(page: Frame, kept: Floats) -> list[Floats]:
    """Expected shares of the page's words and blocks, its doubt; the block over the largest."""
    expected, words = kept * page.words, page.words.sum()
    doubt = np.minimum(kept, 1.0 - kept) * page.words
    total = float(words) if words else 1.0
    figures = (expected.sum() / total, np.mean(kept > 0.5), doubt.sum() / total)
    constant = [np.full(len(kept), figure) for figure in figures]
    return [*constant, share(expected, float(expected.max()))]
