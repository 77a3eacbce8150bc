"""Turn the probabilities of a first pass into columns for the CRF.

The network of the first pass sees each block alone. These columns add what it expects of the
neighbours, of each wider element, and of all blocks made by the same template.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from crfclean.core.native import CORE
from crfclean.features.table import derived
from crfclean.page.arrays import share
from crfclean.page.measures import Measures
from crfclean.page.tree import containers
from crfclean.types import Floats, Ints, Label

LEAST, MOST = 1e-4, 1.0 - 1e-4  # bounds of probabilities: beyond, log-odds would grow without end
SURE, SURE_WORDS = 0.8, 10  # least probability and words of a block that is surely kept
_NEIGHBOURS = (-2, -1, 0, 1, 2)
REACHES = (3, 8, 20)  # blocks to each side that a mean runs over
_FAR_BLOCKS = 100.0  # the largest distance that is counted
LEVELS = 4
_KEYS = ("path", "parent", "card")
_RANGE = np.log(MOST / LEAST)  # of log-odds to either side

FIRST_PASS_NAMES = (
    *(f"pass[{step:+d}]" if step else "pass" for step in _NEIGHBOURS),
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
    nodes, places = page.nodes, containers(page)
    spans = np.empty((*places.shape, 2), np.int64)
    spans[..., 0], spans[..., 1] = nodes.first_block[places], nodes.end_block[places]
    return Frame(page.words, spans, derived(page).keys)


def first_pass_columns(page: Frame, probabilities: Floats) -> Floats:
    """First-pass probabilities (n, 3) -> columns (n, k) in the order of `FIRST_PASS_NAMES`."""
    kept = 1.0 - probabilities[:, Label.OTHER]
    if not len(kept):
        return np.zeros((0, len(FIRST_PASS_NAMES)))
    heading = share(probabilities[:, Label.HEADER], kept)
    arrays = (scaled_odds(kept), kept, heading, page.words, page.spans, page.keys)
    by_core = CORE.first_pass(arrays, SURE, SURE_WORDS, _FAR_BLOCKS, REACHES)
    return np.frombuffer(by_core, np.float64).reshape(len(kept), -1)


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
