"""Inputs -> scores of blocks by a multilayer perceptron, whatever its layers' activations.

The activations are those of FANN (Nissen 2003), the library of the perceptron system Texttractor,
and those of today; a layer's steepness multiplies the sums that reach its units.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crfclean.nn.blas import one_thread
from crfclean.nn.mlp import DAMAGES, Singles, is_finite
from crfclean.types import Floats, ModelError

LIMIT = 30.0  # of sums at a sigmoid: beyond it is 0 or 1 anyhow


@dataclass(frozen=True, slots=True)
class Activation:
    """A function of steepened sums, its slope by sum and value, the least value (the most is 1)."""

    value: Callable[[Singles], Singles]
    slope: Callable[[Singles, Singles], Singles]
    least: float


def _sigmoid(sums: Singles) -> Singles:
    found: Singles = 1.0 / (1.0 + np.exp(-2.0 * np.clip(sums, -LIMIT, LIMIT)))
    return found


def _gaussian(sums: Singles) -> Singles:
    found: Singles = np.float32(2.0) * np.exp(-np.square(np.clip(sums, -LIMIT, LIMIT))) - 1.0
    return found


ACTIVATIONS: Mapping[str, Activation] = {
    "sigmoid": Activation(_sigmoid, lambda _, y: 2.0 * y * (1.0 - y), 0.0),
    "tanh": Activation(np.tanh, lambda _, y: 1.0 - y * y, -1.0),
    "gaussian": Activation(_gaussian, lambda x, y: -2.0 * x * (y + 1.0), -1.0),
    "ramp": Activation(lambda x: np.clip(x, -1.0, 1.0), lambda x, _: np.ones_like(x), -1.0),
    "relu": Activation(lambda x: np.maximum(x, 0.0), lambda x, _: (x > 0).astype(x.dtype), 0.0),
}
"""Name -> activation. FANN calls `sigmoid` so (its stepwise one approximates it), `gaussian`
symmetric Gaussian, and `ramp` symmetric piecewise linear, with a slope of 1 all over."""

OUTPUTS = {"sigmoid": 2.0, "tanh": 2.0, "ramp": 0.5}
"""Activations that the last layer may have, with values between `least` and 1 -> log-odds of the
score by steepened sum (`ramp`: the score itself by it)."""


@dataclass(frozen=True, eq=False)
class Layer:
    """Weights (inputs, outputs), biases (outputs,), the activation's name and its steepness."""

    weights: Singles
    bias: Singles
    activation: str
    steepness: float = 1.0

    def __call__(self, values: Singles) -> Singles:
        """Values (n, inputs) -> values (n, outputs)."""
        return ACTIVATIONS[self.activation].value(self.sums(values))

    def sums(self, values: Singles) -> Singles:
        """Steepened sums that reach the layer's units, (n, outputs)."""
        found: Singles = (values @ self.weights + self.bias) * np.float32(self.steepness)
        return found

    def back(self, sums: Singles, values: Singles, gradient: Singles) -> Singles:
        """Gradient by the layer's values (n, outputs) -> by its plain sums, (n, outputs)."""
        slope = ACTIVATIONS[self.activation].slope(sums, values)
        found: Singles = gradient * slope * np.float32(self.steepness)
        return found


@dataclass(frozen=True, eq=False)
class Perceptron:
    """Layers from k inputs to one output, and the inputs' means (k,) over the training blocks."""

    layers: tuple[Layer, ...]
    mean: Singles

    @property
    def widths(self) -> tuple[int, ...]:
        """Inputs, and units of each layer: 78, 39, 19, 9, 1 are the paper's."""
        return (len(self.mean), *(len(layer.bias) for layer in self.layers))

    def __call__(self, inputs: npt.NDArray[np.floating]) -> Floats:
        """Inputs (n, k) -> scores (n,) from 0, bad, to 1, good."""
        values: Singles = inputs.astype(np.float32)
        with one_thread():
            for layer in self.layers:
                values = layer(values)
        least = ACTIVATIONS[self.layers[-1].activation].least
        return (values[:, 0].astype(np.float64) - least) / (1.0 - least)

    def contributions(self, inputs: npt.NDArray[np.floating]) -> Floats:
        """Each input's part in the score's log-odds, shape (n, k); of a `ramp`: in the score.

        Input times gradient (Shrikumar et al. 2016), where an input counts from its mean.
        """
        values: Singles = inputs.astype(np.float32)
        reached = [values]
        sums = []
        for layer in self.layers:
            sums.append(layer.sums(reached[-1]))
            reached.append(ACTIVATIONS[layer.activation].value(sums[-1]))
        last = self.layers[-1]
        factor = OUTPUTS[last.activation] * last.steepness
        gradient = np.full((len(values), 1), factor, np.float32) @ last.weights.T
        hidden = zip(self.layers[-2::-1], sums[-2::-1], reached[-2:0:-1], strict=True)
        for layer, one, value in hidden:
            gradient = layer.back(one, value, gradient) @ layer.weights.T
        return ((values - self.mean) * gradient).astype(np.float64)


def to_bytes(network: Perceptron) -> bytes:
    """The arrays of a perceptron as an `.npz` file; equal ones give equal bytes."""
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "mean": network.mean,
        "activations": np.array([layer.activation for layer in network.layers], np.str_),
        "steepness": np.array([layer.steepness for layer in network.layers], np.float64),
    }
    for place, layer in enumerate(network.layers):
        arrays[f"weights_{place}"] = layer.weights
        arrays[f"bias_{place}"] = layer.bias
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def from_bytes(data: bytes, inputs: int) -> Perceptron:
    """Read what `to_bytes` wrote; raises `ModelError` for what is none, or of other inputs."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            named = zip(arrays["activations"].tolist(), arrays["steepness"].tolist(), strict=True)
            layers = tuple(
                Layer(arrays[f"weights_{place}"], arrays[f"bias_{place}"], str(name), float(steep))
                for place, (name, steep) in enumerate(named)
            )
            mean = arrays["mean"]
    except DAMAGES as error:
        raise ModelError(f"damaged perceptron: {error}") from error
    if mean.shape != (inputs,) or not is_finite(mean, np.float32) or not _fits(layers, inputs):
        raise ModelError("damaged perceptron: its layers do not fit its inputs and each other")
    return Perceptron(layers, mean)


def _fits(layers: Sequence[Layer], width: int) -> bool:
    """Whether layers of known activations lead from `width` inputs to one output, all finite."""
    for layer in layers:
        weights, bias = layer.weights, layer.bias
        if weights.ndim != 2 or len(weights) != width or bias.shape != weights.shape[1:]:
            return False
        if layer.activation not in ACTIVATIONS or not 0 < layer.steepness < np.inf:
            return False
        if not (is_finite(weights, np.float32) and is_finite(bias, np.float32)):
            return False
        width = len(bias)
    return bool(layers) and width == 1 and layers[-1].activation in OUTPUTS
