"""`Measures` and a `Network` -> the columns of a model: table features, and those of a first pass."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean import firstpass
from crfclean.features import FEATURES, matrix
from crfclean.measures import Measures
from crfclean.network import Network
from crfclean.types import Floats, ModelError

KNOWN = frozenset([*FEATURES, *firstpass.NAMES])
"""Names of all columns that a model may have."""


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that this version does not have."""
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def columns(page: Measures, names: Sequence[str], network: Network | None) -> Floats:
    """Columns of the named features side by side, (n, features).

    Those of the first pass need a network; without one they are computed from no knowledge.
    """
    if not any(name in firstpass.PLACES for name in names):
        return matrix(page, names)
    given = np.full((len(page), 3), 1 / 3)
    if network is not None:
        given = network(matrix(page, network.names))
    return join(page, names, given)


def join(page: Measures, names: Sequence[str], probabilities: Floats) -> Floats:
    """The same for probabilities (n, 3) of the first pass that are known."""
    table = [name for name in names if name in FEATURES]
    passed = firstpass.columns(firstpass.frame(page), probabilities)
    places = {name: place for place, name in enumerate(table)}
    places |= {name: place + len(table) for name, place in firstpass.PLACES.items()}
    wide = np.concatenate([matrix(page, table), passed], axis=1)
    return wide[:, [places[name] for name in names]]
