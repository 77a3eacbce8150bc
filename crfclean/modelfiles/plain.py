"""Read and write model folders whose weights are one JSON file.

The manifest has the weights' length and SHA-256 and its own digest; equal weights give equal bytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from crfclean.io import (
    check_digest,
    with_digest,
    write_atomically,
)
from crfclean.modelfiles.folder import (
    MALFORMED,
    MANIFEST,
    read_model_file,
)
from crfclean.types import ModelError

FORMAT, WEIGHTS = 2, "weights.json"


def write_plain(
    folder: Path, kind: str, checked: Mapping[str, Any], weights: object, about: Mapping[str, Any]
) -> None:
    """Write a model folder; raises `ModelError`.

    `checked` is the part of the manifest that readers check, `about` the part that they don't.
    """
    text = json.dumps(weights, ensure_ascii=False, separators=(",", ":")) + "\n"
    data = text.encode()
    files = [{"file": WEIGHTS, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}]
    manifest = {"format": FORMAT, "kind": kind, **checked, "files": files, **about}
    head = json.dumps(with_digest(manifest), indent=1, ensure_ascii=False) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / WEIGHTS, data)
        write_atomically(folder / MANIFEST, head.encode())
    except OSError as error:
        raise ModelError(f"{folder}: cannot write the model: {error.strerror}") from error


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """A context that turns errors of missing or malformed model files into `ModelError`."""
    try:
        yield
    except OSError as error:
        raise ModelError(f"{folder}: cannot be read: {error.strerror}") from error
    except MALFORMED as error:
        raise ModelError(f"{folder}: malformed model: {error!r}") from error


def read_manifest(folder: Path, kind: str, name: str) -> dict[str, Any]:
    """The manifest of a model of this kind, called `name` in messages; call it in `reading`."""
    manifest: dict[str, Any] = json.loads(read_model_file(folder / MANIFEST))
    if (manifest["kind"], manifest["format"]) != (kind, FORMAT):
        raise ModelError(f"{folder}: no model of {name}, or of another format: train it again")
    check_digest(folder / MANIFEST, manifest)
    return manifest


def read_weights(folder: Path, manifest: Mapping[str, Any]) -> Any:
    """The weights, if they are those that the manifest describes; call it in `reading`."""
    entry, data = manifest["files"][0], read_model_file(folder / WEIGHTS)
    if len(data) != entry["bytes"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
        raise ModelError(f"{folder / WEIGHTS}: differs from the manifest's: the file was changed")
    return json.loads(data)
