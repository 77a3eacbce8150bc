"""Apply small dense networks to the columns of a page, and read and write their files."""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.core.labels import Dense
from crfclean.types import Bools, Floats, Ints, Label, ModelError, Reason

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


# apply small dense networks to the columns of a page


class Output(NamedTuple):
    """The meaning of the values of a last layer of `width` units.

    `slope` turns steepened sums into the gradient of the log-odds of keeping a block, (n, width).
    """

    width: int
    slope: Callable[[Singles], Singles]


def _label_slope(sums: Singles) -> Singles:
    """Compute the gradient of log(P(HEADER) + P(TEXT)) - log P(OTHER)."""
    kept = np.exp(log_softmax(sums[:, : Label.OTHER]))
    return np.column_stack([kept, np.full(len(kept), -1.0)]).astype(np.float32)


def _score(slope: float) -> Output:
    """Describe a single unit, whose value becomes a score."""
    return Output(1, lambda sums: np.full_like(sums, slope))


OUTPUTS: Mapping[str, Output] = {
    "linear": Output(len(Label), _label_slope),
    "sigmoid": _score(2.0),
    "tanh": _score(2.0),
    "ramp": _score(0.5),  # slope of the score itself: its log-odds are unbounded
}
"""Activation of the last layer -> its output: the logits of labels for `linear`, else one score of
keeping a block."""


def dense(scaling: Scaling, members: tuple[Layers, ...]) -> Dense:
    """The compiled form of an ensemble over the same columns."""
    layers = [
        [(layer.weights, layer.bias, layer.activation, layer.steepness) for layer in member]
        for member in members
    ]
    return Dense(
        is_count=scaling.log,
        mean=scaling.mean,
        deviation=scaling.deviation,
        clip=scaling.clip,
        members=layers,
    )


@dataclass(frozen=True, eq=False)
class Network:
    """An ensemble over the same columns, whose outputs are pooled; `members` are their layers."""

    names: tuple[str, ...]
    scaling: Scaling
    members: tuple[Layers, ...]

    @cached_property
    def compiled(self) -> Dense:
        """The compiled form; made once."""
        return dense(self.scaling, self.members)

    def __call__(self, columns: Columns) -> Floats:
        """Compute shares from 0 to 1, (n, outputs), from columns (n, k) in the order of `names`.

        They are the probabilities of labels (n, 3), or the score of keeping a block (n, 1).
        """
        return self.compiled(columns)

    def contributions(self, columns: Columns) -> Floats:
        """Compute each column's part in the log-odds of keeping a block, (n, k).

        For `ramp` it is the part in the score. Parts are input times gradient (Shrikumar et al.
        2016), with inputs measured from their mean.
        """
        inputs = self.scaling(columns)
        centred = inputs - self.scaling.centre
        parts = [centred * self._gradient(inputs, layers) for layers in self.members]
        mean: Floats = np.mean(parts, axis=0, dtype=np.float64)
        return mean

    def _gradient(self, inputs: Singles, layers: Layers) -> Singles:
        passes = forward(inputs, layers)
        slope = OUTPUTS[layers[-1].activation].slope(passes[-1].sums) * np.float32(
            layers[-1].steepness
        )
        *_, (first, gradient) = backward(passes, slope)
        by_inputs: Singles = gradient @ first.layer.weights.T
        return by_inputs

    def reasons(self, columns: Columns, most: int) -> list[list[Reason]]:
        """Return each block's reasons: the `most` columns of (n, k) with the largest weights."""
        parts = self.contributions(columns.astype(np.float32))
        order = np.argsort(-np.abs(parts), axis=1, kind="stable")[:, :most]
        return [
            [Reason(self.names[i], float(values[i]), float(weights[i])) for i in indices]
            for values, weights, indices in zip(columns, parts, order.tolist(), strict=True)
        ]


def without_scaling(network: Network) -> Network:
    """Fold the linear scaling of a network into its first layers' weights."""
    mean = network.scaling.mean.astype(np.float32)
    deviation = network.scaling.deviation.astype(np.float32)
    members = []
    for first, *others in network.members:
        weights = (first.weights.T / deviation).T
        bias = first.bias - mean @ weights
        members.append((first._replace(weights=weights, bias=bias), *others))
    return replace(network, scaling=identity_scaling(mean), members=tuple(members))


# read and write networks in two formats, both `.npz` files of plain arrays
#
# `network.npz` predicts labels; it has the scaling, and members of rectified linear units.
# `weights.mlp` predicts scores; it has one member with its activations, and the columns' means.
#
# A file is refused before any array is read if it would take more memory than it has bytes.
# `savez` does not compress, so an array that is compressed or larger than its file is not ours.

MOST_INPUT, MOST_SUM = 1e6, 1e30
"""Sums stay within single precision; weights of 3e38, though finite, gave NaN for probabilities."""
MAX_ARRAYS = 1_000  # in a file; ten members of three layers have 63

_Array = npt.NDArray[Any]
_Arrays = Mapping[str, _Array]

_DAMAGES = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError, MemoryError),
    *(OSError, EOFError, RuntimeError, SyntaxError, tokenize.TokenError),
    *(struct.error, zlib.error, zipfile.BadZipFile),
)
"""The errors of numpy and zipfile for damaged files and other formats."""


def labels_to_bytes(network: Network) -> bytes:
    """Serialise a network that predicts labels; equal networks give equal bytes."""
    scaling = network.scaling
    arrays: dict[str, _Array] = {
        "log": scaling.log,
        "mean": scaling.mean,
        "deviation": scaling.deviation,
    }
    for member, layers in enumerate(network.members):
        arrays |= _numbered(layers, f"{member}_")
    return _packed(arrays)


