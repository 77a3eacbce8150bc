"""Read and write models whose weights are numbers in JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from operator import mul
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.io import check_digest, read_file
from crfclean.modelfiles.folder import (
    MANIFEST,
    file_entry,
    read_checked,
    reading,
    write_model,
)
from crfclean.types import Floats, ModelError

# read and write model folders whose weights are one JSON file
#
# The manifest has the weights' length and SHA-256 and its own digest; equal weights give equal
# bytes.

FORMAT, WEIGHTS = 2, "weights.json"


def write_plain(
    folder: Path, kind: str, checked: Mapping[str, Any], weights: object, about: Mapping[str, Any]
) -> None:
    """Write a model folder; raises `ModelError`.

    Readers check the part `checked` of the manifest, and ignore the part `about`.
    """
    data = (json.dumps(weights, ensure_ascii=False, separators=(",", ":")) + "\n").encode()
    files = [file_entry(WEIGHTS, data)]
    manifest = {"format": FORMAT, "kind": kind, **checked, "files": files, **about}
    write_model(folder, {WEIGHTS: data}, manifest)


def read_manifest(folder: Path, kind: str, name: str) -> dict[str, Any]:
    """Read the manifest of a model of a kind, `name` in messages; call it in `reading`."""
    manifest: dict[str, Any] = json.loads(read_file(folder / MANIFEST))
    if (manifest["kind"], manifest["format"]) != (kind, FORMAT):
        raise ModelError(f"{folder}: no model of {name}, or of another format: train it again")
    check_digest(folder / MANIFEST, manifest)
    return manifest


def read_weights(folder: Path, manifest: Mapping[str, Any]) -> Any:
    """Read the weights that the manifest describes; call it in `reading`."""
    return json.loads(read_checked(folder, manifest["files"][0]))


def finite(values: object, shape: tuple[int, ...]) -> Floats:
    """Return numbers as an array; raises `ValueError` for another shape or no finite number."""
    array = np.array(values, np.float64)
    if array.shape != shape or not np.isfinite(array).all():
        raise ValueError(f"weights are not {shape} finite numbers")
    return array


# small logistic regressions, whose weights are one JSON file beside the code that uses them

BIAS = "bias"
"""The last input of each regression; its value is 1."""

_MOST = 30.0  # log-odds: beyond it the probability is 0 or 1, and `exp` overflows

Weights = Mapping[str, float]
"""Input -> its weight, `BIAS` last."""


def probability(weights: Weights, inputs: Sequence[float]) -> float:
    """Return the probability (0..1) for the values of all inputs but the bias, in order.

    >>> probability({"a": 2.0, "bias": -1.0}, [0.5])
    0.5
    """
    total = sum(map(mul, weights.values(), (*inputs, 1.0)))
    return 1.0 / (1.0 + math.exp(-max(-_MOST, min(_MOST, total))))


def load_logistic(
    path: Path, kind: str, inputs: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """Read the weights of regressions with these inputs; raises `ModelError`."""
    with reading(path):
        parts = json.loads(read_file(path))
        if (parts["kind"], parts["format"]) != (kind, FORMAT):
            raise ModelError(f"{path}: no weights of {kind}, or of another format: train it again")
        check_digest(path, parts)
        weights = {
            name: {key: float(weight) for key, weight in parts["weights"][name].items()}
            for name in inputs
        }
        for name, names in inputs.items():
            if tuple(weights[name]) != (*names, BIAS):
                raise ModelError(f"{path}: {name} has other inputs: train it again")
            if not all(map(math.isfinite, weights[name].values())):
                raise ModelError(f"{path}: {name} has a weight that is not finite")
        return weights
