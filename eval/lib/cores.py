"""Compare what the compiled core and Python make of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from crfclean.core import native
from crfclean.types import Blocks

Value = TypeVar("Value")


@contextmanager
def without_core() -> Iterator[None]:
    """A context in which everything runs in Python."""
    core, native.CORE = native.CORE, None
    try:
        yield
    finally:
        native.CORE = core


def by_both(call: Callable[[], Value]) -> tuple[Value, Value]:
    """The value of a call with the core, and the one without."""
    by_core = call()
    with without_core():
        return by_core, call()


def differing_fields(blocks: Blocks, expected: Blocks) -> list[str]:
    """The fields in which two pages' blocks differ, those of elements and runs included."""
    pairs: list[tuple[Any, Any]] = [
        (blocks, expected),
        (blocks.nodes, expected.nodes),
        (blocks.runs, expected.runs),
    ]
    return [
        f"{type(part).__name__}.{field.name}"
        for part, other in pairs
        for field in fields(part)
        if field.name not in ("nodes", "runs")
        and not _is_same(getattr(part, field.name), getattr(other, field.name))
    ]


def _is_same(value: Any, expected: Any) -> bool:
    if isinstance(expected, np.ndarray):
        return bool(np.array_equal(value, expected) and value.dtype == expected.dtype)
    return bool(value == expected)
