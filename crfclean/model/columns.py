"""The table of all features, and the columns of a page that a model sees."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeAlias
from weakref import ref

import numpy as np
import numpy.typing as npt

from crfclean import door
from crfclean.core.table import COLUMNS as NAMED
from crfclean.core.table import Table
from crfclean.io import read_toml
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.model.inputs import TEXTTRACTOR, texttractor
from crfclean.model.markup import MARK_NAMES, with_markup
from crfclean.types import Blocks, CrfcleanError, Floats

Feature: TypeAlias = Callable[[Blocks], Floats]
"""Blocks of a page -> one value for each of its n blocks, shape (n,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A feature that the core fills; `meaning` is a sentence with its bounds."""

    name: str
    meaning: str

    def __call__(self, page: Blocks) -> Floats:
        """The values of the feature, shape (n,)."""
        row = np.empty((1, len(page)))
        if len(page):
            _fill(page, (self.name,), row)
        values: Floats = row[0]
        return values


_EACH = {"mark": MARK_NAMES, "phrase": PHRASE_GROUPS}
"""Name in braces in `table.toml` -> the words that replace it."""


def _columns(group: Mapping[str, str]) -> dict[str, Feature]:
    columns: dict[str, Feature] = {}
    for name, meaning in group.items():
        each = next((key for key in _EACH if f"{{{key}}}" in name), "")
        for value in _EACH.get(each, ("",)):
            full = name.replace(f"{{{each}}}", value)
            columns[full] = Column(full, meaning.replace(f"{{{each}}}", value))
    return columns


GROUPS: Mapping[str, Mapping[str, Feature]] = {
    name: _columns(group)
    for name, group in read_toml(Path(__file__).with_name("table.toml")).items()
}
"""Group -> its features."""

PAGE_FIGURES = tuple(name.removeprefix("page_") for name in GROUPS["whole"])
"""Names of the figures of the whole page."""

FEATURES = {name: feature for group in GROUPS.values() for name, feature in group.items()}
"""Name -> feature of all groups, which the CRF may see."""

COLUMNS = (*TEXTTRACTOR, *FEATURES)
"""Names of the features of all kinds of models."""

# The columns of a page


def matrix(page: Blocks, names: Sequence[str] | None = None) -> Floats:
    """Columns of the named features (of all `FEATURES`, in their order) side by side, (n, k)."""
    return _transposed(_rows(page, _names(names), np.float64))


def singles(page: Blocks, names: Sequence[str] | None = None) -> npt.NDArray[np.float32]:
    """Return the columns of `matrix` in single precision, as in training."""
    return _transposed(single_rows(page, names))


def single_rows(page: Blocks, names: Sequence[str] | None = None) -> npt.NDArray[np.float32]:
    """Return the columns of `singles` as rows, (features, n), which takes half the memory.

    Nobody may change them: the rows of a thread's latest page are kept for the model of kinds, so
    that they are filled once. A document that is kept does not keep them.
    """
    key = (ref(page), _names(names))
    if getattr(_LATEST, "key", None) != key:
        _LATEST.key, _LATEST.rows = None, None  # frees them before the next are made
        rows = _rows(page, key[1], np.float32)
        if len(page) > MAX_KEPT:
            return rows
        _LATEST.key, _LATEST.rows = key, rows
    kept: npt.NDArray[np.float32] = _LATEST.rows
    return kept


_LATEST = threading.local()
MAX_KEPT = 10_000  # blocks: 14 MB


def _names(names: Sequence[str] | None) -> tuple[str, ...]:
    return tuple(FEATURES) if names is None else tuple(names)


def _rows(page: Blocks, names: tuple[str, ...], dtype: type[np.floating[Any]]) -> npt.NDArray[Any]:
    rows = np.empty((len(names), len(page)), dtype)
    if not len(page):
        return rows
    others = _others(names)
    if len(others) < len(names):
        _fill(page, names, rows)
    columns = texttractor(page) if any(name in TEXTTRACTOR for _, name in others) else {}
    for row, name in others:
        rows[row] = columns[name] if name in columns else _added(page, name)
    return rows


def _added(page: Blocks, name: str) -> Floats:
    """Compute a feature of another package, (n,).

    Raises `CrfcleanError` if there is none, or for values that no model can learn from.
    """
    values = np.asarray(door.find("features", name)(page), np.float64)
    problem = ""
    if values.shape != (len(page),):
        problem = f"an array of shape {values.shape} for a page of {len(page)} blocks"
    elif not (np.abs(values) <= MOST_VALUE).all():
        problem = f"a value that is no number within +-{MOST_VALUE:g}"
    if problem:
        raise CrfcleanError(
            f"the feature {name!r} of {door.origin('features', name)} gave {problem}"
        )
    return values


MOST_VALUE = 1e30
"""Bound of values of other packages' features: columns are in single precision."""


@lru_cache(maxsize=64)
def _others(names: tuple[str, ...]) -> tuple[tuple[int, str], ...]:
    """The rows of features that the core does not fill, with their names."""
    return tuple((row, name) for row, name in enumerate(names) if name not in FEATURES)


@lru_cache(maxsize=64)
def _places(names: tuple[str, ...]) -> npt.NDArray[np.int32]:
    """The row of each column of the core among some columns, -1 for none."""
    rows = {name: row for row, name in enumerate(names)}
    return np.array([rows.get(name, -1) for name in core_columns()], np.int32)


@cache
def core_columns() -> tuple[str, ...]:
    """Return the core's columns by name: its own, then the columns of marks and phrases."""
    says = (f"{what}_{group}" for what in ("says", "heading_says") for group in PHRASE_GROUPS)
    return (*NAMED, *MARK_NAMES, *says)


def filled(page: Blocks) -> Table:
    """Return the table of a page with what comes with columns: the lists of cards, the figures."""
    if len(page) and not page.table.has_columns:
        _fill(page, (), np.empty((0, len(page)), np.float32))
    return page.table


def _fill(page: Blocks, names: tuple[str, ...], rows: npt.NDArray[Any]) -> None:
    """Fill the rows (features, n) of the core's columns among some, for a page with blocks."""
    with_markup(page).fill(_places(names), rows)


_BLOCKS_AT_ONCE = 512  # transposed in one step, to stay in the cache


def _transposed(rows: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Transpose rows of features (features, n) to rows of blocks (n, features), step by step."""
    columns = np.empty(rows.shape[::-1], rows.dtype)
    for start in range(0, len(columns), _BLOCKS_AT_ONCE):
        columns[start : start + _BLOCKS_AT_ONCE] = rows[:, start : start + _BLOCKS_AT_ONCE].T
    return columns
