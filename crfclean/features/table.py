"""The table of all features, and the columns that it gives for a page.

A column has shape (n,) for n blocks; values are counts, shares (0..1), or 0 and 1. A new feature is
a function in the module of its group and a line in that module's table, for new models to use.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.features.containers import CONTAINERS
from crfclean.features.context import CONTEXT
from crfclean.features.feature import Feature
from crfclean.features.headline import HEADLINE
from crfclean.features.markup import MARKS
from crfclean.features.repetition import REPETITION
from crfclean.features.texttractor import TEXTTRACTOR
from crfclean.features.victor import VICTOR
from crfclean.features.whole_page import WHOLE
from crfclean.features.wording import WORDING
from crfclean.page.measures import Measures
from crfclean.types import Floats

GROUPS: Mapping[str, Mapping[str, Feature]] = {
    "victor": VICTOR,
    "marks": MARKS,
    "containers": CONTAINERS,
    "repetition": REPETITION,
    "headline": HEADLINE,
    "wording": WORDING,
    "context": CONTEXT,
    "whole": WHOLE,
}
"""Group -> its features."""

_BLOCKS_AT_ONCE = 512  # transposed in one step, to stay in the cache

FEATURES = {name: feature for group in GROUPS.values() for name, feature in group.items()}
"""Name -> feature of all groups: those that the CRF may see."""

_GROUP = {name: group for group, features in GROUPS.items() for name in features}

COLUMNS = ChainMap(FEATURES, TEXTTRACTOR)
"""Name -> feature of all systems."""


def matrix(page: Measures, names: Sequence[str] | None = None) -> Floats:
    """Columns of the named features (of all `FEATURES`, in their order) side by side, (n, k)."""
    return _transposed(_rows(page, names, np.float64))


def singles(page: Measures, names: Sequence[str] | None = None) -> npt.NDArray[np.float32]:
    """The same in single precision, as in training."""
    return _transposed(single_rows(page, names))


def single_rows(page: Measures, names: Sequence[str] | None = None) -> npt.NDArray[np.float32]:
    """The same as rows, (features, n): half the memory of a table that is turned as a whole."""
    return _rows(page, names, np.float32)


def _rows(
    page: Measures, names: Sequence[str] | None, dtype: type[np.floating[Any]]
) -> npt.NDArray[Any]:
    """The features as rows, (features, n)."""
    names = tuple(FEATURES) if names is None else names
    rows, group = np.empty((len(names), len(page)), dtype), None
    if len(page):
        for row, name in zip(rows, names, strict=True):
            if _GROUP.get(name) != group:
                page.memo.forget_passing()
                group = _GROUP.get(name)
            row[:] = (FEATURES if name in FEATURES else TEXTTRACTOR)[name](page)
    page.memo.forget_passing()
    page.memo.wide.clear()
    return rows


def _transposed(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Transpose rows of features (features, n) to rows of blocks (n, features), step by step."""
    columns = np.empty(rows.shape[::-1], rows.dtype)
    for start in range(0, len(columns), _BLOCKS_AT_ONCE):
        columns[start : start + _BLOCKS_AT_ONCE] = rows[:, start : start + _BLOCKS_AT_ONCE].T
    return columns
