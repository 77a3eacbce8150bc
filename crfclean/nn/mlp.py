"""Feature columns -> probabilities of the labels by small dense networks, a page at once.

What the networks say is no label yet: it becomes evidence for the CRF (`firstpass.py`).
"""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from crfclean.nn.blas import one_thread
from crfclean.types import Bools, Floats, Ints, Label, ModelError

Singles = npt.NDArray[np.float32]
Layers = tuple[tuple[Singles, Singles], ...]
ROWS = 4_096  # blocks at once: what they need stays in the processor's cache
CLIP = 4.0  # standard deviations: what lies farther out counts as this far


@dataclass(frozen=True, eq=False)
class Scaling:
    """How columns become inputs: logarithms of counts, mean 0, deviation 1; shapes (features,)."""

    log: Bools
    mean: Floats
    deviation: Floats

    @cached_property
    def _logs(self) -> Ints:
        """Places of the features whose logarithm is taken."""
        return np.flatnonzero(self.log)

    def __call__(self, columns: npt.NDArray[np.floating]) -> Singles:
        """Columns (n, features) -> inputs (n, features) within `CLIP`."""
        values = columns.copy()
        values[:, self._logs] = np.log1p(np.maximum(columns[:, self._logs], 0.0))
        scaled = (values - self.mean) / self.deviation
        inputs: Singles = np.clip(scaled, -CLIP, CLIP).astype(np.float32)
        return inputs


LEAST_DEVIATION = 0.03  # columns that hardly vary are not blown up
COUNT_FROM = 1.5  # a column with larger values has counts, no shares


def fit_scaling(columns: Sequence[npt.NDArray[np.floating]]) -> Scaling:
    """The scaling of the columns (n, features) of one page or more, each of a block or more."""
    log = np.max([page.max(0) for page in columns], axis=0) > COUNT_FROM
    values = (np.where(log, np.log1p(np.maximum(page, 0.0)), page) for page in columns)
    count, total, squares = 0, np.zeros(len(log)), np.zeros(len(log))
    for page in values:
        count, total = count + len(page), total + page.sum(0, dtype=np.float64)
        squares += np.square(page, dtype=np.float64).sum(0)
    mean = total / count
    deviation = np.sqrt(np.maximum(0.0, squares / count - mean**2))
    return Scaling(log, mean, np.maximum(deviation, LEAST_DEVIATION))


@dataclass(frozen=True, eq=False)
class Network:
    """Networks over the same features, whose log-probabilities are averaged.

    `members` are their layers, weights (inputs, outputs) and biases (outputs,): rectified
    linear units between them, a softmax over the three labels at the end.
    """

    names: tuple[str, ...]
    scaling: Scaling
    members: tuple[Layers, ...]

    def __call__(self, columns: npt.NDArray[np.floating]) -> Floats:
        """Columns (n, features), in the order of `names` -> probabilities (n, 3)."""
        found = np.zeros((len(columns), len(Label)))
        with one_thread():
            for start in range(0, len(columns), ROWS):
                inputs = self.scaling(columns[start : start + ROWS])
                logs = [log_softmax(outputs(inputs, layers)) for layers in self.members]
                found[start : start + ROWS] = np.exp(log_softmax(np.mean(logs, axis=0)))
        return found

    def contributions(self, columns: npt.NDArray[np.floating]) -> Floats:
        """Each input's part in the log-odds of keeping a block, shape (n, features).

        Input times gradient (Shrikumar et al. 2016), where an input of 0 is a feature's mean.
        """
        inputs = self.scaling(columns)
        parts = [inputs * _gradient(inputs, layers) for layers in self.members]
        mean: Floats = np.mean(parts, axis=0, dtype=np.float64)
        return mean


