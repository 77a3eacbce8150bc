"""Tests of `model/inputs.py` and of the table: its columns, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checkout import ROOT

from crfclean.core.table import Table
from crfclean.model import columns as table
from crfclean.model.columns import (
    FEATURES,
    core_columns,
    single_rows,
)
from crfclean.model.inputs import GROUPS, markup_arrays, text_arrays
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.types import Floats
from tests.lib.htmlpages import table_of_arrays, tree_arrays

PAGE = min((ROOT / "data" / "demo" / "hafenblick").glob("*.html")).read_bytes()

Change = Callable[[dict[str, Any]], None]


def blocks_of(html: bytes) -> Measures:
    return split(decode(html))


def table_of(page: Measures, change: Change = lambda _arrays: None) -> Table:
    """The whole table of a page, from arrays that a test has changed."""
    parts = [
        {name: array if isinstance(array, bytes) else array.copy() for name, array in part.items()}
        for part in (tree_arrays(page), markup_arrays(page), text_arrays(page))
    ]
    for part in parts:
        change(part)
    made = table_of_arrays(page, parts[0])
    made.add_markup(**GROUPS, **parts[1])
    made.add_texts(**parts[2])
    return made


def test_the_core_fills_every_feature_once() -> None:
    assert sorted(core_columns()) == sorted(FEATURES)


def halves(page: Measures) -> Floats:
    """A feature that the core does not know."""
    return np.full(len(page), 0.5)


def test_features_that_the_core_does_not_know_come_from_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = blocks_of(PAGE)
    monkeypatch.setitem(table.FEATURES, "new", halves)
    rows = single_rows(page, ["chars", "new", "words"])
    assert set(rows[1]) == {0.5}
    assert rows[2].tolist() == page.words.tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("node", value) for value in (-1, 10**6)],
        *[("tag", value) for value in (-1, 10**6)],
        *[("end", value) for value in (-1, 0, 10**6)],
        *[("name", value) for value in (-1, 10**6)],
        *[("text_numbers", value) for value in (-1, 10**6)],
        *[("first_block", value) for value in (-1, 10**6)],
        *[("end_block", value) for value in (-1, 10**6)],
        *[("run_node", value) for value in (-1, 10**6)],
        *[("run_block", value) for value in (-1, 1, 10**6)],
        *[("parent", value) for value in (-2, 0, 10**6)],
        *[("phrase", value) for value in (-2, 1_000)],
        *[("phrase_kind", value) for value in (-1, 1_000)],
        *[("link_block", value) for value in (-1, 10**6)],
        *[("name_groups", value) for value in (-1, 64)],
        *[("phrase_groups", value) for value in (-1, 1_000)],
    ],
)
def test_places_that_are_not_there_are_refused(name: str, value: int) -> None:
    def change(arrays: dict[str, Any]) -> None:
        if name in arrays:
            arrays[name][0] = value

    page = blocks_of(PAGE)
    table_of(page)
    with pytest.raises(ValueError, match="a place that is not there"):
        table_of(page, change)


NAMES = [
    name for part in (tree_arrays, markup_arrays, text_arrays) for name in part(blocks_of(PAGE))
]


@pytest.mark.parametrize("name", NAMES)
def test_arrays_of_other_sizes_and_types_are_refused(name: str) -> None:
    page = blocks_of(PAGE)

    def shortened(arrays: dict[str, Any]) -> None:
        arrays.update({key: arrays[key][:-1] for key in arrays if key == name})

    def half(arrays: dict[str, Any]) -> None:
        arrays.update({key: np.zeros(8, np.float16) for key in arrays if key == name})

    def lost(arrays: dict[str, Any]) -> None:
        arrays.pop(name, None)

    with pytest.raises(ValueError, match=r"another (size|type)|not there|multiple"):
        table_of(page, shortened)
    with pytest.raises(ValueError, match="another type"):
        table_of(page, half)
    with pytest.raises(TypeError, match=f"'{name}'"):
        table_of(page, lost)


def test_rows_that_do_not_fit_are_refused() -> None:
    page = blocks_of(PAGE)
    made, places = table_of(page), np.arange(len(core_columns()), dtype=np.int32)
    n, count = len(page), len(places)
    made.fill(places, np.zeros((count, n)))
    for rows in (
        np.zeros((count - 1, n)),
        np.zeros((count, n - 1)),
        np.zeros((count, n), np.int64),
    ):
        with pytest.raises(ValueError, match="no such rows"):
            made.fill(places, rows)
    with pytest.raises(ValueError, match="no such rows"):
        made.fill(places[:-1], np.zeros((count, n)))


def test_a_part_that_is_missing_is_told() -> None:
    page = blocks_of(PAGE)
    made = table_of_arrays(page, tree_arrays(page))
    with pytest.raises(ValueError, match="a part is missing"):
        made.fill(np.zeros(0, np.int32), np.zeros((0, len(page))))
    with pytest.raises(AttributeError, match="no array 'steps'"):
        _ = made.steps
