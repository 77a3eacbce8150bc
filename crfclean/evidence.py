"""`Measures`, a `Network` -> the columns of a model: table features, those of a first pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from crfclean import firstpass
from crfclean.features import COLUMNS, FEATURES, matrix
from crfclean.features.texttractor import TEXTTRACTOR
from crfclean.firstpass import Frame, frame
from crfclean.measures import Measures
from crfclean.network import Network
from crfclean.types import Floats, Label, ModelError

KNOWN = frozenset([*COLUMNS, *firstpass.NAMES])
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
    if not any(name in firstpass.PLACES for name in names):
        return matrix(page, names)
    wanted = {*names, *(network.names if network else ())}
    needed = tuple(name for name in (*FEATURES, *TEXTTRACTOR) if name in wanted)
    given = matrix(page, needed).astype(np.float32)
    return of_table(given, needed, frame(page), names, network)


def of_table(
    given: npt.NDArray[np.floating],
    known: Sequence[str],
    page: Frame,
    names: Sequence[str],
    network: Network | None,
) -> Floats:
    """The same from the columns `given` (n, k) of the table's features `known`, and the frame."""
    probabilities = np.full((len(given), len(Label)), 1 / len(Label))
    if network is not None:
        places = {name: place for place, name in enumerate(known)}
        probabilities = network(given[:, [places[name] for name in network.names]])
    return join(given, known, page, names, probabilities)


def join(
    given: npt.NDArray[np.floating],
    known: Sequence[str],
    page: Frame,
    names: Sequence[str],
    probabilities: Floats,
) -> Floats:
    """The same for probabilities (n, 3) of the first pass that are known."""
    places = {name: place for place, name in enumerate([*known, *firstpass.NAMES])}
    wide = np.concatenate([given, firstpass.columns(page, probabilities)], axis=1)
    return wide[:, [places[name] for name in names]]
