"""The table of all features, and the columns of a page that a model sees.

A column has shape (n,) for n blocks; values are counts, shares (0..1), or 0 and 1. The compiled
core fills all columns of `FEATURES` in one call; those of Texttractor come from `inputs.py`, and
those of other packages from the functions that the door finds by their names.
To add a feature, write a column in `native/columns.h` and its file, and a line in `table.toml`.
New models can then use it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from weakref import ref

import numpy as np
import numpy.typing as npt

from crfclean import door
from crfclean.core import labels
from crfclean.core.labels import LEVELS, REACHES, FirstPass
from crfclean.core.table import COLUMNS as NAMED
from crfclean.core.table import Table
from crfclean.io import read_toml
from crfclean.lexicon.groups import PHRASE_GROUPS
from crfclean.model.inputs import TEXTTRACTOR, texttractor
from crfclean.model.markup import MARK_NAMES, with_markup
from crfclean.model.networks import Network
from crfclean.types import Blocks, CrfcleanError, Floats, Ints, ModelError

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
"""Names of the features of all systems."""


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


# compute the columns that a model sees: features of the table, and those of its networks

# turn the probabilities of a first pass into columns for the CRF
#
# The network of the first pass sees each block alone. These columns add what it expects of the
# neighbours, of each wider element, and of all blocks made by the same template.

_NEIGHBOURS = (-2, -1, 0, 1, 2)
_KEYS = ("path", "parent", "card")

FIRST_PASS_NAMES = (
    *(f"pass[{step:+d}]" if step else "pass" for step in _NEIGHBOURS),
    "pass_heading",
    *(f"pass_up{level}{what}" for level in range(1, LEVELS + 1) for what in ("", "_share")),
    *(f"pass_{key}{what}" for key in _KEYS for what in ("", "_share")),
    *(f"pass_around{reach}" for reach in REACHES),
    "pass_before",
    "pass_left",
    "pass_since",
    "pass_until",
    "pass_page",
    "pass_page_blocks",
    "pass_doubt",
    "pass_peak",
)
"""Names of the columns: `pass_up2` is the mean over the second wider element, `pass_up2_share` the
share of the page's expected words that are in it."""

FIRST_PASS_PLACES = {name: place for place, name in enumerate(FIRST_PASS_NAMES)}


class Frame(NamedTuple):
    """The arrays of a table that the columns read, without the rest of the page.

    `words` (n,); `spans` (8 n,), the half-open ranges of blocks of four ever wider elements around
    each block; the numbers of groups of blocks, (n,), -1 for none: with the same tags and classes
    from the root down; whose elements, and the wider elements around these, are of the same kind;
    in the same list of cards.
    """

    words: Floats
    spans: Ints
    path_keys: Ints
    parent_keys: Ints
    card_keys: Ints


def frame(page: Blocks) -> Frame:
    """Return the frame of a page, which training keeps."""
    table = filled(page)
    return Frame(*(getattr(table, name).copy() for name in Frame._fields))


def first_pass_columns(frame: Frame | Table, probabilities: Floats) -> Floats:
    """First-pass probabilities (n, 3) -> columns (n, k) in the order of `FIRST_PASS_NAMES`."""
    return labels.first_pass_columns(frame, probabilities)


# The first pass is a network over the table. Its probabilities become columns.

COLUMN_NAMES = frozenset([*COLUMNS, *FIRST_PASS_NAMES])
"""Names of all columns of our own that a CRF may have."""


def added_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names among some columns that are not ours, but those of other packages."""
    return tuple(name for name in names if name not in COLUMN_NAMES)


def check_names(names: Sequence[str]) -> None:
    """Raise `ModelError` for a column that neither this version has nor another package."""
    unknown = [name for name in added_names(names) if not door.has("features", name)]
    if unknown:
        raise ModelError(f"this version of crfclean has no feature {unknown[0]!r}")


def check_added(names: Sequence[str]) -> None:
    """Raise `CrfcleanError` unless each name is that of a feature of another package, once."""
    for name in names:
        if name in COLUMN_NAMES:
            raise CrfcleanError(f"the feature {name!r} is one of crfclean's own: name others only")
        door.find("features", name)
    if len(set(names)) < len(names):
        raise CrfcleanError(f"the features {', '.join(names)} are not all different")


def first_pass_of(
    table_names: Sequence[str], names: Sequence[str], network: Network | None = None
) -> FirstPass:
    """How the named columns are computed from a table of the features `table_names`.

    Without a network, the first pass gives every label the same probability. The network sees
    single precision, as in training: a value at the edge of a bin could fall into the next one.
    """
    rows = {name: row for row, name in enumerate(table_names)}
    sources = [
        -1 - FIRST_PASS_PLACES[name] if name in FIRST_PASS_PLACES else rows[name] for name in names
    ]
    if network is None:
        return FirstPass(None, places=[], sources=sources)
    places = [rows[name] for name in network.names]
    return FirstPass(network.compiled, places=places, sources=sources)


def columns_of_table(
    table: npt.NDArray[np.floating],
    table_names: Sequence[str],
    frame: Frame,
    names: Sequence[str],
    network: Network | None = None,
) -> Floats:
    """Compute the named columns from a table (n, k) of `table_names`, and the frame."""
    rows = np.ascontiguousarray(table.T, np.float32)
    return first_pass_of(table_names, names, network).columns(rows, frame)
