"""`Measures`, a `Network` -> the columns of a model: table features, those of a first pass."""

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
from crfclean.features.table import COLUMNS, matrix, singles
from crfclean.nn.mlp import Network
from crfclean.page.measures import Measures
from crfclean.types import Floats, Label, ModelError

_Float = TypeVar("_Float", bound=np.floating[Any])
KNOWN = frozenset([*COLUMNS, *FIRST_PASS_NAMES])
"""Names of all columns that a model may have."""


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that this version does not have."""
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def columns(page: Measures, names: Sequence[str], network: Network | None) -> Floats:
    """Columns of the named features side by side, (n, features).

    Those of the first pass say nothing where there is no network. It sees single precision, as in
    training: a value at the edge of a bin would fall on its other side.
    """
    if not any(name in FIRST_PASS_PLACES for name in names):
        return matrix(page, names)
    needed = _needed(tuple(names), network.names if network else ())
    return columns_of_table(singles(page, needed), needed, frame(page), names, network)


@lru_cache(maxsize=64)
def _needed(names: tuple[str, ...], inputs: tuple[str, ...]) -> tuple[str, ...]:
    """The table's features among the columns and a network's inputs, in the table's order."""
    wanted = {*names, *inputs}
    return tuple(name for name in COLUMNS if name in wanted)


def columns_of_table(
    given: npt.NDArray[np.floating],
    known: Sequence[str],
    page: Frame,
    names: Sequence[str],
    network: Network | None,
) -> Floats:
    """The same from the columns `given` (n, k) of the table's features `known`, and the frame."""
    probabilities: Floats = np.full((len(given), len(Label)), 1 / len(Label))
    if network is not None:
        probabilities = network(_picked(given, tuple(known), network.names))
    return join(given, known, page, names, probabilities)


def join(
    given: npt.NDArray[np.floating],
    known: Sequence[str],
    page: Frame,
    names: Sequence[str],
    probabilities: Floats,
) -> Floats:
    """The same for probabilities (n, 3) of the first pass that are known."""
    first = first_pass_columns(page, probabilities)
    if tuple(names) == FIRST_PASS_NAMES:
        return first
    wide = np.concatenate([given, first], axis=1)
    return _picked(wide, (*known, *FIRST_PASS_NAMES), tuple(names))


def _picked(
    given: npt.NDArray[_Float], known: tuple[str, ...], names: tuple[str, ...]
) -> npt.NDArray[_Float]:
    """The named columns of those that are known, (n, names)."""
    if names == known:
        return given
    places = {name: place for place, name in enumerate(known)}
    return given[:, [places[name] for name in names]]
