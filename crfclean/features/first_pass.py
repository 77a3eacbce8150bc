"""Turn the probabilities of a first pass into columns for the CRF.

The network of the first pass sees each block alone. These columns add what it expects of the
neighbours, of each wider element, and of all blocks made by the same template.
"""

from __future__ import annotations

import numpy as np

from crfclean.core import native
from crfclean.features.context import FAR_BLOCKS
from crfclean.features.repetition import card_keys, parent_keys, path_keys
from crfclean.page.arrays import share
from crfclean.page.measures import Measures
from crfclean.page.tree import containers
from crfclean.types import Bools, Floats, Ints, Label
from crfclean.types.light_tuple import NamedTuple

LEAST, MOST = 1e-4, 1.0 - 1e-4  # bounds of probabilities: beyond, log-odds would grow without end
SURE, SURE_WORDS = 0.8, 10  # least probability and words of a block that is surely kept
NEIGHBOURS = (-2, -1, 0, 1, 2)
REACHES = (3, 8, 20)  # blocks to each side that a mean runs over
LEVELS = 4
_KEYS = ("path", "parent", "card")
_RANGE = np.log(MOST / LEAST)  # of log-odds to either side

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


class Frame(NamedTuple):
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
    spans, keys = np.empty((*places.shape, 2), np.int64), np.empty((3, len(page)), np.int64)
    spans[..., 0], spans[..., 1] = nodes.first_block[places], nodes.end_block[places]
    keys[0], keys[1], keys[2] = path_keys(page), parent_keys(page), card_keys(page)
    return Frame(page.words, spans, keys)


def first_pass_columns(page: Frame, probabilities: Floats) -> Floats:
    """First-pass probabilities (n, 3) -> columns (n, k) in the order of `FIRST_PASS_NAMES`."""
    kept = 1.0 - probabilities[:, Label.OTHER]
    if not len(kept):
        return np.zeros((0, len(FIRST_PASS_NAMES)))
    if native.CORE is not None:
        return _columns_by_core(page, probabilities, kept)
    sums = _Sums.of(page.words, kept)
    heading = share(probabilities[:, Label.HEADER], kept)[None]
    groups = (_neighbours(kept), heading, _spans(page, sums), _alike(page, sums))
    rows = np.concatenate([*groups, _around(page, kept, sums), _page(page, kept, sums)])
    return np.ascontiguousarray(rows.T)


def _columns_by_core(page: Frame, probabilities: Floats, kept: Floats) -> Floats:
    """The same by the compiled core; numpy takes the logarithms, so that these are equal."""
    heading = share(probabilities[:, Label.HEADER], kept)
    arrays = (scaled_odds(kept), kept, heading, page.words, page.spans, page.keys)
    by_core = native.CORE.first_pass(arrays, SURE, SURE_WORDS, FAR_BLOCKS, REACHES)
    return np.frombuffer(by_core, np.float64).reshape(len(kept), -1)


class _Sums(NamedTuple):
    """Words of n blocks that are expected to be kept, (n,), their sum, and running sums.

    `before` (n + 1,) are those of the expected words before each block, `words` of all words.
    """

    expected: Floats
    total: float
    before: Floats
    words: Floats

    @classmethod
    def of(cls, words: Floats, kept: Floats) -> _Sums:
        """The sums for words (n,) and probabilities of being kept (n,)."""
        expected, running = kept * words, np.zeros((2, len(kept) + 1))
        np.cumsum(expected, out=running[0, 1:])
        np.cumsum(words, out=running[1, 1:])
        return cls(expected, float(expected.sum()), running[0], running[1])


def scaled_odds(kept: Floats) -> Floats:
    """Log-odds of probabilities, scaled to -1..1."""
    clipped = np.minimum(np.maximum(kept, LEAST), MOST)
    clipped /= 1.0 - clipped
    odds: Floats = np.log(clipped, out=clipped)
    odds /= _RANGE
    return odds


def kept_probability(odds: Floats) -> Floats:
    """The probabilities of `scaled_odds`, within its bounds."""
    probability: Floats = 1.0 / (1.0 + np.exp(-odds * _RANGE))
    return probability


def _neighbours(kept: Floats) -> Floats:
    """Scaled log-odds of the block and its neighbours, -1 beyond the page; (5, n)."""
    odds = scaled_odds(kept)
    reach, count = max(NEIGHBOURS), len(kept)
    padded = np.full(count + 2 * reach, -1.0)
    padded[reach : reach + count] = odds
    return np.stack([padded[reach + step : reach + step + count] for step in NEIGHBOURS])


def _spans(page: Frame, sums: _Sums) -> Floats:
    """Of each wider element: its mean, weighted by words, and its share of the expected words.

    Shape (8, n), mean and share by turns.
    """
    first, end = page.spans[:, :, 0], page.spans[:, :, 1]
    inside = sums.before[end] - sums.before[first]
    means = share(inside, sums.words[end] - sums.words[first])
    shares = share(inside, sums.before[-1])
    return np.stack([means, shares], axis=1).reshape(-1, inside.shape[1])


def _alike(page: Frame, sums: _Sums) -> Floats:
    """The same for blocks with the same path, parent or card, -0.5 and 0 in no group; (6, n)."""
    rows = np.empty((2 * len(page.keys), len(page.words)))
    for place, key in enumerate(page.keys + 1):
        inside = np.bincount(key, sums.expected)[key]
        mean = share(inside, np.bincount(key, page.words)[key])
        rows[2 * place] = np.where(key <= 0, -0.5, mean)
        rows[2 * place + 1] = np.where(key <= 0, 0.0, share(inside, sums.total))
    return rows


_REACHES = np.array(REACHES)[:, None]


def _around(page: Frame, kept: Floats, sums: _Sums) -> Floats:
    """Means over the neighbourhood, expected shares before and after, distances to sure blocks.

    Shape (7, n).
    """
    before, words = sums.before, sums.words
    indices, count = np.arange(len(kept)), len(kept)
    low, high = np.maximum(0, indices - _REACHES), np.minimum(count, indices + _REACHES + 1)
    means = share(before[high] - before[low], words[high] - words[low])
    sides = share(np.stack([before[:-1], before[-1] - before[1:]]), before[-1])
    sure = (kept > SURE) & (page.words >= SURE_WORDS)
    return np.concatenate([means, sides, _since(sure)[None], _since(sure[::-1])[None, ::-1]])


def _since(sure: Bools) -> Floats:
    indices = np.arange(len(sure))
    last = np.maximum.accumulate(np.where(sure, indices, -int(FAR_BLOCKS)))
    since: Floats = np.minimum(indices - last, FAR_BLOCKS)
    return since


def _page(page: Frame, kept: Floats, sums: _Sums) -> Floats:
    """Expected shares of the page's words and blocks, its doubt; the block over the largest.

    Shape (4, n).
    """
    expected, words = sums.expected, page.words.sum()
    doubt = np.minimum(kept, 1.0 - kept) * page.words
    total = float(words) if words else 1.0
    rows = np.empty((4, len(kept)))
    rows[0], rows[1] = sums.total / total, np.mean(kept > 0.5)
    rows[2], rows[3] = doubt.sum() / total, share(expected, float(expected.max()))
    return rows
