"""Encode feature columns as attributes of CRFsuite: quantile bins of a block and its neighbours.

As in Victor (Spousta, Marek and Pecina 2008), real values are put into a few quantile bins for
the CRF. An attribute says "the value of feature f at distance d is in bin b".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.types import Bools, Ints

Attributes = list[list[str]]
MAX_BINS = 1_000  # per feature: a weight table is as wide as the most bins of any feature
MAX_REACH = 100  # distance of the farthest neighbour: every distance has a weight table


class View(NamedTuple):
    """The features at a distance: indices of k features, their attribute names (k, bins)."""

    distance: int
    features: Ints
    names: npt.NDArray[np.object_]


@dataclass(frozen=True)
class Encoder:
    """A model's features; `edges[f]` are the inclusive upper bounds of all bins but the last.

    `common[f]` is the bin without an attribute (the most frequent one); `windows[f]` are the
    distances at which feature f is seen, 0 being the block itself.
    """

    names: tuple[str, ...]
    edges: tuple[tuple[float, ...], ...]
    common: tuple[int, ...]
    windows: tuple[tuple[int, ...], ...]

    def bins(self, columns: npt.NDArray[np.floating]) -> Ints:
        """Return the bin of each value, in single precision as in training, (n, features)."""
        singles = np.asarray(columns, np.float32)
        pairs = zip(self.edges, singles.T, strict=True)
        return np.array([np.searchsorted(*pair) for pair in pairs]).reshape(singles.T.shape).T

    def encode(self, columns: npt.NDArray[np.floating]) -> Attributes:
        """Return the attributes of n blocks from their feature columns (n, features)."""
        if not len(columns):
            return []
        bins = self.bins(columns)
        parts = [self._shifted(bins, view) for view in self.views]
        names = np.concatenate([part_names for part_names, _ in parts], axis=1)
        shown = np.concatenate([part_shown for _, part_shown in parts], axis=1)
        flat = names[shown].tolist()
        ends = np.cumsum(shown.sum(1)).tolist()
        return [flat[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]

    def _shifted(self, bins: Ints, view: View) -> tuple[Any, Bools]:
        """Return the neighbours' attribute names at a distance, and which are shown; (n, k)."""
        picked = bins[:, view.features]
        names = view.names[np.arange(len(view.features)), picked]
        shown = picked != np.array(self.common)[view.features]
        distance = view.distance
        names, shown = np.roll(names, -distance, axis=0), np.roll(shown, -distance, axis=0)
        if distance:
            outside = slice(-distance, None) if distance > 0 else slice(None, -distance)
            shown[outside] = False
        return names, shown

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The features of a block and its neighbours that the model uses, by distance."""
        distances = sorted({distance for window in self.windows for distance in window})
        return tuple(self._view(distance) for distance in distances)

    def _view(self, distance: int) -> View:
        width = 1 + max((len(edges) for edges in self.edges), default=0)
        features = [feature for feature, window in enumerate(self.windows) if distance in window]
        mark = f"[{distance:+d}]" if distance else ""
        rows = [[f"{self.names[f]}{mark}={b}" for b in range(width)] for f in features]
        return View(distance, np.array(features), np.array(rows, dtype=object))


def check_encoder(encoder: Encoder) -> None:
    """Raise `ValueError`, naming the fault, for an encoder that training cannot produce."""
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
    return all(before < after for before, after in pairwise(values))


def fit_edges(
    columns: npt.NDArray[np.floating], bins: int
) -> tuple[tuple[tuple[float, ...], ...], tuple[int, ...]]:
    """Return quantile edges and the most frequent bin of each column of (n, features).

    The least value gets its own bin beside the `bins` quantiles, because most values are 0.
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
    """Return the distances of each feature that are used: -reach..reach if `wide`, else 0."""
    around = tuple(range(-reach, reach + 1))
    return tuple(around if name in wide else (0,) for name in names)
