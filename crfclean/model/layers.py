"""Layers of a dense network, forward and backward, and the scaling of its inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.types import Bools, Floats, Ints

# layers of a dense network, forward and backward
#
# There are the activations of FANN (Nissen 2003), the library of Texttractor's perceptron, and
# today's. A layer's steepness multiplies the sums that reach its units.

Singles = npt.NDArray[np.float32]
LIMIT = 30.0  # of a sigmoid's sums: beyond it the value is 0 or 1, and exp overflows


class Activation(NamedTuple):
    """A function of steepened sums, its slope from sums and values, and its least value."""

    value: Callable[[Singles], Singles]
    slope: Callable[[Singles, Singles], Singles]
    least: float


def _sigmoid(sums: Singles) -> Singles:
    values: Singles = 1.0 / (1.0 + np.exp(-2.0 * np.clip(sums, -LIMIT, LIMIT)))
    return values


def _gaussian(sums: Singles) -> Singles:
    values: Singles = np.float32(2.0) * np.exp(-np.square(np.clip(sums, -LIMIT, LIMIT))) - 1.0
    return values


ACTIVATIONS: Mapping[str, Activation] = {
    "sigmoid": Activation(_sigmoid, lambda _, y: 2.0 * y * (1.0 - y), 0.0),
    "tanh": Activation(np.tanh, lambda _, y: 1.0 - y * y, -1.0),
    "gaussian": Activation(_gaussian, lambda x, y: -2.0 * x * (y + 1.0), -1.0),
    "ramp": Activation(lambda x: np.clip(x, -1.0, 1.0), lambda x, _: np.ones_like(x), -1.0),
    "relu": Activation(lambda x: np.maximum(x, 0.0), lambda x, _: (x > 0).astype(x.dtype), 0.0),
    "linear": Activation(lambda x: x, lambda x, _: np.ones_like(x), -np.inf),
}
"""Name -> activation; all except `relu` and `linear` reach at most 1. FANN calls `gaussian`
symmetric Gaussian, and `ramp` symmetric piecewise linear; the slope of `ramp` counts as 1
everywhere."""


class Layer(NamedTuple):
    """Weights (inputs, units), biases (units,), the activation's name and its steepness."""

    weights: Singles
    bias: Singles
    activation: str
    steepness: float = 1.0

    def sums(self, inputs: Singles) -> Singles:
        """Inputs (n, inputs) -> steepened sums at the layer's units, (n, units)."""
        sums: Singles = inputs @ self.weights
        sums += self.bias
        if self.steepness != 1.0:
            sums *= np.float32(self.steepness)
        return sums

    def values(self, sums: Singles) -> Singles:
        """Steepened sums (n, units) -> values of the units (n, units)."""
        return ACTIVATIONS[self.activation].value(sums)

    def back(self, sums: Singles, values: Singles, gradient: Singles) -> Singles:
        """Turn the gradient by values (n, units) into that by sums before steepness, (n, units)."""
        slope = ACTIVATIONS[self.activation].slope(sums, values)
        by_sums: Singles = gradient * slope * np.float32(self.steepness)
        return by_sums


Layers = tuple[Layer, ...]


class Pass(NamedTuple):
    """One layer's pass: inputs (n, inputs), sums and values (n, units), the values' mask."""

    layer: Layer
    inputs: Singles
    sums: Singles
    values: Singles
    mask: Singles | None

    @property
    def outputs(self) -> Singles:
        """The next layer's inputs, (n, units)."""
        return self.values if self.mask is None else self.values * self.mask


def forward(
    inputs: Singles, layers: Layers, masks: Sequence[Singles | None] = ()
) -> tuple[Pass, ...]:
    """Run inputs (n, k) through the layers, with `masks` (n, units) for hidden layers, if any."""
    passes = []
    for index, layer in enumerate(layers):
        sums = layer.sums(inputs)
        mask = masks[index] if index < len(masks) else None
        passes.append(Pass(layer, inputs, sums, layer.values(sums), mask))
        inputs = passes[-1].outputs
    return tuple(passes)


def backward(passes: Sequence[Pass], gradient: Singles) -> Iterator[tuple[Pass, Singles]]:
    """Yield the passes from last to first, each with its gradient, (n, units).

    Gradients are by the sums before steepness; `gradient` is that of the last layer.
    """
    yield passes[-1], gradient
    for after, before in pairwise(reversed(passes)):
        by_outputs = gradient @ after.layer.weights.T
        by_values = by_outputs if before.mask is None else by_outputs * before.mask
        gradient = before.layer.back(before.sums, before.values, by_values)
        yield before, gradient


def softmax(scores: Floats) -> Floats:
    """The softmax over the last axis."""
    factors = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = factors / factors.sum(axis=-1, keepdims=True)
    return shares


def log_softmax(values: npt.NDArray[np.floating]) -> Floats:
    """Logarithms of the softmax of each row, shape (n, labels).

    It works on columns, because a reduction over rows of three values takes most of the time.
    """
    rows: Floats = np.array(values.T, np.float64, order="C")
    rows -= np.maximum.reduce(rows)
    rows -= np.log(np.add.reduce(np.exp(rows)))
    return rows.T


# scale columns to inputs of a network: logarithms of counts, mean 0, deviation 1

Columns = npt.NDArray[np.floating]
CLIP = 4.0  # standard deviations: inputs are clipped to +-CLIP
LEAST_DEVIATION = 0.03  # least divisor, so that columns that hardly vary are not blown up
_ROWS = 512  # rows scaled at a time: all rows in double precision would take much memory
COUNT_FROM = 1.5  # a column with larger values holds counts, not shares


@dataclass(frozen=True, eq=False)
class Scaling:
    """Scaling of columns to inputs within +-`clip`; `log`, `mean` and `deviation` have shape (k,).

    `centre`, (k,) or 0 for all, is the mean input, from which contributions are measured.
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
        inputs = np.empty(columns.shape, np.float32)
        for start in range(0, len(columns), _ROWS):
            part = slice(start, start + _ROWS)
            inputs[part] = self._scaled(columns[part])
        return inputs

    def _scaled(self, columns: Columns) -> Columns:
        """Scale a few rows, in the precision of the mean."""
        values = columns.copy()
        values[:, self._logs] = np.log1p(np.maximum(values[:, self._logs], 0.0))
        scaled: Columns = (values - self.mean) / self.deviation
        return np.clip(scaled, -self.clip, self.clip, out=scaled)


def identity_scaling(centre: Singles) -> Scaling:
    """Return a scaling that does not change columns; `centre` (k,) are their means."""
    count = len(centre)
    return Scaling(np.zeros(count, np.bool_), np.zeros(count), np.ones(count), np.inf, centre)


def moments(pages: Iterable[Columns]) -> tuple[Floats, Floats]:
    """Compute means and standard deviations (k,) of the columns (n, k) of one or more pages."""
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


SCALINGS: Mapping[str, Callable[[Sequence[Columns]], Scaling]] = {
    "logarithms": by_logarithms,
    "linear": linear,
    "none": lambda pages: identity_scaling(moments(pages)[0].astype(np.float32)),
}
"""Name -> the scaling fitted to the columns (n, k) of one or more pages, none of them empty."""
