"""Open a model's folder once, as long as its manifest file stays the same."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from crfclean.modelfiles.folder import find_manifest

Model = TypeVar("Model")


def opened(name: str | Path, load: Callable[[Path], Model]) -> Model:
    """What `load` makes of a model, given by path or by a shipped name; raises `ModelError`."""
    folder, manifest = find_manifest(name)
    model: Model = _loaded(load, folder, manifest.st_mtime_ns, manifest.st_ino)
    return model


@lru_cache(maxsize=8)
def _loaded(load: Callable[[Path], Any], folder: Path, _changed: int, _file: int) -> Any:
    return load(folder)
