"""The table of all features, and the columns that it gives for a page.

A column has shape (n,) for n blocks; values are counts, shares (0..1), or 0 and 1. A new feature is
a function in the module of its group and a line in that module's table, for new models to use.
"""

from __future__ import annotations

from collections import ChainMap, deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.features.containers import CONTAINERS
from crfclean.features.context import CONTEXT
from crfclean.features.core_columns import column_names, fill
from crfclean.features.feature import Feature, Row
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

_BUILT_IN = dict(FEATURES)
"""The features as they are here, of which the core may fill the columns."""

_TEXTTRACTOR = dict(TEXTTRACTOR)
_GROUP = {name: group for group, features in GROUPS.items() for name in features}

_LATEST: deque[_Plan] = deque(maxlen=2)

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
    names = tuple(FEATURES) if names is None else tuple(names)
    rows, group = np.empty((len(names), len(page)), dtype), None
    if not len(page):
        return rows
    plan = _plan_of(names)
    if plan.places is not None:
        fill(page, plan.places, rows)
    for step in plan.steps:
        if step.group != group:
            page.memo.forget_passing()
            group = step.group
        rows[step.rows] = step.values(page)
    page.memo.forget_passing()
    page.memo.wide.clear()
    return rows


def _plan_of(names: tuple[str, ...]) -> _Plan:
    """How the named features are computed; names that were asked last are not compared again."""
    is_built_in = FEATURES == _BUILT_IN and TEXTTRACTOR == _TEXTTRACTOR
    table = () if is_built_in else (*FEATURES.values(), *TEXTTRACTOR.values())
    by_core = column_names()
    for plan in tuple(_LATEST):
        if plan.names is names and plan.by_core is by_core and is_built_in:
            return plan
    plan = _plan(names, by_core, table)
    if is_built_in:
        _LATEST.append(plan)
    return plan


@dataclass(slots=True, eq=False)
class _Step:
    """Rows that are computed at once: a feature, or rows `source` of a family, of one group."""

    group: str | None
    feature: Feature
    rows: slice
    source: slice | None

    def values(self, page: Measures) -> npt.NDArray[Any]:
        """The values of the rows, or of the one feature, shape (rows, n) or (n,)."""
        values = self.feature(page)
        return values if self.source is None else values[self.source]


class _Plan(NamedTuple):
    """How named rows are computed: the row of each column `by_core`, or -1; the other rows."""

    names: tuple[str, ...]
    by_core: tuple[str, ...]
    places: npt.NDArray[np.int32] | None
    steps: tuple[_Step, ...]


@lru_cache(maxsize=64)
def _plan(names: tuple[str, ...], by_core: tuple[str, ...], _table: tuple[Feature, ...]) -> _Plan:
    """How the named features are computed; the core fills those of `_BUILT_IN` that it knows."""
    same = {name for name, feature in FEATURES.items() if _BUILT_IN.get(name) is feature}
    rows = {name: row for row, name in enumerate(names) if name in same}
    places = np.array([rows.get(name, -1) for name in by_core], np.int32)
    if not (places >= 0).any():
        return _Plan(names, by_core, None, _steps(names, range(len(names))))
    filled = frozenset(places.tolist())
    rest = [row for row in range(len(names)) if row not in filled]
    return _Plan(names, by_core, places, _steps(names, rest))


def _steps(names: Sequence[str], rows: Iterable[int]) -> tuple[_Step, ...]:
    """How these rows of the named features are computed, those side by side in a family at once."""
    steps: list[_Step] = []
    for row in rows:
        name = names[row]
        feature = (FEATURES if name in FEATURES else TEXTTRACTOR)[name]
        if not isinstance(feature, Row):
            steps.append(_Step(_GROUP.get(name), feature, slice(row, row + 1), None))
            continue
        last, number = steps[-1] if steps else None, feature.number
        source = slice(number, number + 1)
        if last and last.source and _continues(last, row, feature):
            last.rows = slice(last.rows.start, row + 1)
            last.source = slice(last.source.start, number + 1)
        else:
            steps.append(_Step(_GROUP.get(name), feature.family, slice(row, row + 1), source))
    return tuple(steps)


def _continues(step: _Step, row: int, feature: Row) -> bool:
    """Whether a row and its feature come right after those of a family's step."""
    ends = (step.rows.stop, step.source.stop if step.source else None)
    return step.feature == feature.family and ends == (row, feature.number)


def _transposed(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Transpose rows of features (features, n) to rows of blocks (n, features), step by step."""
    columns = np.empty(rows.shape[::-1], rows.dtype)
    for start in range(0, len(columns), _BLOCKS_AT_ONCE):
        columns[start : start + _BLOCKS_AT_ONCE] = rows[:, start : start + _BLOCKS_AT_ONCE].T
    return columns
