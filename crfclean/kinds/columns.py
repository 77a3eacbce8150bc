"""Compute the columns that the model of kinds sees of each block of a page."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean.features.block_kinds import kinds_of
from crfclean.features.table import single_rows
from crfclean.nn.layers import Singles
from crfclean.page.measures import Measures
from crfclean.types import Kind

REACHES = (3, 12)
"""Blocks to each side over which the kinds by evidence are counted."""


def evidence_names() -> tuple[str, ...]:
    """Names of the columns after those of the table: the block, its neighbours, those around."""
    places = ("kind", "kind[-1]", "kind[+1]", *(f"kind_around{reach}" for reach in REACHES))
    return tuple(f"{place}={kind.name.lower()}" for place in places for kind in Kind)


def kind_columns(page: Measures, features: Sequence[str]) -> Singles:
    """Columns of these features of the table, then those of `evidence_names`; shape (n, k).

    They are a view of rows (k, n), which the core scales as they are.
    """
    kinds = (kinds_of(page) == np.arange(len(Kind))[:, None]).astype(np.float32)
    around = (shares_around(kinds, reach) for reach in REACHES)
    rows = (single_rows(page, features), kinds, _shifted(kinds, 1), _shifted(kinds, -1), *around)
    return np.concatenate(rows).T


def _shifted(rows: Singles, steps: int) -> Singles:
    """Rows (k, n) with the values of the block so many steps before, 0 beyond the page."""
    shifted = np.zeros_like(rows)
    if steps > 0:
        shifted[:, steps:] = rows[:, :-steps]
    else:
        shifted[:, :steps] = rows[:, -steps:]
    return shifted


def shares_around(rows: Singles, reach: int) -> Singles:
    """The mean of rows (k, n) over each block and `reach` blocks to each side, (k, n)."""
    count, places = rows.shape[1], np.arange(rows.shape[1])
    sums = np.zeros((len(rows), count + 1))
    np.cumsum(rows, axis=1, out=sums[:, 1:])
    low, high = np.maximum(0, places - reach), np.minimum(count, places + reach + 1)
    means: Singles = ((sums[:, high] - sums[:, low]) / (high - low)).astype(np.float32)
    return means
