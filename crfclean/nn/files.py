"""Read and write networks as `.npz` files of plain arrays."""

from __future__ import annotations

import io
import math
import re
import struct
import tokenize
import zlib
from collections.abc import Iterator, Mapping
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from crfclean.nn.layers import ACTIVATIONS, Layer, Layers, Scaling, identity_scaling
from crfclean.nn.mlp import OUTPUTS, Network
from crfclean.types import ModelError

# the entries of a plain zip archive, found without the library for all others

_END, _END_BYTES = b"PK\x05\x06", 22
_ENTRY, _ENTRY_BYTES = b"PK\x01\x02", 46
_HEAD, _HEAD_BYTES = b"PK\x03\x04", 30


def stored_entries(data: bytes) -> Mapping[str, bytes] | None:
    """Name of each entry -> its bytes; None for an archive that `numpy.savez` does not write.

    That has entries that are stored as they are, once each, with right checksums, and no comment.
    Everything else, damage too, is left to `zipfile`.
    """
    entries: dict[str, bytes] = {}
    left = len(data)  # entries that share their bytes would take more
    try:
        for name, content in _entries(data):
            left -= len(content or b"")
            if content is None or name in entries or left < 0:
                return None
            entries[name] = content
    except (IndexError, UnicodeDecodeError):
        return None
    return entries or None


