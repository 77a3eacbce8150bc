"""Columns of pages -> inputs of a network: logarithms of counts, mean 0, deviation 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from crfclean.nn.layers import Singles
from crfclean.types import Bools, Floats, Ints

Columns = npt.NDArray[np.floating]
CLIP = 4.0  # standard deviations: what lies farther out counts as this far
LEAST_DEVIATION = 0.03  # columns that hardly vary are not blown up
COUNT_FROM = 1.5  # a column with larger values has counts, no shares


@dataclass(frozen=True, eq=False)
class Scaling:
    """How columns become inputs within `clip`; `log`, `mean` and `deviation` have shape (k,).

    `centre`, (k,) or 0 for all, is the input from which contributions count: a column's mean.
    """

    log: Bools
    mean: Columns
    deviation: Columns
    clip: float = CLIP
    centre: Singles | float = 0.0

    @cached_property
    def _logs(self) -> Ints:
        """Places of the columns whose logarithm is taken."""
        return np.flatnonzero(self.log)

    def __call__(self, columns: Columns) -> Singles:
        """Columns (n, k) -> inputs (n, k)."""
        values = columns.copy()
        values[:, self._logs] = np.log1p(np.maximum(columns[:, self._logs], 0.0))
        scaled = (values - self.mean) / self.deviation
        inputs: Singles = np.clip(scaled, -self.clip, self.clip).astype(np.float32)
        return inputs


def identity_scaling(centre: Singles) -> Scaling:
    """The scaling that takes columns as they are; `centre` (k,) are their means."""
    count = len(centre)
    return Scaling(np.zeros(count, np.bool_), np.zeros(count), np.ones(count), np.inf, centre)


def moments(pages: Iterable[Columns]) -> tuple[Floats, Floats]:
    """Means and standard deviations (k,) of the columns (n, k) of one page or more."""
    count, total, squares = 0, np.zeros(()), np.zeros(())
    for page in pages:
        count, total = count + len(page), total + page.sum(0, dtype=np.float64)
        squares = squares + np.square(page, dtype=np.float64).sum(0)
    mean: Floats = total / count
    return mean, np.sqrt(np.maximum(0.0, squares / count - mean**2))


def by_logarithms(pages: Sequence[Columns]) -> Scaling:
    """A clipped scaling of columns and logarithms of counts, in double precision."""
    log = np.max([page.max(0) for page in pages], axis=0) > COUNT_FROM
    values = (np.where(log, np.log1p(np.maximum(page, 0.0)), page) for page in pages)
    mean, deviation = moments(values)
    return Scaling(log, mean, np.maximum(deviation, LEAST_DEVIATION))


def linear(pages: Sequence[Columns]) -> Scaling:
    """A scaling without limits in single precision: a first layer can take it over."""
    mean, deviation = moments(pages)
    least = np.maximum(deviation, LEAST_DEVIATION)
    log = np.zeros(len(mean), np.bool_)
    return Scaling(log, mean.astype(np.float32), least.astype(np.float32), np.inf)


def unscaled(pages: Sequence[Columns]) -> Scaling:
    """The columns as they are."""
    return identity_scaling(moments(pages)[0].astype(np.float32))


SCALINGS: Mapping[str, Callable[[Sequence[Columns]], Scaling]] = {
    "logarithms": by_logarithms,
    "linear": linear,
    "none": unscaled,
}
"""Name -> the scaling of the columns (n, k) of one page or more, each of a block or more."""
