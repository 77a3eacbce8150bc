"""Read and write networks in two formats, both `.npz` files of plain arrays."""

from __future__ import annotations

import io
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.model.layers import ACTIVATIONS, Layer, Layers, Scaling, identity_scaling
from crfclean.model.networks import OUTPUTS, Network
from crfclean.types import ModelError

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