def labels_from_bytes(data: bytes, names: tuple[str, ...]) -> Network:
    """Read what `labels_to_bytes` wrote; raises `ModelError` for damage or other features."""
    try:
        arrays = _opened(data)
        scaling = Scaling(arrays["log"], arrays["mean"], arrays["deviation"])
        numbers = {int(name.split("_")[1]) for name in arrays if name.startswith("bias_")}
        members = tuple(_member(arrays, number) for number in sorted(numbers))
    except _DAMAGES as error:
        raise ModelError(f"damaged network: {error}") from error
    width = OUTPUTS["linear"].width
    if not members or not all(_fits(layers, len(names), width) for layers in members):
        raise ModelError("damaged network: its layers do not fit its features and each other")
    if not _scales(scaling, len(names)):
        raise ModelError("damaged network: its scaling does not fit its features")
    return Network(names, scaling, members)


def scores_to_bytes(network: Network) -> bytes:
    """Serialise an unscaled network that predicts scores as `weights.mlp`, repeatably."""
    (layers,) = network.members
    arrays: dict[str, _Array] = {
        "mean": np.asarray(network.scaling.centre),
        "activations": np.array([layer.activation for layer in layers], np.str_),
        "steepness": np.array([layer.steepness for layer in layers], np.float64),
    }
    return _packed(arrays | _numbered(layers))


def scores_from_bytes(data: bytes, names: tuple[str, ...]) -> Network:
    """Read what `scores_to_bytes` wrote; raises `ModelError` for damage or other inputs."""
    try:
        arrays = _opened(data)
        kinds = zip(arrays["activations"].tolist(), arrays["steepness"].tolist(), strict=True)
        layers = tuple(
            Layer(arrays[f"weights_{index}"], arrays[f"bias_{index}"], str(name), float(steep))
            for index, (name, steep) in enumerate(kinds)
        )
        mean = arrays["mean"]
    except _DAMAGES as error:
        raise ModelError(f"damaged perceptron: {error}") from error
    fits = mean.shape == (len(names),) and _is_finite(mean, np.float32)
    if not fits or not _fits(layers, len(names), 1):
        raise ModelError("damaged perceptron: its layers do not fit its inputs and each other")
    return Network(names, identity_scaling(mean), (layers,))


def _opened(data: bytes) -> _Arrays:
    """The arrays of a file by name; raises `ValueError` and others of `_DAMAGES`."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ARRAYS:
            raise ValueError(f"more than {MAX_ARRAYS:,} arrays")
        stored = all(entry.compress_size == entry.file_size for entry in entries)
        if not stored or sum(entry.file_size for entry in entries) > len(data):
            raise ValueError("its arrays are larger than the file")
        contents = {entry.filename: archive.read(entry) for entry in entries}
    return {name.removesuffix(".npy"): _array(content) for name, content in contents.items()}


def _array(content: bytes) -> _Array:
    """Read an array; raises `ValueError` for objects, or a size other than the header's."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array of another format")
    shape, by_columns, dtype = np.lib.format.read_array_header_1_0(stream)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("an array of objects, or not as large as its header says")
    values = np.frombuffer(stream.read(), dtype)
    return values.reshape(shape, order="F" if by_columns else "C").copy(order="K")


def _packed(arrays: _Arrays) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def _numbered(layers: Layers, prefix: str = "") -> dict[str, _Array]:
    return {
        f"{name}_{prefix}{index}": array
        for index, layer in enumerate(layers)
        for name, array in (("weights", layer.weights), ("bias", layer.bias))
    }


def _member(arrays: _Arrays, member: int) -> Layers:
    count = sum(name.startswith(f"bias_{member}_") for name in arrays)
    activations = ("relu",) * (count - 1) + ("linear",)
    return tuple(
        Layer(arrays[f"weights_{member}_{index}"], arrays[f"bias_{member}_{index}"], activation)
        for index, activation in zip(range(count), activations, strict=False)
    )


def _fits(layers: Layers, inputs: int, width: int) -> bool:
    """Return whether valid layers lead from this many inputs to an output of this width."""
    most = MOST_INPUT
    for layer in layers:
        shape = layer.weights.shape
        if len(shape) != 2 or shape[0] != inputs or layer.bias.shape != shape[1:]:
            return False
        if layer.weights.dtype != np.float32 or layer.bias.dtype != np.float32:
            return False
        if layer.activation not in ACTIVATIONS or not 0 < layer.steepness < np.inf:
            return False
        inputs, most = len(layer.bias), _largest_sum(layer, most)
        if not most <= MOST_SUM:  # nor if it is no number
            return False
    last = OUTPUTS.get(layers[-1].activation) if layers else None
    return last is not None and inputs == last.width == width


def _scales(scaling: Scaling, width: int) -> bool:
    """Return whether a scaling covers `width` features and divides by positive numbers."""
    arrays = (scaling.log, scaling.mean, scaling.deviation)
    if any(array.shape != (width,) for array in arrays) or scaling.log.dtype != np.bool_:
        return False
    finite = all(_is_finite(array, np.float64) for array in arrays[1:])
    return finite and bool((scaling.deviation > 0).all())


def _largest_sum(layer: Layer, most: float) -> float:
    """Return a bound of a layer's outputs for inputs within +-`most`; may be NaN."""
    sums = np.abs(layer.weights).sum(0, dtype=np.float64) * most + np.abs(layer.bias)
    return max(1.0, layer.steepness) * float(sums.max(initial=0.0))


def _is_finite(array: _Array, dtype: type[np.floating]) -> bool:
    return array.dtype == dtype and bool(np.isfinite(array).all())
