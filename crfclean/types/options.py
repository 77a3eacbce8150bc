"""Declare parameters with their help, and check their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeVar

from crfclean.types.errors import CrfcleanError

_T = TypeVar("_T")


def option(default: _T, text: str, choices: tuple[str, ...] = ()) -> _T:
    """A field of a parameter dataclass: its default, its help text, the values to choose from."""
    parameter: _T = field(default=default, metadata={"help": text, "choices": choices})
    return parameter


def check_bounds(params: object, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise `CrfcleanError` for a parameter that is NaN, or not within its inclusive bounds."""
    for name, (least, most) in bounds.items():
        value = getattr(params, name)
        if not least <= value <= most:
            raise CrfcleanError(f"{name} must be from {least} to {most}, not {value}")


def split_names(text: str | None) -> tuple[str, ...]:
    """Return the names in a list with commas, in lower case.

    >>> split_names("Title, headers,")
    ('title', 'headers')
    """
    return tuple(name.strip().lower() for name in (text or "").split(",") if name.strip())
