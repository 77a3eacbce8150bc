"""Tests of the files of networks: bytes and back of both formats, damage, and what does not fit."""

from __future__ import annotations

import io
import pickle
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from networks import PAPER, TUNED, scorer

from crfclean.model import network_files as files
from crfclean.model.layers import Layer, Layers, Scaling
from crfclean.model.network_files import (
    labels_from_bytes,
    labels_to_bytes,
    scores_from_bytes,
    scores_to_bytes,
)
from crfclean.model.networks import Network
from crfclean.types import ModelError

NAMES = ("words", "link_density")


def floats(*rows: object) -> np.ndarray:
    return np.array(rows, np.float32)


def scaling(count: int = 2) -> Scaling:
    return Scaling(np.zeros(count, np.bool_), np.zeros(count), np.ones(count))


LAYERS: Layers = (
    Layer(floats([1, -1], [0, 2]), floats(0, 1), "relu"),
    Layer(floats([1, 0, 0], [0, 1, -1]), floats(0, 0, 0.5), "linear"),
)
OTHERS: Layers = (Layer(floats([0, 0, 0], [0, 0, 0]), floats(1, 2, 3), "linear"),)
MADE = Network(NAMES, scaling(), (LAYERS, OTHERS))


# arrays in a file


@pytest.mark.parametrize(
    "values",
    [
        floats([1, 2, 3], [4, 5, 6]),
        np.asfortranarray(floats([1, 2, 3], [4, 5, 6])),
        np.array(3.5),
        np.zeros((0, 4), np.int16),
        np.array([True, False]),
        np.array(["relu", "ö"]),
        np.arange(4, dtype=">i4"),
        np.arange(24, dtype=np.uint8).reshape(2, 3, 4),
        np.zeros(2, [("words", "<f4")]),
    ],
    ids=lambda values: f"{values.dtype}{values.shape}",
)
def test_arrays_are_read_as_numpy_reads_them(values: np.ndarray) -> None:
    stream = io.BytesIO()
    np.savez(stream, values=values)
    expected = np.load(io.BytesIO(stream.getvalue()))["values"]
    read = files._opened(stream.getvalue())["values"]
    assert (read.dtype, read.shape) == (expected.dtype, expected.shape)
    assert read.size == 0 or read.strides == expected.strides
    assert read.tobytes() == expected.tobytes()
    assert read.flags.writeable


# networks that give labels


def test_round_trip() -> None:
    data = labels_to_bytes(MADE)
    again = labels_from_bytes(data, NAMES)
    columns = np.random.default_rng(3).random((9, 2))
    assert again.names == NAMES
    assert np.array_equal(again(columns), MADE(columns))
    assert labels_to_bytes(again) == data


def saved(array: np.ndarray, *, allow_pickle: bool = False) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=allow_pickle)
    return stream.getvalue()


def zipped(**entries: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name, data in entries.items():
            file.writestr(f"{name}.npy", data)
    return stream.getvalue()


HUGE = b"\x93NUMPY\x01\x00v\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1%s,), }".ljust(
    129
)
NO_NETWORK = {
    "nothing": b"",
    "a byte": b"P",
    "letters": b"no network",
    "zip's mark alone": b"PK\x03\x04",
    "numpy's mark alone": b"\x93NUMPY\x01\x00",
    "zeros": bytes(1_000),
    "an empty zip": zipped(),
    "a zip of junk": zipped(log=b"junk", mean=b"", deviation=b"\x93NUMPY"),
    "a single array": saved(np.zeros(3)),
    "a pickle": pickle.dumps({"log": 1}),
    "an array of objects": zipped(log=saved(np.array([{}], object), allow_pickle=True)),
    "a header of nonsense": zipped(log=b"\x93NUMPY\x01\x00\x0a\x00__import__"),
    "a header of brackets": zipped(log=b"\x93NUMPY\x02\x00\x00\x20\x00\x00" + b"[" * 0x2000),
    "more than memory": zipped(log=HUGE % (b"0" * 17)),
    "more than a number": zipped(log=HUGE % (b"0" * 30)),
}


def packed(**arrays: np.ndarray) -> bytes:
    """A file of arrays, deflated."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    return stream.getvalue()


def claiming(size: int) -> bytes:
    """A file whose directory says that its one array has so many bytes."""
    data = bytearray(zipped(log=saved(np.zeros(9))))
    place = data.rindex(b"PK\x01\x02") + 20
    data[place : place + 8] = size.to_bytes(4, "little") * 2
    return bytes(data)


BOMBS = {
    "packed zeros": (packed(log=np.zeros(2**20)), "larger than the file"),
    "the size of another": (claiming(2**31), "larger than the file"),
    "many arrays": (zipped(**{f"a{n}": b"" for n in range(1_001)}), "more than 1,000 arrays"),
    "objects": (zipped(log=saved(np.array([{}], object), allow_pickle=True)), "of objects"),
    "a large shape": (zipped(log=HUGE % (b"0" * 9)), "not as large as its header says"),
    "behind the array": (zipped(log=saved(np.zeros(9)) + bytes(9)), "not as large as its header"),
    "a format of long headers": (
        zipped(log=b"\x93NUMPY\x02\x00\xff\xff\xff\x7f"),
        "another format",
    ),
}


@pytest.mark.parametrize(("data", "message"), BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused_before_an_array_is_read(
    data: bytes, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("an array is read"))
    for read, name in ((labels_from_bytes, "network"), (scores_from_bytes, "perceptron")):
        with pytest.raises(ModelError, match=f"damaged {name}: .*{message}"):
            read(data, NAMES)


@pytest.mark.parametrize("number", [3e38, 1e31, np.nan, np.inf])
def test_numbers_whose_sums_overflow_are_refused(number: float) -> None:
    first, last = LAYERS
    steep = first._replace(weights=floats([number, -1], [0, 2]))
    for layers in ((steep, last), (first, last._replace(bias=floats(0, number, 0)))):
        data = labels_to_bytes(replace(MADE, members=(layers, OTHERS)))
        with pytest.raises(ModelError, match="do not fit"):
            labels_from_bytes(data, NAMES)


@pytest.mark.parametrize("data", NO_NETWORK.values(), ids=NO_NETWORK)
def test_what_is_no_network_is_refused(data: bytes) -> None:
    with pytest.raises(ModelError, match="damaged network"):
        labels_from_bytes(data, NAMES)


# networks that give scores

FOUR = ("a", "b", "c", "d")


@pytest.mark.parametrize("names", [PAPER, TUNED], ids=" ".join)
def test_bytes_and_back(names: tuple[str, ...]) -> None:
    network = scorer(*names)
    data = scores_to_bytes(network)
    assert scores_to_bytes(scorer(*names)) == data
    again = scores_from_bytes(data, FOUR)
    assert scores_to_bytes(again) == data
    inputs = np.random.default_rng(5).random((9, 4))
    assert again(inputs).tolist() == network(inputs).tolist()
    assert [layer.activation for layer in again.members[0]] == list(names)


def test_damage_is_told() -> None:
    data = scores_to_bytes(scorer(*PAPER))
    for length in [*range(0, len(data), 97), len(data) - 1]:
        with pytest.raises(ModelError, match="damaged perceptron"):
            scores_from_bytes(data[:length], FOUR)
    for place in range(0, len(data), 61):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        try:
            scores_from_bytes(bytes(changed), FOUR)
        except ModelError as error:
            assert "damaged perceptron" in str(error)  # noqa: PT017
    with pytest.raises(ModelError, match="damaged"):
        scores_from_bytes(data, (*FOUR, "e"))
