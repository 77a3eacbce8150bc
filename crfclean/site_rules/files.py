"""Read and write what is known of sites: a folder with a JSON file a site."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from crfclean.io import digest, digest_of, write_atomically
from crfclean.site_rules.known import KnownSite, Sites
from crfclean.site_rules.values import FieldPlace, Place, Region, RepeatedText, SiteRules
from crfclean.types import CrfcleanError

FORMAT = "crfclean-site/1"
ENDING = ".json"
MAX_BYTES = 10_000_000  # of a file: ten times those of a site with as much as a file can hold
_ROWS: Mapping[str, type] = {
    "text": Region,
    "strip": Region,
    "fields": FieldPlace,
    "places": Place,
    "repeated": RepeatedText,
}
_SHARES = frozenset(["score", "fit", "kept", "precision", "recall"])
_TYPES: Mapping[str, tuple[type, ...]] = {"str": (str,), "int": (int,), "float": (int, float)}
_MOST = {True: 1, False: 10**12}  # of a share, and of a number of pages or words
_UNSAFE = re.compile(r"[^\w.-]")

_Row = TypeVar("_Row")


def as_json(rules: SiteRules) -> str:
    """The file of a site: indented, a place or a text in a line."""
    values = {"format": FORMAT, **asdict(rules)}
    parts = []
    for name, value in values.items():
        written = json.dumps(value, ensure_ascii=False)
        if name in _ROWS and value:
            lines = (json.dumps(row, ensure_ascii=False) for row in value)
            written = "[\n  " + ",\n  ".join(lines) + "\n ]"
        parts.append(f' "{name}": {written}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


def from_json(text: str, where: str) -> SiteRules:
    """The rules in a site's file; raises `CrfcleanError`, which names the file, `where`."""
    try:
        values = json.loads(text)
        if values.pop("format") != FORMAT:
            raise CrfcleanError(f"{where}: of another version of learn-site: learn it again")
        for name, kind in _ROWS.items():
            values[name] = tuple(_checked(kind, row) for row in values.get(name, ()))
        return _checked(SiteRules, values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise CrfcleanError(f"{where}: no file of learn-site: {error}") from error


def _checked(kind: type[_Row], values: Any) -> _Row:
    """A value of a dataclass; raises `TypeError` or `ValueError` for fields that do not fit it."""
    made = kind(**values)
    for each in fields(made):  # type: ignore[arg-type]  # rows are dataclasses
        value = getattr(made, each.name)
        expected = _TYPES.get(str(each.type), (tuple,))
        if not isinstance(value, expected) or isinstance(value, bool):
            raise TypeError(f"{each.name!r} is a {type(value).__name__}")
        if isinstance(value, int | float) and not 0 <= value <= _MOST[each.name in _SHARES]:
            raise ValueError(f"{each.name!r} is out of bounds")
    return made


def file_name(site: str, ending: str = ENDING) -> str:
    """The name of a site's file.

    >>> file_name("example.org")
    'example.org.json'
    """
    safe = _UNSAFE.sub("_", site)[:100].strip(".")
    return (safe if safe == site else f"{safe}-{digest(site)[:8]}") + ending


def write_file(folder: Path, name: str, text: str) -> Path:
    """Write a file of a folder, which is made; returns its path, raises `CrfcleanError`."""
    path = folder / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(path, text.encode("utf-8", "replace"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error
    return path


def read_sites(folder: str | Path) -> Sites:
    """The sites of a folder, or of one file; raises `CrfcleanError` if it holds none."""
    root = Path(folder)
    paths = sorted(root.glob("*" + ENDING)) if root.is_dir() else [root]
    if not paths:
        raise CrfcleanError(f"{root}: no site's file (.json): make some with crfclean learn-site")
    every = [from_json(_read(path), str(path)) for path in paths]
    by_name = {rules.site: KnownSite(rules) for rules in every}
    if len(by_name) < len(every):
        raise CrfcleanError(f"{root}: two files of one site")
    return Sites(by_name, digest_of([asdict(rules) for rules in every]))


def _read(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise CrfcleanError(f"{path}: larger than {MAX_BYTES:,} bytes")
        return data.decode("utf-8")
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise CrfcleanError(f"{path}: no file of learn-site: {error}") from error
