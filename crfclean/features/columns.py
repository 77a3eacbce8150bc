"""Compute the columns that a model sees: features of the table, and those of a first pass."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.features.first_pass import (
    FIRST_PASS_NAMES,
    FIRST_PASS_PLACES,
    Frame,
    first_pass_columns,
    frame,
)
from crfclean.features.table import COLUMNS, matrix, single_rows
from crfclean.nn.mlp import Network
from crfclean.page.measures import Measures
from crfclean.types import Floats, Label, ModelError

_Float = TypeVar("_Float", bound=np.floating[Any])
COLUMN_NAMES = frozenset([*COLUMNS, *FIRST_PASS_NAMES])
"""Names of all columns that a model may have."""


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that this version does not have."""
    unknown = [name for name in names if name not in COLUMN_NAMES]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def columns(page: Measures, names: Sequence[str], network: Network | None) -> Floats:
    """Columns of the named features side by side, (n, features).

    Without a network, the first pass gives every label the same probability. The network sees
    single precision, as in training: a value at the edge of a bin could fall into the next one.
    """
    if not any(name in FIRST_PASS_PLACES for name in names):
        return matrix(page, names)
    needed = _needed(tuple(names), network.names if network else ())
    table = single_rows(page, needed).T
    probabilities = _first_pass(table, needed, network)
    if tuple(names) == FIRST_PASS_NAMES:
        del table  # the largest array of all, before the next ones are made
        return first_pass_columns(frame(page), probabilities)
    return join_first_pass(table, needed, frame(page), names, probabilities)


@lru_cache(maxsize=64)
def _needed(names: tuple[str, ...], inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The table's features among the columns and a network's inputs, in the table's order."""
    needed = {*names, *inputs}
    return tuple(name for name in COLUMNS if name in needed)


def columns_of_table(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    page: Frame,
    names: Sequence[str],
    network: Network | None,
) -> Floats:
    """The same from the columns `table` (n, k) of the features `table_names`, and the frame."""
    probabilities = _first_pass(table, tuple(table_names), network)
    return join_first_pass(table, table_names, page, names, probabilities)


def _first_pass(
    table: npt.NDArray[np.floating], table_names: tuple[str, ...], network: Network | None
) -> Floats:
    """Probabilities (n, 3) of a network over a table, even ones without a network."""
    if network is None:
        return np.full((len(table), len(Label)), 1 / len(Label))
    return network(_picked(table, table_names, network.names))


def join_first_pass(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    page: Frame,
    names: Sequence[str],
    probabilities: Floats,
) -> Floats:
    """The same for given probabilities (n, 3) of the first pass."""
    first = first_pass_columns(page, probabilities)
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
