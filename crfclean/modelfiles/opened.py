"""Open a model's folder once, as long as its manifest file stays the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from crfclean.modelfiles.folder import MANIFEST, find_model

Model = TypeVar("Model")


def opened(name: str | Path, load: Callable[[Path], Model]) -> Model:
    """What `load` makes of a model, given by path or by a shipped name; raises `ModelError`."""
    folder = find_model(name)
    stat = os.stat(_manifest(folder))  # noqa: PTH116 - this is asked for every page
    model: Model = _loaded(load, folder, stat.st_mtime_ns, stat.st_ino)
    return model


@lru_cache(maxsize=64)
def _manifest(folder: Path) -> str:
    return str(folder / MANIFEST)


@lru_cache(maxsize=8)
def _loaded(load: Callable[[Path], Any], folder: Path, _changed: int, _file: int) -> Any:
    return load(folder)
