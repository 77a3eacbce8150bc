"""Scale columns to inputs of a network: logarithms of counts, mean 0, deviation 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from crfclean.core.native import CORE
from crfclean.nn.layers import Singles
from crfclean.types import Bools, Floats, Ints

Columns = npt.NDArray[np.floating]
CLIP = 4.0  # standard deviations: inputs are clipped to +-CLIP
LEAST_DEVIATION = 0.03  # of a divisor: columns that hardly vary are not blown up
_ROWS = 512  # scaled at once: in double precision they would take more than all else
COUNT_FROM = 1.5  # a column with larger values holds counts, not shares


@dataclass(frozen=True, eq=False)
class Scaling:
    """How columns become inputs within +-`clip`; `log`, `mean` and `deviation` have shape (k,).

    `centre`, (k,) or 0 for all, is the input from which contributions count: a column's mean.
    """

    log: Bools
    mean: Columns
    deviation: Columns
    clip: float = CLIP
    centre: Singles | float = 0.0

    @cached_property
    def _logs(self) -> Ints:
        """Indices of the columns whose logarithm is taken."""
        return np.flatnonzero(self.log)

    def __call__(self, columns: Columns) -> Singles:
        """Columns (n, k) -> inputs (n, k)."""
        if self._is_table(columns):
            return self._scaled_by_core(columns.T)
        inputs = np.empty(columns.shape, np.float32)
        for start in range(0, len(columns), _ROWS):
            rows = slice(start, start + _ROWS)
            inputs[rows] = self._scaled(columns[rows])
        return inputs

    def begins_with(self, other: Scaling) -> bool:
        """Whether the first columns are scaled as another scaling's columns are."""
        count = len(other.mean)
        same = (
            np.array_equal(getattr(self, name)[:count], getattr(other, name))
            for name in ("log", "mean", "deviation")
        )
        return self.clip == other.clip and all(same)

    def after(self, count: int) -> Scaling:
        """The scaling of the columns from `count` on."""
        centre = self.centre if isinstance(self.centre, float) else self.centre[count:]
        return Scaling(
            self.log[count:], self.mean[count:], self.deviation[count:], self.clip, centre
        )

    def _is_table(self, columns: Columns) -> bool:
        """Whether the core scales columns: one page's, in single precision, by double precision.

        It takes half of numpy's time, which is 3 % of a page; training has other columns.
        """
        is_table = columns.dtype == np.float32 and columns.T.flags.c_contiguous
        is_double = self.mean.dtype == self.deviation.dtype == np.float64
        return bool(len(columns) and is_table and is_double)

    def _scaled_by_core(self, rows: Columns) -> Singles:
        """The same of columns as rows (k, n), by the compiled core."""
        logs = rows.take(self._logs, 0)
        np.log1p(np.maximum(logs, np.float32(0.0), out=logs), out=logs)
        inputs = CORE.scaled(rows, logs, *self._for_core)
        return np.frombuffer(inputs, np.float32).reshape(rows.shape[::-1])

    @cached_property
    def _for_core(self) -> tuple[Ints, Columns, Columns, float]:
        """What the compiled core reads of the scaling."""
        moments = (np.ascontiguousarray(self.mean), np.ascontiguousarray(self.deviation))
        return (self._logs.astype(np.int32), *moments, float(self.clip))

    def _scaled(self, columns: Columns) -> Columns:
        """The same for a few rows, in the precision of their mean."""
        values = columns.copy()
        values[:, self._logs] = np.log1p(np.maximum(values[:, self._logs], 0.0))
        scaled: Columns = (values - self.mean) / self.deviation
        return np.clip(scaled, -self.clip, self.clip, out=scaled)


def identity_scaling(centre: Singles) -> Scaling:
    """The scaling that leaves columns as they are; `centre` (k,) are their means."""
    count = len(centre)
    return Scaling(np.zeros(count, np.bool_), np.zeros(count), np.ones(count), np.inf, centre)


def moments(pages: Iterable[Columns]) -> tuple[Floats, Floats]:
    """Means and standard deviations (k,) of the columns (n, k) of one or more pages."""
    count, total, squares = 0, np.zeros(()), np.zeros(())
    for page in pages:
        count, total = count + len(page), total + page.sum(0, dtype=np.float64)
        squares = squares + np.square(page, dtype=np.float64).sum(0)
    mean: Floats = total / count
    return mean, np.sqrt(np.maximum(0.0, squares / count - mean**2))


def by_logarithms(pages: Sequence[Columns]) -> Scaling:
    """A clipped scaling in double precision, with logarithms of counts."""
    log = np.max([page.max(0) for page in pages], axis=0) > COUNT_FROM
    values = (np.where(log, np.log1p(np.maximum(page, 0.0)), page) for page in pages)
    mean, deviation = moments(values)
    return Scaling(log, mean, np.maximum(deviation, LEAST_DEVIATION))


def linear(pages: Sequence[Columns]) -> Scaling:
    """An unclipped scaling in single precision, which can be folded into a first layer."""
    mean, deviation = moments(pages)
    divisor = np.maximum(deviation, LEAST_DEVIATION)
    log = np.zeros(len(mean), np.bool_)
    return Scaling(log, mean.astype(np.float32), divisor.astype(np.float32), np.inf)


def unscaled(pages: Sequence[Columns]) -> Scaling:
    """The columns unchanged."""
    return identity_scaling(moments(pages)[0].astype(np.float32))


SCALINGS: Mapping[str, Callable[[Sequence[Columns]], Scaling]] = {
    "logarithms": by_logarithms,
    "linear": linear,
    "none": unscaled,
}
"""Name -> the scaling fitted to the columns (n, k) of one or more pages, none of them empty."""
