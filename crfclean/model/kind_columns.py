"""Compute the columns that the model of kinds reads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean.model.block_kinds import kinds_of
from crfclean.model.columns import single_rows
from crfclean.model.layers import Singles
from crfclean.types import Blocks, Kind

REACHES = (3, 12)
"""Blocks to each side in which the kinds by evidence are counted."""


def evidence_names() -> tuple[str, ...]:
    """Return the names of the columns after the table: kinds of the block and of blocks around."""
    places = ("kind", "kind[-1]", "kind[+1]", *(f"kind_around{reach}" for reach in REACHES))
    return tuple(f"{place}={kind.name.lower()}" for place in places for kind in Kind)


def kind_columns(page: Blocks, features: Sequence[str]) -> Singles:
    """Compute the columns of some features of the table, then of `evidence_names`; (n, k).

    They are a view of rows (k, n), which the core scales without a copy.
    """
    kinds = (kinds_of(page) == np.arange(len(Kind))[:, None]).astype(np.float32)
    around = (shares_around(kinds, reach) for reach in REACHES)
    rows = (single_rows(page, features), kinds, _shifted(kinds, 1), _shifted(kinds, -1), *around)
    return np.concatenate(rows).T


def _shifted(rows: Singles, steps: int) -> Singles:
    """Shift rows (k, n) by `steps` blocks; values from beyond the page are 0."""
    shifted = np.zeros_like(rows)
    if steps > 0:
        shifted[:, steps:] = rows[:, :-steps]
    else:
        shifted[:, :steps] = rows[:, -steps:]
    return shifted


def shares_around(rows: Singles, reach: int) -> Singles:
    """Average rows (k, n) over each block and `reach` blocks to each side, (k, n)."""
    count, places = rows.shape[1], np.arange(rows.shape[1])
    sums = np.zeros((len(rows), count + 1))
    np.cumsum(rows, axis=1, out=sums[:, 1:])
    low, high = np.maximum(0, places - reach), np.minimum(count, places + reach + 1)
    means: Singles = ((sums[:, high] - sums[:, low]) / (high - low)).astype(np.float32)
    return means
