"""Parameters: their declaration, and the check of their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TypeVar

from crfclean.types.errors import CrfcleanError

_T = TypeVar("_T")


def option(default: _T, text: str, choices: tuple[str, ...] = ()) -> _T:
    """A parameter of a params dataclass: its default, and what the command line says of it."""
    made: _T = field(default=default, metadata={"help": text, "choices": choices})
    return made


def check_bounds(params: object, bounds: Mapping[str, tuple[float, float]]) -> None:
    """Raise `CrfcleanError` for a parameter outside its bounds, both included, or no number."""
    for name, (least, most) in bounds.items():
        value = getattr(params, name)
        if not least <= value <= most:
            raise CrfcleanError(f"{name} must be from {least} to {most}, not {value}")
