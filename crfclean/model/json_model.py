"""Read and write model folders whose weights are one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.io import check_digest, read_file
from crfclean.model.folder import MANIFEST, file_entry, read_checked, write_model
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


MOST_WEIGHT = 1e6
"""Bound of weights: a sum of more would overflow in single precision."""


def finite(values: object, shape: tuple[int, ...]) -> Floats:
    """Return numbers as an array; raises `ValueError` for another shape, NaN or huge numbers."""
    array = np.array(values, np.float64)
    if array.shape != shape or not (np.abs(array) <= MOST_WEIGHT).all():
        raise ValueError(f"weights are not {shape} numbers within +-{MOST_WEIGHT:g}")
    return array
