"""Compare what the compiled core and Python make of a page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from typing import Any, TypeVar

import numpy as np

from crfclean.core import native
from crfclean.features.beginnings import beginnings
from crfclean.features.block_kinds import apart_kinds, kinds_of
from crfclean.features.kinds import comment_containers, is_comment
from crfclean.features.main_heading import main_heading
from crfclean.features.table import FEATURES, single_rows
from crfclean.features.zones import may_be_zone, zone_elements, zones
from crfclean.page.measures import Measures
from crfclean.types import Blocks, Document

CLOSE = 1e-6  # between probabilities that count as equal
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


def differing_columns(blocks: Blocks) -> list[str]:
    """The names of the columns that differ in single precision."""
    by_core, by_python = by_both(lambda: single_rows(Measures(blocks)))
    rows = zip(FEATURES, by_core, by_python, strict=True)
    return [name for name, row, expected in rows if not np.array_equal(row, expected)]


def _heading_of_zones(page: Measures) -> int:
    """The main heading, as the core finds it with zones."""
    zones(page)
    return main_heading(page)


def _comments_of_zones(page: Measures) -> Any:
    """Whether blocks are comments, as the core says it with zones."""
    zones(page)
    return is_comment(page)


def _beginning_rows(page: Measures) -> Any:
    """Groups, kinds and networks that blocks begin with, a row each."""
    return np.array(beginnings(page))


_KINDS: tuple[Callable[[Measures], Any], ...] = (
    *(zone_elements, may_be_zone, comment_containers, zones, apart_kinds, kinds_of),
    *(_heading_of_zones, _comments_of_zones, _beginning_rows),
)


def _of_page(function: Callable[[Measures], Value], blocks: Blocks) -> Value:
    return function(Measures(blocks))


def differing_kinds(blocks: Blocks) -> list[str]:
    """The names of what tells kinds of blocks and elements, where it differs."""
    names = []
    for function in _KINDS if len(blocks) else ():
        values, expected = by_both(partial(_of_page, function, blocks))
        names += [] if _is_same(values, expected) else [function.__name__.lstrip("_")]
    return names


def differing_results(document: Document, expected: Document) -> list[str]:
    """What of two documents differs: labels, probabilities beyond `CLOSE`, text and the rest."""
    tags, others = document.tags, expected.tags
    if len(tags) != len(others):
        return ["blocks"]
    gap = float(np.abs(tags.marginals - others.marginals).max(initial=0.0))
    same = {
        "labels": np.array_equal(tags.labels, others.labels),
        "probabilities": gap <= CLOSE,
        "text": document.text == expected.text,
        "status": document.status == expected.status,
        "presence": document.presence == expected.presence,
    }
    return [name for name, is_same in same.items() if not is_same]
