"""Read the weights in a CRFsuite model file as arrays."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crfclean.model.json_model import MOST_WEIGHT
from crfclean.types import (
    Floats,
    ModelError,
)

_HEADER = struct.Struct("<4sI4s9I")
_CQDB = struct.Struct("<4s5I")
_FEATURE = np.dtype([("kind", "<u4"), ("source", "<u4"), ("target", "<u4"), ("weight", "<f8")])
_STATE, _TRANSITION = 0, 1
_CHUNK = 12  # bytes of a chunk's header: its name, size and number of entries

_Names = tuple[str, ...]


class CrfWeights(NamedTuple):
    """The weights of a CRF: `state[attribute]` by label, (L,), `transitions` of steps, (L, L)."""

    labels: tuple[str, ...]
    state: Mapping[str, Floats]
    transitions: Floats


def read_crfsuite(data: bytes) -> CrfWeights:
    """Parse a model file; raises `ModelError` if it is damaged or of another format."""
    try:
        magic, size, kind, _, _, labels, attributes, *offsets = _HEADER.unpack_from(data)
        if magic != b"lCRF" or kind != b"FOMC" or size > len(data):
            raise ModelError("no first-order CRF of CRFsuite, or cut short")
        if labels * attributes > len(data):
            raise ModelError("damaged CRFsuite model: more weights than fit into it")
        names = _names(data, offsets[1], labels)
        keys = _names(data, offsets[2], attributes)
        count = struct.unpack_from("<4sII", data, offsets[0])[2]
        features = np.frombuffer(data, _FEATURE, count, offsets[0] + _CHUNK)
        return _weights(names, keys, features)
    except (struct.error, ValueError, IndexError) as error:
        raise ModelError(f"damaged CRFsuite model: {error}") from error


def _weights(names: _Names, keys: _Names, features: npt.NDArray[np.void]) -> CrfWeights:
    if not (np.abs(features["weight"]) <= MOST_WEIGHT).all():
        raise ModelError("damaged CRFsuite model: a weight is no number, or too large")
    state = np.zeros((len(keys), len(names)))
    transitions = np.zeros((len(names), len(names)))
    for kind, table in ((_STATE, state), (_TRANSITION, transitions)):
        entries = features[features["kind"] == kind]
        table[entries["source"], entries["target"]] = entries["weight"]
    return CrfWeights(names, dict(zip(keys, state, strict=True)), transitions)


def _names(data: bytes, offset: int, count: int) -> _Names:
    *_, entries, backward = _CQDB.unpack_from(data, offset)
    if entries < count:
        raise ModelError("damaged CRFsuite model: names are missing")
    offsets = np.frombuffer(data, "<u4", count, offset + backward)
    names, room = list[str](), len(data)
    for relative in offsets.tolist():
        start = offset + relative  # of a record: its number, the text's length with the NUL, text
        _, length = struct.unpack_from("<II", data, start)
        names.append(data[start + 8 : start + 7 + length].decode("utf-8"))
        room -= len(names[-1])
        if room < 0:
            raise ModelError("damaged CRFsuite model: its names overlap")
    return tuple(names)
