"""Open a model once, until its manifest or its file of settings changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from crfclean.model.folder import find_manifest, reading
from crfclean.model.settings import is_settings

Model = TypeVar("Model")


def opened(name: str | Path, load: Callable[[Path], Model]) -> Model:
    """Open a model by `load`: a folder, a file of settings or a shipped name.

    Raises `ModelError`.
    """
    if is_settings(name):
        folder = Path(name)
        with reading(folder):
            state = os.stat(name)  # noqa: PTH116 - this is asked for every page
    else:
        folder, state = find_manifest(name)
    model: Model = _loaded(load, folder, state.st_mtime_ns, state.st_ino)
    return model


@lru_cache(maxsize=8)
def _loaded(load: Callable[[Path], Any], folder: Path, _changed: int, _file: int) -> Any:
    return load(folder)