def _entries(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Name and bytes of each entry, None where something is unusual."""
    end = len(data) - _END_BYTES
    if end < 0 or data[end : end + 4] != _END or any(data[end + 4 : end + 8]):
        yield "", None
        return
    at, count = _number(data, end + 16, 4), _number(data, end + 10, 2)
    for _ in range(count):
        names, extra, comment = (_number(data, at + place, 2) for place in (28, 30, 32))
        name = data[at + _ENTRY_BYTES : at + _ENTRY_BYTES + names].decode("ascii")
        yield name, None if comment else _content(data, at, end, name)
        at += _ENTRY_BYTES + names + extra
    if at != end or not count:
        yield "", None


def _content(data: bytes, at: int, end: int, name: str) -> bytes | None:
    """The bytes of the entry that is listed at a place, None where something is unusual."""
    flags, method = _number(data, at + 8, 2), _number(data, at + 10, 2)
    checksum, packed, size, head = (_number(data, at + place, 4) for place in (16, 20, 24, 42))
    if data[at : at + 4] != _ENTRY or flags or method or packed != size:
        return None
    start = head + _HEAD_BYTES + _number(data, head + 26, 2) + _number(data, head + 28, 2)
    named = data.startswith(name.encode("ascii"), head + _HEAD_BYTES)
    if data[head : head + 4] != _HEAD or not named or start + size > end:
        return None
    content = data[start : start + size]
    return content if zlib.crc32(content) == checksum else None


def _number(data: bytes, at: int, size: int) -> int:
    """A number in little-endian bytes; raises `IndexError` beyond the end."""
    if at + size > len(data):
        raise IndexError
    return int.from_bytes(data[at : at + size], "little")


# read and write networks in two formats, both `.npz` files of plain arrays
#
# `network.npz`, which predicts labels, holds the scaling and members of rectified linear units;
# `weights.mlp`, which predicts scores, one member with its activations and the columns' means.
#
# A file is refused before any array is read if it would take more memory than it has bytes:
# `savez` stores arrays as they are, so whatever is packed, or larger than its file, is not ours.

MAX_ARRAYS = 1_000  # in a file; ten members of three layers have 63

_Array = npt.NDArray[Any]
_Arrays = Mapping[str, _Array]
_PLAIN_HEADER = re.compile(
    rb"\{'descr': '([<|][bifU][0-9]{1,3})', 'fortran_order': (True|False), "
    rb"'shape': \(((?:[0-9]{1,18},)?|[0-9]{1,18}(?:, [0-9]{1,18}){1,30})\), \} *\n"
)


def _damages() -> tuple[type[Exception], ...]:
    """What numpy and zipfile raise for damaged files and for other formats."""
    import zipfile

    return (
        *(ValueError, TypeError, LookupError, AttributeError, OverflowError, MemoryError),
        *(OSError, EOFError, RuntimeError, SyntaxError, tokenize.TokenError),
        *(struct.error, zlib.error, zipfile.BadZipFile),
    )


def labels_to_bytes(network: Network) -> bytes:
    """Serialise a network that predicts labels as `network.npz`; equal networks, equal bytes."""
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
    except _damages() as error:
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
    except _damages() as error:
        raise ModelError(f"damaged perceptron: {error}") from error
    fits = mean.shape == (len(names),) and _is_finite(mean, np.float32)
    if not fits or not _fits(layers, len(names), 1):
        raise ModelError("damaged perceptron: its layers do not fit its inputs and each other")
    return Network(names, identity_scaling(mean), (layers,))


def _opened(data: bytes) -> _Arrays:
    """The arrays of a file by name; raises `ValueError` and others of `_damages`."""
    entries = stored_entries(data)
    if entries is None:
        entries = _unzipped(data)
    if len(entries) > MAX_ARRAYS:
        raise ValueError(f"more than {MAX_ARRAYS:,} arrays")
    return {name.removesuffix(".npy"): _array(content) for name, content in entries.items()}


def _unzipped(data: bytes) -> Mapping[str, bytes]:
    """The entries of any archive that is not larger than its file."""
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ARRAYS:
            raise ValueError(f"more than {MAX_ARRAYS:,} arrays")
        stored = all(entry.compress_size == entry.file_size for entry in entries)
        if not stored or sum(entry.file_size for entry in entries) > len(data):
            raise ValueError("its arrays are larger than the file")
        return {entry.filename: archive.read(entry) for entry in entries}


def _array(content: bytes) -> _Array:
    """An array, if it has as many bytes as its header needs, and no objects, else `ValueError`."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array of another format")
    shape, by_columns, dtype = _header(stream)
    if dtype.hasobject or math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise ValueError("an array of objects, or not as large as its header says")
    values = np.frombuffer(stream.read(), dtype)
    return values.reshape(shape, order="F" if by_columns else "C").copy(order="K")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Shape, whether columns are stored one after the other, and type of an array in a stream.

    Headers as numpy writes them are read without its parser of Python's literals.
    """
    start = stream.read(2)
    header = stream.read(int.from_bytes(start, "little"))
    plain = _PLAIN_HEADER.fullmatch(header)
    if plain is None:
        return np.lib.format.read_array_header_1_0(io.BytesIO(start + header))
    kind, by_columns, sizes = (part.decode() for part in plain.groups())
    shape = tuple([int(size) for size in sizes.split(",") if size.strip()])
    return shape, by_columns == "True", np.dtype(kind)


def _packed(arrays: _Arrays) -> bytes:
    stream = io.BytesIO()
    np.savez(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def _numbered(layers: Layers, prefix: str = "") -> dict[str, _Array]:
    """Weights and biases of the layers, keyed by their names in the file."""
    arrays: dict[str, _Array] = {}
    for index, layer in enumerate(layers):
        arrays[f"weights_{prefix}{index}"] = layer.weights
        arrays[f"bias_{prefix}{index}"] = layer.bias
    return arrays


def _member(arrays: _Arrays, member: int) -> Layers:
    """The layers of one member of a network that predicts labels."""
    count = sum(name.startswith(f"bias_{member}_") for name in arrays)
    activations = ("relu",) * (count - 1) + ("linear",)
    return tuple(
        Layer(arrays[f"weights_{member}_{index}"], arrays[f"bias_{member}_{index}"], activation)
        for index, activation in zip(range(count), activations, strict=False)
    )


def _fits(layers: Layers, inputs: int, width: int) -> bool:
    """Whether valid layers lead from this many inputs to an output of this width."""
    for layer in layers:
        shape = layer.weights.shape
        if len(shape) != 2 or shape[0] != inputs or layer.bias.shape != shape[1:]:
            return False
        if not _is_valid(layer):
            return False
        inputs = len(layer.bias)
    last = OUTPUTS.get(layers[-1].activation) if layers else None
    return last is not None and inputs == last.width == width


def _is_valid(layer: Layer) -> bool:
    """Whether a layer has finite numbers in single precision and a known activation."""
    finite = all(_is_finite(array, np.float32) for array in (layer.weights, layer.bias))
    return finite and layer.activation in ACTIVATIONS and 0 < layer.steepness < np.inf


def _scales(scaling: Scaling, width: int) -> bool:
    """Whether a scaling covers `width` features and divides by positive numbers."""
    arrays = (scaling.log, scaling.mean, scaling.deviation)
    if any(array.shape != (width,) for array in arrays) or scaling.log.dtype != np.bool_:
        return False
    finite = all(_is_finite(array, np.float64) for array in arrays[1:])
    return finite and bool((scaling.deviation > 0).all())


def _is_finite(array: _Array, dtype: type[np.floating]) -> bool:
    """Whether an array has this type and only finite numbers."""
    return array.dtype == dtype and bool(np.isfinite(array).all())
