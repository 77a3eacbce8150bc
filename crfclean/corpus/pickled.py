"""Pickle values by their fields, for processes: dataclasses by themselves look their fields up."""

from __future__ import annotations

from operator import attrgetter
from typing import TypeVar

Value = TypeVar("Value")


def pickled_by_fields(cls: type[Value]) -> type[Value]:
    """A dataclass with slots, of several fields, whose values are pickled as a call of the class.

    >>> from dataclasses import dataclass
    >>> @pickled_by_fields
    ... @dataclass(frozen=True, slots=True)
    ... class Span:
    ...     start: int
    ...     end: int = 0
    >>> Span(3).__reduce__() == (Span, (3, 0))
    True
    """
    values = attrgetter(*cls.__slots__)  # type: ignore[attr-defined]

    def reduce(self: Value) -> tuple[type[Value], tuple[object, ...]]:
        return cls, values(self)

    cls.__reduce__ = reduce  # type: ignore[assignment]
    return cls
