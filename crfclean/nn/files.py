"""`Network` <-> the bytes of its two formats, both `.npz` files of plain arrays.

`network.npz`, that gives labels, has its scaling and members of rectified linear units;
`weights.mlp`, that gives scores, one member with its activations and the means of its columns.
"""

from __future__ import annotations

import io
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from crfclean.nn.layers import ACTIVATIONS, Layer, Layers
from crfclean.nn.mlp import OUTPUTS, Network
from crfclean.nn.scaling import Scaling, identity_scaling
from crfclean.types import ModelError

_Array = npt.NDArray[np.generic]
_Arrays = Mapping[str, _Array]
DAMAGES = (
    *(ValueError, TypeError, LookupError, AttributeError, OverflowError, MemoryError),
    *(OSError, EOFError, RuntimeError, SyntaxError, tokenize.TokenError),
    *(struct.error, zlib.error, zipfile.BadZipFile),
)
"""What numpy and zipfile raise for files that are none, or damaged."""


def labels_to_bytes(network: Network) -> bytes:
    """A network that gives labels as `network.npz`; equal networks give equal bytes."""
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
    """Read what `labels_to_bytes` wrote; raises `ModelError` for others, or of other features."""
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            scaling = Scaling(arrays["log"], arrays["mean"], arrays["deviation"])
            numbers = {int(name.split("_")[1]) for name in arrays if name.startswith("bias_")}
            members = tuple(_member(arrays, number) for number in sorted(numbers))
    except DAMAGES as error:
        raise ModelError(f"damaged network: {error}") from error
    width = OUTPUTS["linear"].width
    if not members or not all(_fits(layers, len(names), width) for layers in members):
        raise ModelError("damaged network: its layers do not fit its features and each other")
    if not _scales(scaling, len(names)):
        raise ModelError("damaged network: its scaling does not fit its features")
    return Network(names, scaling, members)


def scores_to_bytes(network: Network) -> bytes:
    """An unscaled network that gives scores as `weights.mlp`; equal ones give equal bytes."""
    (layers,) = network.members
    arrays: dict[str, _Array] = {
        "mean": np.asarray(network.scaling.centre),
        "activations": np.array([layer.activation for layer in layers], np.str_),
        "steepness": np.array([layer.steepness for layer in layers], np.float64),
    }
    return _packed(arrays | _numbered(layers))


def scores_from_bytes(data: bytes, names: tuple[str, ...]) -> Network:
    """Read what `scores_to_bytes` wrote; raises `ModelError` for others, or of other inputs."""
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
    fits = mean.shape == (len(names),) and _is_finite(mean, np.float32)
    if not fits or not _fits(layers, len(names), 1):
        raise ModelError("damaged perceptron: its layers do not fit its inputs and each other")
    return Network(names, identity_scaling(mean), (layers,))


def _packed(arrays: _Arrays) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def _numbered(layers: Layers, prefix: str = "") -> dict[str, _Array]:
    """Weights and biases of the layers in turn, by their names in a file."""
    arrays: dict[str, _Array] = {}
    for place, layer in enumerate(layers):
        arrays[f"weights_{prefix}{place}"] = layer.weights
        arrays[f"bias_{prefix}{place}"] = layer.bias
    return arrays


def _member(arrays: np.lib.npyio.NpzFile, member: int) -> Layers:
    """The layers of a member of a network that gives labels."""
    count = sum(name.startswith(f"bias_{member}_") for name in arrays)
    activations = ("relu",) * (count - 1) + ("linear",)
    return tuple(
        Layer(arrays[f"weights_{member}_{place}"], arrays[f"bias_{member}_{place}"], activation)
        for place, activation in zip(range(count), activations, strict=False)
    )


def _fits(layers: Layers, inputs: int, width: int) -> bool:
    """Whether finite layers of known activations lead from so many inputs to an output's width."""
    for layer in layers:
        shape = layer.weights.shape
        if len(shape) != 2 or shape[0] != inputs or layer.bias.shape != shape[1:]:
            return False
        if not _is_whole(layer):
            return False
        inputs = len(layer.bias)
    last = OUTPUTS.get(layers[-1].activation) if layers else None
    return last is not None and inputs == last.width == width


def _is_whole(layer: Layer) -> bool:
    """Whether a layer has finite numbers in single precision and a known activation."""
    finite = all(_is_finite(array, np.float32) for array in (layer.weights, layer.bias))
    return finite and layer.activation in ACTIVATIONS and 0 < layer.steepness < np.inf


def _scales(scaling: Scaling, width: int) -> bool:
    """Whether a scaling is of `width` features, in numbers that it can divide by."""
    arrays = (scaling.log, scaling.mean, scaling.deviation)
    if any(array.shape != (width,) for array in arrays) or scaling.log.dtype != np.bool_:
        return False
    finite = all(_is_finite(array, np.float64) for array in arrays[1:])
    return finite and bool((scaling.deviation > 0).all())


def _is_finite(array: _Array, kind: type[np.floating]) -> bool:
    """Whether an array is of this kind of number, and all its numbers are finite."""
    return array.dtype == kind and bool(np.isfinite(array).all())
