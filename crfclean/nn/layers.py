"""Layers of a dense network: inputs -> values of units, and gradients back through them.

The activations are those of FANN (Nissen 2003), the library of the perceptron system Texttractor,
and those of today; a layer's steepness multiplies the sums that reach its units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crfclean.types import Floats

Singles = npt.NDArray[np.float32]
LIMIT = 30.0  # of sums at a sigmoid: beyond it is 0 or 1 anyhow


@dataclass(frozen=True, slots=True)
class Activation:
    """A function of steepened sums, its slope by sum and value, and its least value."""

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
"""Name -> activation; the most of all but `relu` and `linear` is 1. FANN calls `sigmoid` so (its
stepwise one approximates it), `gaussian` symmetric Gaussian, and `ramp` symmetric piecewise
linear, with a slope of 1 all over."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights (inputs, units), biases (units,), the activation's name and its steepness."""

    weights: Singles
    bias: Singles
    activation: str
    steepness: float = 1.0

    def sums(self, inputs: Singles) -> Singles:
        """Inputs (n, inputs) -> steepened sums that reach the layer's units, (n, units)."""
        sums: Singles = (inputs @ self.weights + self.bias) * np.float32(self.steepness)
        return sums

    def values(self, sums: Singles) -> Singles:
        """Steepened sums (n, units) -> values of the units (n, units)."""
        return ACTIVATIONS[self.activation].value(sums)

    def back(self, sums: Singles, values: Singles, gradient: Singles) -> Singles:
        """Gradient by the layer's values (n, units) -> by its plain sums, (n, units)."""
        slope = ACTIVATIONS[self.activation].slope(sums, values)
        by_sums: Singles = gradient * slope * np.float32(self.steepness)
        return by_sums


Layers = tuple[Layer, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Pass:
    """A layer, its inputs (n, inputs), its sums and values (n, units), the mask of its values."""

    layer: Layer
    inputs: Singles
    sums: Singles
    values: Singles
    mask: Singles | None

    @property
    def outputs(self) -> Singles:
        """What the next layer sees, (n, units)."""
        return self.values if self.mask is None else self.values * self.mask


def forward(
    inputs: Singles, layers: Layers, masks: Sequence[Singles | None] = ()
) -> tuple[Pass, ...]:
    """Inputs (n, k) -> one pass a layer; `masks` (n, units) are of the hidden layers, if any."""
    passes = []
    for place, layer in enumerate(layers):
        sums = layer.sums(inputs)
        mask = masks[place] if place < len(masks) else None
        passes.append(Pass(layer, inputs, sums, layer.values(sums), mask))
        inputs = passes[-1].outputs
    return tuple(passes)


def backward(passes: Sequence[Pass], gradient: Singles) -> Iterator[tuple[Pass, Singles]]:
    """The passes from last to first, each with the gradient by its layer's plain sums (n, units).

    `gradient` is that of the last layer.
    """
    yield passes[-1], gradient
    for after, before in pairwise(reversed(passes)):
        by_outputs = gradient @ after.layer.weights.T
        by_values = by_outputs if before.mask is None else by_outputs * before.mask
        gradient = before.layer.back(before.sums, before.values, by_values)
        yield before, gradient


def outputs(inputs: Singles, layers: Layers) -> Singles:
    """Inputs (n, k) -> values of the last layer's units (n, units); keeps nothing else."""
    for layer in layers:
        inputs = layer.values(layer.sums(inputs))
    return inputs


def softmax(scores: Floats) -> Floats:
    """The softmax over the last axis."""
    factors = np.exp(scores - scores.max(axis=-1, keepdims=True))
    shares: Floats = factors / factors.sum(axis=-1, keepdims=True)
    return shares


def log_softmax(values: npt.NDArray[np.floating]) -> Floats:
    """Logarithms of the softmax of each row, shape (n, labels)."""
    shifted = values.astype(np.float64) - values.max(1, keepdims=True)
    logs: Floats = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
    return logs
