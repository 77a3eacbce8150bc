"""Tests of the table of a page: its columns, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from checkout import ROOT
from htmlpages import table_of_arrays, tree_arrays, worded, wording_with

from crfclean.core.table import Table
from crfclean.model import markup
from crfclean.model.columns import FEATURES, core_columns
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.types import Blocks

PAGE = min((ROOT / "data" / "demo" / "hafenblick").glob("*.html")).read_bytes()

Change = Callable[[dict[str, Any]], None]


def blocks_of(html: bytes) -> Blocks:
    return split(decode(html))


def table_of(page: Blocks, change: Change = lambda _arrays: None) -> Table:
    """The table of a page with its words, from arrays that a test has changed."""
    arrays = {name: array.copy() for name, array in tree_arrays(page).items()}
    change(arrays)
    return worded(page, arrays)


def test_the_core_fills_every_feature_once() -> None:
    assert sorted(core_columns()) == sorted(FEATURES)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("node", value) for value in (-1, 10**6)],
        *[("tag", value) for value in (-1, 10**6)],
        *[("end", value) for value in (-1, 0, 10**6)],
        *[("class_number", value) for value in (-1, 10**6)],
        *[("first_block", value) for value in (-1, 10**6)],
        *[("end_block", value) for value in (-1, 10**6)],
        *[("run_node", value) for value in (-1, 10**6)],
        *[("run_block", value) for value in (-1, 1, 10**6)],
        *[("parent", value) for value in (-2, 0, 10**6)],
    ],
)
def test_places_that_are_not_there_are_refused(name: str, value: int) -> None:
    def change(arrays: dict[str, Any]) -> None:
        arrays[name][0] = value

    page = blocks_of(PAGE)
    table_of(page)
    with pytest.raises(ValueError, match="a place that is not there"):
        table_of(page, change)


@pytest.mark.parametrize("name", tree_arrays(blocks_of(PAGE)))
def test_arrays_of_other_sizes_and_types_are_refused(name: str) -> None:
    page = blocks_of(PAGE)

    def shortened(arrays: dict[str, Any]) -> None:
        arrays[name] = arrays[name][:-1]

    def half(arrays: dict[str, Any]) -> None:
        arrays[name] = np.zeros(8, np.float16)

    def lost(arrays: dict[str, Any]) -> None:
        arrays.pop(name)

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
    with pytest.raises(AttributeError, match="no attribute 'steps'"):
        _ = made.steps


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("legal", value) for value in (-1, 1_000)],
        *[("phrases", (("a", value),)) for value in (-1, 1_000)],
        *[("kind_phrases", (("a", value),)) for value in (-1, 1_000)],
        *[("name_groups", (value,) * 17) for value in (-1, 64)],
        *[("phrase_groups", (value,) * 8) for value in (-1, 1_000)],
        *[("split_bits", (value,) * 7) for value in (-1, 128)],
        *[(name, value) for name in ("typed_groups", "named_groups") for value in (-1, 65)],
        *[(name, ()) for name in ("name_groups", "phrase_groups", "split_bits", "counters")],
        ("char_sets", b""),
    ],
)
def test_groups_that_are_not_there_are_refused(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=r"Wording: other|below 0"):
        wording_with(**{name: value})


def test_types_of_other_pages_are_refused() -> None:
    page = blocks_of(PAGE)
    given: dict[str, Any] = dict.fromkeys(("titles", "weights", "descriptions", "bodies"), ())
    with pytest.raises(ValueError, match="other types"):
        markup.wording().read(page.table, declared=np.zeros(8), **given)
