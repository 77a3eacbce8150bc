"""The words of all languages, read from one file a language: `cs.toml` and so on.

A list in such a file stands for alternatives: `["by", "von"]` for the text "by|von". A new language
is a new file, and its code in `CODES`.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any

from crfclean.lexicon.language import Language

CODES = (
    "en de cs pl ru fr es it pt nl ca sk sl hr hu ro sv da no fi is et lv lt tr vi id sq eu el uk "
    "be bg sr mk kk ar he fa ur hi mr ne zh ja ko"
).split()
"""The languages; where two have the same word, the first one counts."""


def read_language(path: Path) -> Language:
    """The words in a file; raises `TypeError` for a field that `Language` does not have."""
    language: Language = _filled(Language, tomllib.loads(path.read_text("utf-8")))
    return language


def _filled(of_class: type[Any], values: Mapping[str, Any]) -> Any:
    """An object of a dataclass with the values of a TOML table."""
    return of_class(**{name: _value(of_class, name, value) for name, value in values.items()})


def _value(of_class: type[Any], name: str, value: object) -> object:
    default = getattr(of_class, name, None)
    if is_dataclass(default) and isinstance(value, dict):
        return _filled(type(default), value)
    if isinstance(default, tuple) and isinstance(value, list):
        return tuple(value)
    if isinstance(value, dict):
        return {group: _value(of_class, "", text) for group, text in value.items()}
    return "|".join(value) if isinstance(value, list) else value


LANGUAGES: tuple[Language, ...] = tuple(
    read_language(Path(__file__).with_name(f"{code}.toml")) for code in CODES
)
