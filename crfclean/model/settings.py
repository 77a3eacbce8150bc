"""Read and write a file of settings: a model by name, with other decisions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crfclean.io import DIGEST, naming_path, read_file, with_digest, write_atomically
from crfclean.model.folder import is_shipped_name, reading
from crfclean.types import ModelError

SUFFIX = ".json"
SETTINGS_FORMAT = 1
_KEY = "settings"
"""Key of the format's number, which identifies a file of settings."""
_NOTES = ("understood", "f1", "pages", DIGEST)


@dataclass(frozen=True, slots=True)
class Settings:
    """A model, by folder or shipped name, and the decisions that differ from its own.

    `cut` has parameters of `CutParams` by name. The rest are notes: `understood` says in words what
    the settings do; `f1` are scores (0..1) on the `pages` pages that they were learned from.
    """

    model: str | Path = "default"
    cut: Mapping[str, Any] = field(default_factory=dict)
    understood: tuple[str, ...] = ()
    f1: Mapping[str, float] = field(default_factory=dict)
    pages: int = 0


def is_settings(name: str | Path) -> bool:
    """Return whether a model's name is the name of a file of settings.

    >>> is_settings("news.json"), is_settings("default")
    (True, False)
    """
    return str(name).endswith(SUFFIX)


def read_settings(path: Path) -> Settings:
    """Read the settings of a file without the notes; find the model's folder beside the file.

    Raises `ModelError`.
    """
    with reading(path):
        values = json.loads(read_file(path))
        if not isinstance(values, dict) or values.pop(_KEY, None) != SETTINGS_FORMAT:
            raise ModelError(f"{path}: no settings of crfclean, or of another format")
        model = values.pop("model", "default")
        if not isinstance(model, str) or not model or is_settings(model):
            raise ModelError(f"{path}: model is {model!r}, but it is a folder or a shipped name")
        if not isinstance(values.get("names", {}), dict):
            raise ModelError(f'{path}: names is no table of weights, as in {{".score": -2.5}}')
    cut = {name: value for name, value in values.items() if name not in _NOTES}
    for name in ("threshold", "precision"):
        if name in cut:
            cut.setdefault("rule", name)
    lists = {name: tuple(value) for name, value in cut.items() if isinstance(value, list)}
    pairs = {name: tuple(value.items()) for name, value in cut.items() if isinstance(value, dict)}
    place = model if is_shipped_name(model) else path.parent / model
    return Settings(place, {**cut, **lists, **pairs})


def write_settings(path: Path, settings: Settings) -> None:
    """Write a file of settings; raises `CrfcleanError`."""
    notes = {"understood": settings.understood, "f1": settings.f1, "pages": settings.pages}
    names = {"names": dict(settings.cut["names"])} if settings.cut.get("names") else {}
    values = {_KEY: SETTINGS_FORMAT, "model": str(settings.model), **settings.cut, **names, **notes}
    text = json.dumps(with_digest(values), indent=1, ensure_ascii=False) + "\n"
    with naming_path(path, "cannot be written"):
        write_atomically(path, text.encode())


def is_unedited(path: Path) -> bool:
    """Return whether a file is as `write_settings` wrote it; people edit such files."""
    try:
        values = json.loads(read_file(path))
        return bool(values[DIGEST] == with_digest(values)[DIGEST])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return False
