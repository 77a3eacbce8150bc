"""Model folder <-> a manifest and weights that are one JSON file.

The manifest has the weights' length and SHA-256, and a digest of its own; equal weights give equal
bytes.
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
)
from crfclean.types import ModelError

FORMAT, WEIGHTS = 2, "weights.json"


def write_plain(
    folder: Path, kind: str, told: Mapping[str, Any], weights: object, about: Mapping[str, Any]
) -> None:
    """Write a model folder; raises `ModelError`.

    `told` is what of the manifest is checked when it is read, `about` what is not.
    """
    text = json.dumps(weights, ensure_ascii=False, separators=(",", ":")) + "\n"
    data = text.encode()
    files = [{"file": WEIGHTS, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}]
    manifest = {"format": FORMAT, "kind": kind, **told, "files": files, **about}
    head = json.dumps(with_digest(manifest), indent=1, ensure_ascii=False) + "\n"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / WEIGHTS, data)
        write_atomically(folder / MANIFEST, head.encode())
    except OSError as error:
        raise ModelError(f"{folder}: cannot write the model: {error.strerror}") from error


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Within it errors of what a model folder has, or has not, are `ModelError`s."""
    try:
        yield
    except OSError as error:
        raise ModelError(f"{folder}: cannot be read: {error.strerror}") from error
    except MALFORMED as error:
        raise ModelError(f"{folder}: malformed model: {error!r}") from error


def read_manifest(folder: Path, kind: str, name: str) -> dict[str, Any]:
    """The manifest of a model of a kind, which messages call `name`; to be called in `reading`."""
    manifest: dict[str, Any] = json.loads((folder / MANIFEST).read_text("utf-8"))
    if (manifest["kind"], manifest["format"]) != (kind, FORMAT):
        raise ModelError(f"{folder}: no model of {name}, or of another format: train it again")
    check_digest(folder / MANIFEST, manifest)
    return manifest


def read_weights(folder: Path, manifest: Mapping[str, Any]) -> Any:
    """The weights that the manifest tells of, unchanged; to be called in `reading`."""
    told, data = manifest["files"][0], (folder / WEIGHTS).read_bytes()
    if len(data) != told["bytes"] or hashlib.sha256(data).hexdigest() != told["sha256"]:
        raise ModelError(f"{folder / WEIGHTS}: differs from the manifest's: the file was changed")
    return json.loads(data)
