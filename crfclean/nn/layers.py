"""Layers of a dense network, forward and backward.

The activations are those of FANN (Nissen 2003), the library that Texttractor's perceptron used,
and today's; a layer's steepness multiplies the sums that reach its units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.types import Floats

Singles = npt.NDArray[np.float32]
LIMIT = 30.0  # of a sigmoid's sums: beyond it the value is 0 or 1 anyway, and exp overflows


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
"""Name -> activation; all but `relu` and `linear` reach at most 1. In FANN's terms, `sigmoid` is
sigmoid (which its stepwise one approximates), `gaussian` symmetric Gaussian, and `ramp` symmetric
piecewise linear, whose slope counts as 1 everywhere."""


@dataclass(frozen=True, eq=False)
class Layer:
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
        """Gradient by the layer's values (n, units) -> by its sums before steepness, (n, units)."""
        slope = ACTIVATIONS[self.activation].slope(sums, values)
        by_sums: Singles = gradient * slope * np.float32(self.steepness)
        return by_sums


Layers = tuple[Layer, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
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
    """Inputs (n, k) -> one pass per layer; `masks` (n, units), if any, are the hidden layers'."""
    passes = []
    for index, layer in enumerate(layers):
        sums = layer.sums(inputs)
        mask = masks[index] if index < len(masks) else None
        passes.append(Pass(layer, inputs, sums, layer.values(sums), mask))
        inputs = passes[-1].outputs
    return tuple(passes)


def backward(passes: Sequence[Pass], gradient: Singles) -> Iterator[tuple[Pass, Singles]]:
    """The passes from last to first, each with its gradient, (n, units).

    Gradients are by the sums before steepness; `gradient` is the last layer's.
    """
    yield passes[-1], gradient
    for after, before in pairwise(reversed(passes)):
        by_outputs = gradient @ after.layer.weights.T
        by_values = by_outputs if before.mask is None else by_outputs * before.mask
        gradient = before.layer.back(before.sums, before.values, by_values)
        yield before, gradient


def outputs(inputs: Singles, layers: Layers) -> Singles:
    """Inputs (n, k) -> values of the last layer's units (n, units)."""
    for layer in layers:
        inputs = layer.values(layer.sums(inputs))
    return inputs


def softmax(scores: Floats) -> Floats:
    """The softmax over the last axis."""
    factors = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = factors / factors.sum(axis=-1, keepdims=True)
    return shares


def log_softmax(values: npt.NDArray[np.floating]) -> Floats:
    """Logarithms of the softmax of each row, shape (n, labels).

    Labels are computed side by side: a reduction over three values a row costs more than the rest.
    """
    return log_shares(np.ascontiguousarray(values.T, np.float64)).T


def log_shares(rows: Floats) -> Floats:
    """The same of labels as rows, (labels, n)."""
    shifted: Floats = rows - np.maximum.reduce(rows)
    shifted -= np.log(np.add.reduce(np.exp(shifted)))
    return shifted
