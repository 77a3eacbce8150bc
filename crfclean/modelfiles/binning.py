"""Columns of features -> CRFsuite attributes: values in quantile bins, with neighbours.

Victor's real values are put into a few bins by quantile before they reach the CRF (Spousta,
Marek, Pecina 2008); an attribute says "the value of feature f at distance d is in bin b".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.types import Bools, Floats, Ints

Attributes = list[list[str]]
MAX_BINS = 1_000  # of a feature; a table of weights is as wide as the widest feature has bins
MAX_REACH = 100  # distance of the farthest neighbour; every distance is a table of weights


@dataclass(frozen=True)
class View:
    """What is seen at a distance: places of k features, their attribute names (k, bins)."""

    distance: int
    places: Ints
    names: npt.NDArray[np.object_]


@dataclass(frozen=True)
class Encoder:
    """The features of a model; `edges[f]` are the inclusive upper bounds of all bins but the last.

    `common[f]` is the bin that carries no attribute of its own (the most frequent one);
    `windows[f]` the distances at which feature f is seen, 0 for the block itself.
    """

    names: tuple[str, ...]
    edges: tuple[tuple[float, ...], ...]
    common: tuple[int, ...]
    windows: tuple[tuple[int, ...], ...]

    def bins(self, columns: npt.NDArray[np.floating]) -> Ints:
        """Number of the bin of each value, in single precision as in training, (n, features)."""
        columns = columns.astype(np.float32)
        bins = np.empty(columns.shape, np.int64)
        for place, edges in enumerate(self._edges):
            bins[:, place] = np.searchsorted(edges, columns[:, place])
        return bins

    @cached_property
    def _edges(self) -> list[Floats]:
        return [np.array(edges) for edges in self.edges]

    def encode(self, columns: npt.NDArray[np.floating]) -> Attributes:
        """Feature columns (n, features) -> n lists of attributes."""
        if not len(columns):
            return []
        bins = self.bins(columns)
        parts = [self._shifted(bins, view) for view in self.views]
        names = np.concatenate([part[0] for part in parts], axis=1)
        shown = np.concatenate([part[1] for part in parts], axis=1)
        flat = names[shown].tolist()
        ends = np.cumsum(shown.sum(1)).tolist()
        return [flat[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]

    def _shifted(self, bins: Ints, view: View) -> tuple[Any, Bools]:
        """Attribute names of the neighbours at a distance, and which of them are shown."""
        picked = bins[:, view.places]
        names = view.names[np.arange(len(view.places)), picked]
        shown = picked != np.array(self.common)[view.places]
        distance = view.distance
        names, shown = np.roll(names, -distance, axis=0), np.roll(shown, -distance, axis=0)
        if distance:
            outside = slice(-distance, None) if distance > 0 else slice(None, -distance)
            shown[outside] = False
        return names, shown

    @cached_property
    def views(self) -> tuple[View, ...]:
        """What a block is told of itself and of its neighbours, by distance."""
        distances = sorted({distance for window in self.windows for distance in window})
        return tuple(self._view(distance) for distance in distances)

    def _view(self, distance: int) -> View:
        width = 1 + max((len(edges) for edges in self.edges), default=0)
        places = [place for place, window in enumerate(self.windows) if distance in window]
        mark = f"[{distance:+d}]" if distance else ""
        rows = [[f"{self.names[p]}{mark}={b}" for b in range(width)] for p in places]
        return View(distance, np.array(places), np.array(rows, dtype=object))


def check_encoder(encoder: Encoder) -> None:
    """Raise `ValueError` for an encoder that no training makes, naming what is wrong in it."""
    if len({len(encoder.names), *map(len, (encoder.edges, encoder.common, encoder.windows))}) > 1:
        raise ValueError("the encoder's parts differ in length")
    repeated = [name for name, count in Counter(encoder.names).items() if count > 1]
    if repeated:
        raise ValueError(f"the encoder names {repeated[0]} twice")
    parts = zip(encoder.names, encoder.edges, encoder.common, encoder.windows, strict=True)
    for name, edges, common, window in parts:
        if not np.isfinite(edges).all() or not _rises(edges) or len(edges) > MAX_BINS:
            raise ValueError(f"bin edges of {name} are not finite, rising and {MAX_BINS} at most")
        if not 0 <= common <= len(edges):
            raise ValueError(f"the most frequent bin of {name} is none of its bins")
        if not _rises(window) or any(abs(distance) > MAX_REACH for distance in window):
            raise ValueError(f"windows of {name} are not rising and within +-{MAX_REACH}")


def _rises(values: Sequence[float]) -> bool:
    """Whether every value is larger than the one before."""
    return all(before < after for before, after in pairwise(values))


def fit_edges(
    columns: npt.NDArray[np.floating], bins: int
) -> tuple[tuple[tuple[float, ...], ...], tuple[int, ...]]:
    """Quantile edges for each column of (n, features), and each column's most frequent bin.

    The least value has a bin of its own besides the `bins` quantiles: most columns have many 0.
    """
    quantiles = np.linspace(0, 1, bins + 1)[:-1]
    edges, common = [], []
    for column in columns.T:
        bounds = np.unique(np.quantile(column, quantiles, method="lower"))
        bounds = bounds[bounds < column.max()]
        edges.append(tuple(float(bound) for bound in bounds))
        common.append(int(np.bincount(np.searchsorted(bounds, column)).argmax()))
    return tuple(edges), tuple(common)


def windows_for(
    names: Sequence[str], wide: Sequence[str], reach: int
) -> tuple[tuple[int, ...], ...]:
    """The distances of each feature: -reach..reach for the `wide` ones, 0 for the others."""
    around = tuple(range(-reach, reach + 1))
    return tuple(around if name in wide else (0,) for name in names)
