"""Compute the columns that a model sees: features of the table, and those of its networks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.core.native import CORE
from crfclean.features.table import COLUMNS, derived, matrix, single_rows
from crfclean.nn.mlp import Network
from crfclean.page.arrays import share
from crfclean.page.measures import Measures
from crfclean.types import Floats, Ints, Label, ModelError

# turn the probabilities of a first pass into columns for the CRF
#
# The network of the first pass sees each block alone. These columns add what it expects of the
# neighbours, of each wider element, and of all blocks made by the same template.

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
"""Names of the columns: `pass_up2` is the mean over the second wider element, `pass_up2_share` the
share of the page's expected words that are in it."""

FIRST_PASS_PLACES = {name: place for place, name in enumerate(FIRST_PASS_NAMES)}


class Frame(NamedTuple):
    """Page data for the columns: `words` (n,), `spans` (4, n, 2), `keys` (3, n).

    `spans` are the half-open ranges of blocks of ever wider elements; `keys` number the groups
    of blocks that are alike (-1: in no group).
    """

    words: Floats
    spans: Ints
    keys: Ints


def frame(page: Measures) -> Frame:
    """Return the frame of a page."""
    if not len(page):
        return Frame(np.zeros(0), np.zeros((LEVELS, 0, 2), np.int64), np.zeros((3, 0), np.int64))
    spans, keys, _ = derived(page)
    return Frame(page.words, spans, keys)


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


# The first pass is a network over the table. Its probabilities become columns.

_Float = TypeVar("_Float", bound=np.floating[Any])
COLUMN_NAMES = frozenset([*COLUMNS, *FIRST_PASS_NAMES])
"""Names of all columns that a CRF may have."""


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that this version does not have."""
    unknown = [name for name in names if name not in COLUMN_NAMES]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def columns(page: Measures, names: Sequence[str], network: Network | None = None) -> Floats:
    """Columns of the named features side by side, (n, features).

    Without a network, the first pass gives every label the same probability. The network sees
    single precision, as in training: a value at the edge of a bin could fall into the next one.
    """
    if FIRST_PASS_PLACES.keys().isdisjoint(names):
        return matrix(page, names)
    needed = _needed(tuple(names), network)
    rows = single_rows(page, needed)
    return columns_of_table(rows.T, needed, frame(page), names, network)


@lru_cache(maxsize=8)
def _needed(names: tuple[str, ...], network: Network | None) -> tuple[str, ...]:
    """The table's features among the columns and the network's inputs, in the table's order."""
    needed = {*names, *(() if network is None else network.names)}
    return tuple(name for name in COLUMNS if name in needed)


def columns_of_table(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    page: Frame,
    names: Sequence[str],
    network: Network | None = None,
) -> Floats:
    """Compute `columns` from a table (n, k) of the features `table_names`, and the frame."""
    if network is None:
        probabilities = np.full((len(table), len(Label)), 1 / len(Label))
    else:
        probabilities = network(_picked(table, tuple(table_names), network.names))
    return joined(table, table_names, first_pass_columns(page, probabilities), names)


def joined(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    first: Floats,
    names: Sequence[str],
) -> Floats:
    """Pick the named columns from a table (n, k) and from first-pass columns (n, m)."""
    if tuple(names) == FIRST_PASS_NAMES:
        return first
    places = {name: place for place, name in enumerate(table_names)}
    joined = np.empty((len(table), len(names)))
    for column, name in enumerate(names):
        in_first = name in FIRST_PASS_PLACES
        joined[:, column] = (
            first[:, FIRST_PASS_PLACES[name]] if in_first else table[:, places[name]]
        )
    return joined


def _picked(
    table: npt.NDArray[_Float], table_names: tuple[str, ...], names: tuple[str, ...]
) -> npt.NDArray[_Float]:
    """The named columns of a table, (n, names)."""
    if names == table_names:
        return table
    places = {name: place for place, name in enumerate(table_names)}
    return table.T[[places[name] for name in names]].T  # a row is copied as a whole
