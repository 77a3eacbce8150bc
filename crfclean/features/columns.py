"""Compute the columns that a model sees: features of the table, and those of its networks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.core.native import CORE
from crfclean.features.table import COLUMNS, derived, matrix, single_rows
from crfclean.nn.blas import one_thread
from crfclean.nn.layers import Scaling, Singles
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


# The first pass is a network over the table. Its probabilities become columns. A second pass is a
# network over the table and these columns.

_Float = TypeVar("_Float", bound=np.floating[Any])
SECOND_PASS_NAMES = tuple(f"second_{label.name.lower()}" for label in Label)
"""Names of the columns that hold the probabilities of a second pass, in the order of `Label`."""
COLUMN_NAMES = frozenset([*COLUMNS, *FIRST_PASS_NAMES])
"""Names of all columns that a CRF may have."""
_ROWS = 1_024  # blocks whose inputs a second pass reads at a time
_BY_NETWORKS = frozenset([*FIRST_PASS_NAMES, *SECOND_PASS_NAMES])


class Passes(NamedTuple):
    """The networks of a model: of the first pass, and of a second one, which stands on it."""

    first: Network | None = None
    second: Network | None = None


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that this version does not have."""
    unknown = [name for name in names if name not in COLUMN_NAMES]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def columns(page: Measures, names: Sequence[str], passes: Passes = Passes()) -> Floats:
    """Columns of the named features side by side, (n, features).

    Without a network, the first pass gives every label the same probability. The networks see
    single precision, as in training: a value at the edge of a bin could fall into the next one.
    """
    if _BY_NETWORKS.isdisjoint(names):
        return matrix(page, names)
    needed = _needed(tuple(names), passes)
    rows = single_rows(page, needed)
    return columns_of_table(rows.T, needed, frame(page), names, passes)


@lru_cache(maxsize=8)
def _needed(names: tuple[str, ...], passes: Passes) -> tuple[str, ...]:
    """The table's features among the columns and the networks' inputs, in the table's order."""
    needed = set(names)
    for network in (passes.first, passes.second):
        needed.update(() if network is None else network.names)
    return tuple(name for name in COLUMNS if name in needed)


def columns_of_table(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    page: Frame,
    names: Sequence[str],
    passes: Passes = Passes(),
) -> Floats:
    """Compute `columns` from a table (n, k) of the features `table_names`, and the frame."""
    with one_thread():  # once for all networks
        probabilities, scaled = _first_pass(table, tuple(table_names), passes.first)
        first = first_pass_columns(page, probabilities)
        others = _but_second(tuple(names))
        if len(others) == len(names):
            return joined(table, table_names, first, names)
        if passes.second is None:
            raise ModelError("columns of a second pass, but no network that computes them")
        rest = _rest_of(passes.first, passes.second)
        if scaled is None or rest is None:
            second = second_pass(table, table_names, first, passes.second)
        else:
            second = second_pass_of_inputs(scaled, first, passes.second, rest)
    return np.concatenate([joined(table, table_names, first, others), second], axis=1)


@lru_cache(maxsize=8)
def _but_second(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names except those of a second pass."""
    return tuple(name for name in names if name not in SECOND_PASS_NAMES)


def _first_pass(
    table: npt.NDArray[np.floating], table_names: tuple[str, ...], network: Network | None
) -> tuple[Floats, Singles | None]:
    """Return probabilities (n, 3) of a network over a table, and the network's inputs (n, k).

    Without a network, all labels are equally probable. Inputs are None if they take much memory.
    """
    if network is None:
        return np.full((len(table), len(Label)), 1 / len(Label)), None
    columns = _picked(table, table_names, network.names)
    if len(columns) > network.output.rows:
        return network(columns), None
    inputs = network.scaling(columns)
    return network.of_inputs(inputs), inputs


@lru_cache(maxsize=8)
def _rest_of(first: Network | None, second: Network) -> Scaling | None:
    """Return the scaling of the inputs that a second network adds to those of the first.

    None if the two networks scale their common inputs differently.
    """
    if first is None or second.names != (*first.names, *FIRST_PASS_NAMES):
        return None
    same = second.scaling.begins_with(first.scaling)
    return second.scaling.after(len(first.names)) if same else None


def second_pass_of_inputs(
    inputs: Singles, first: Floats, network: Network, scaling: Scaling
) -> Floats:
    """Compute `second_pass` from scaled columns of the table (n, k).

    `scaling` scales the first-pass columns.
    """
    passed = scaling(first.T.astype(np.float32, order="C").T)
    if len(first) <= _ROWS:
        return network.of_inputs(np.concatenate((inputs, passed), axis=1))
    probabilities = np.empty((len(first), len(Label)))
    for start in range(0, len(first), _ROWS):
        rows = slice(start, start + _ROWS)
        both = np.concatenate([inputs[rows], passed[rows]], axis=1)
        probabilities[rows] = network.of_inputs(both)
    return probabilities


def second_pass(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    first: Floats,
    network: Network,
) -> Floats:
    """Probabilities (n, 3) of a network over a table (n, k) and first-pass columns (n, m).

    The network reads features of the table, then all first-pass columns, in single precision. It
    reads a thousand blocks at a time, because the two tables side by side take much memory.
    """
    features = network.names[: -len(FIRST_PASS_NAMES)]
    probabilities = np.empty((len(table), len(Label)))
    for start in range(0, len(table), _ROWS):
        rows = slice(start, start + _ROWS)
        picked = _picked(table[rows], tuple(table_names), features)
        probabilities[rows] = network(joined_inputs(picked, first[rows]))
    return probabilities


def joined_inputs(table: npt.NDArray[np.floating], first: Floats) -> npt.NDArray[np.float32]:
    """Join a table (n, k) and first-pass columns (n, m) side by side, for a second pass to read."""
    inputs: npt.NDArray[np.float32] = np.concatenate(
        [table, first], axis=1, dtype=np.float32, casting="same_kind"
    )
    return inputs


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
