"""Open a model once, as long as its manifest, or its file of settings, stays the same."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from crfclean.modelfiles.folder import find_manifest
from crfclean.modelfiles.settings import is_settings
from crfclean.types import ModelError

Model = TypeVar("Model")


def opened(name: str | Path, load: Callable[[Path], Model]) -> Model:
    """What `load` makes of a model: a folder, a file of settings or a shipped name.

    Raises `ModelError`.
    """
    folder, state = (Path(name), _state(name)) if is_settings(name) else find_manifest(name)
    model: Model = _loaded(load, folder, state.st_mtime_ns, state.st_ino)
    return model


def _state(file: str | Path) -> os.stat_result:
    """The state of a file of settings; raises `ModelError`."""
    try:
        return os.stat(file)  # noqa: PTH116 - this is asked for every page
    except OSError as error:
        raise ModelError(f"{file}: cannot be read: {error.strerror}") from error


@lru_cache(maxsize=8)
def _loaded(load: Callable[[Path], Any], folder: Path, _changed: int, _file: int) -> Any:
    return load(folder)
