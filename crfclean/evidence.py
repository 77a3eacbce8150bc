"""`Measures` and a `Network` -> the columns of a model: table features, and those of a first pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crfclean import firstpass
from crfclean.features import FEATURES, matrix
from crfclean.firstpass import Frame, frame
from crfclean.measures import Measures
from crfclean.network import Network
from crfclean.types import Floats, Label, ModelError

KNOWN = frozenset([*FEATURES, *firstpass.NAMES])
"""Names of all columns that a model may have."""


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that this version does not have."""
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def columns(page: Measures, names: Sequence[str], network: Network | None) -> Floats:
    """Columns of the named features side by side, (n, features).

    Those of the first pass say nothing where there is no network.
    """
    if not any(name in firstpass.PLACES for name in names):
        return matrix(page, names)
    needed = tuple(
        name for name in FEATURES if name in {*names, *(network.names if network else ())}
    )
    return of_table(matrix(page, needed), needed, frame(page), names, network)


def of_table(
    table: npt.NDArray[np.floating],
    known: Sequence[str],
    page: Frame,
    names: Sequence[str],
    network: Network | None,
) -> Floats:
    """The same from the columns (n, k) of the table's features `known` and the page's frame."""
    places = {name: place for place, name in enumerate(known)}
    given = np.full((len(table), len(Label)), 1 / len(Label))
    if network is not None:
        given = network(table[:, [places[name] for name in network.names]])
    return join(table, known, page, names, given)


def join(
    table: npt.NDArray[np.floating],
    known: Sequence[str],
    page: Frame,
    names: Sequence[str],
    probabilities: Floats,
) -> Floats:
    """The same for probabilities (n, 3) of the first pass that are known."""
    places = {name: place for place, name in enumerate([*known, *firstpass.NAMES])}
    wide = np.concatenate([table, firstpass.columns(page, probabilities)], axis=1)
    return wide[:, [places[name] for name in names]]