def _gradient(inputs: Singles, layers: Layers) -> Singles:
    """Gradient of log(P(HEADER) + P(TEXT)) - log P(OTHER) by the inputs, (n, features)."""
    *hidden, (weights, bias) = layers
    reached = [inputs]
    for one, shift in hidden:
        reached.append(np.maximum(reached[-1] @ one + shift, 0.0))
    kept = np.exp(log_softmax((reached[-1] @ weights + bias)[:, : Label.OTHER]))
    back = np.column_stack([kept, np.full(len(kept), -1.0)]).astype(np.float32) @ weights.T
    for (one, _), values in zip(reversed(hidden), reversed(reached[1:]), strict=True):
        back = (back * (values > 0)) @ one.T
    return back


def outputs(inputs: Singles, layers: Layers) -> Singles:
    """Inputs (n, features) -> the last layer's outputs (n, 3)."""
    *hidden, (weights, bias) = layers
    for one, shift in hidden:
        inputs = np.maximum(inputs @ one + shift, 0.0)
    last: Singles = inputs @ weights + bias
    return last


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


def to_bytes(network: Network) -> bytes:
    """The arrays of a network as an `.npz` file; equal networks give equal bytes."""
    arrays: dict[str, npt.NDArray[np.generic]] = {
        "log": network.scaling.log,
        "mean": network.scaling.mean,
        "deviation": network.scaling.deviation,
    }
    for member, layers in enumerate(network.members):
        for place, (weights, bias) in enumerate(layers):
            arrays[f"weights_{member}_{place}"] = weights
            arrays[f"bias_{member}_{place}"] = bias
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


DAMAGES = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError, MemoryError),
    *(OSError, EOFError, RuntimeError, SyntaxError, tokenize.TokenError),
    *(struct.error, zlib.error, zipfile.BadZipFile),
)
"""What numpy and zipfile raise for files that are none, or damaged."""


def from_bytes(data: bytes, names: tuple[str, ...]) -> Network:
    """Read what `to_bytes` wrote; raises `ModelError` for what is none, or of other features."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            scaling = Scaling(arrays["log"], arrays["mean"], arrays["deviation"])
            members = {int(name.split("_")[1]) for name in arrays if name.startswith("bias_")}
            layers = tuple(_layers(arrays, member) for member in sorted(members))
    except DAMAGES as error:
        raise ModelError(f"damaged network: {error}") from error
    if not layers or not all(_fits(one, len(names)) for one in layers):
        raise ModelError("damaged network: its layers do not fit its features and each other")
    if not _scales(scaling, len(names)):
        raise ModelError("damaged network: its scaling does not fit its features")
    return Network(names, scaling, layers)


def _layers(arrays: np.lib.npyio.NpzFile, member: int) -> Layers:
    count = sum(name.startswith(f"bias_{member}_") for name in arrays)
    return tuple(
        (arrays[f"weights_{member}_{place}"], arrays[f"bias_{member}_{place}"])
        for place in range(count)
    )


def _fits(layers: Layers, width: int) -> bool:
    """Whether the layers lead from `width` inputs to the labels, all in finite numbers."""
    for weights, bias in layers:
        if weights.ndim != 2 or len(weights) != width or bias.shape != weights.shape[1:]:
            return False
        if not all(is_finite(array, np.float32) for array in (weights, bias)):
            return False
        width = len(bias)
    return bool(layers) and width == len(Label)


def _scales(scaling: Scaling, width: int) -> bool:
    """Whether a scaling is of `width` features, in numbers that it can divide by."""
    arrays = (scaling.log, scaling.mean, scaling.deviation)
    if any(array.shape != (width,) for array in arrays) or scaling.log.dtype != np.bool_:
        return False
    finite = all(is_finite(array, np.float64) for array in arrays[1:])
    return finite and bool((scaling.deviation > 0).all())


def is_finite(array: npt.NDArray[np.generic], kind: type[np.floating]) -> bool:
    """Whether an array is of this kind of number, and all its numbers are finite."""
    return array.dtype == kind and bool(np.isfinite(array).all())
