"""Tests of `features/inputs.py`: what the core refuses, and what it leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.core.native import CORE
from crfclean.features import table
from crfclean.features.inputs import INPUTS
from crfclean.features.table import (
    _OF_TREE,
    FEATURES,
    core_columns,
    derived,
    matrix,
    single_rows,
    singles,
)
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures, measured
from crfclean.page.tree import wider
from crfclean.types import Blocks, Floats
from eval.lib.timing import demo_pages

PAGES = [*demo_pages()[:3], "<p>One block of words stands here, and no more.</p>", "a<br>" * 30]
every_page = pytest.mark.parametrize("html", PAGES, ids=range(len(PAGES)))


def blocks_of(html: str) -> Blocks:
    return split(decode(html))


def inputs_of(page: Measures) -> dict[str, Any]:
    """The core's inputs of a page by name, arrays that can be changed."""
    values = {name: INPUTS[name](page) for name in CORE.COLUMN_INPUTS}
    return {
        name: np.array(np.frombuffer(memoryview(value).cast("B"), np.uint8))
        if isinstance(value, bytes)
        else np.array(value)
        for name, value in values.items()
    }


def filled(
    inputs: dict[str, Any], blocks: int, *, rows: int = len(FEATURES), width: int = 4
) -> None:
    places = np.arange(len(core_columns()), dtype=np.int32)
    CORE.columns(tuple(inputs.values()), places, np.zeros((rows, blocks), np.float32), width)


def test_the_core_fills_every_feature_once() -> None:
    assert sorted(core_columns()) == sorted(FEATURES)
    assert set(INPUTS) == set(CORE.COLUMN_INPUTS)


@every_page
def test_what_the_core_derives_is_what_measures_say(html: str) -> None:
    blocks = blocks_of(html)
    page, again = measured(blocks), measured(blocks)
    single_rows(page)
    for name, (function, dtype) in _OF_TREE.items():
        assert function in page.memo
        expected = np.asarray(function(again))
        assert np.array_equal(function(page), expected), name
        assert expected.dtype == dtype, name


@every_page
def test_double_precision_and_some_columns(html: str) -> None:
    blocks, names = blocks_of(html), ("page_links", "words", "chars", "up1_words_share")
    doubles = matrix(measured(blocks), names)
    assert doubles.astype(np.float32).tobytes() == singles(measured(blocks), names).tobytes()
    places = [list(FEATURES).index(name) for name in names]
    assert doubles.tobytes() == matrix(measured(blocks))[:, places].tobytes()


def halves(page: Measures) -> Floats:
    """A feature that the core does not know."""
    return np.full(len(page), 0.5)


def test_features_that_the_core_does_not_know_come_from_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = measured(blocks_of(PAGES[0]))
    monkeypatch.setitem(table.FEATURES, "new", halves)
    rows = single_rows(page, ["chars", "new", "words"])
    assert set(rows[1]) == {0.5}
    assert rows[2].tolist() == page.words.tolist()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("node", value) for value in (-1, 10**6)],
        *[("tag", value) for value in (-1, 10**6)],
        *[("name", value) for value in (-1, 10**6)],
        *[("text_numbers", value) for value in (-1, 10**6)],
        *[("first_block", value) for value in (-1, 10**6)],
        *[("end_block", value) for value in (-1, 10**6)],
        *[("run_node", value) for value in (-1, 10**6)],
        *[("run_block", value) for value in (-1, 1, 10**6)],
        *[("parent", value) for value in (-2, 0, 10**6)],
        ("tag_sets", 1 << 60),
        *[("link_blocks", value) for value in (-1, 10**6)],
        *[("marked", value) for value in (-1, 64)],
        *[("said", value) for value in (-1, 1_000)],
    ],
)
def test_places_that_are_not_there_are_refused(name: str, value: int) -> None:
    page = measured(blocks_of(PAGES[0]))
    inputs = inputs_of(page)
    filled(inputs, len(page))
    inputs[name][0] = value
    with pytest.raises(ValueError, match="a place that is not there"):
        filled(inputs, len(page))


@every_page
def test_spans_are_those_of_ever_wider_elements(html: str) -> None:
    page = measured(blocks_of(html))
    around, up = page.node, wider(page)
    for spans in derived(page).spans:
        around = np.where(up[around] < 0, around, up[around])
        assert np.array_equal(spans[:, 0], page.nodes.first_block[around])
        assert np.array_equal(spans[:, 1], page.nodes.end_block[around])


@pytest.mark.parametrize("name", CORE.COLUMN_INPUTS)
def test_arrays_of_other_sizes_are_refused(name: str) -> None:
    page = measured(blocks_of(PAGES[0]))
    inputs = inputs_of(page)
    inputs[name] = inputs[name].ravel()[:-1]
    with pytest.raises(ValueError, match=r"another (size|type)|not there"):
        filled(inputs, len(page))


def test_rows_that_do_not_fit_are_refused() -> None:
    page = measured(blocks_of(PAGES[0]))
    inputs = inputs_of(page)
    for rows, width in ((len(FEATURES) - 1, 4), (len(FEATURES), 8), (len(FEATURES), 2)):
        with pytest.raises(ValueError, match="no such rows"):
            filled(inputs, len(page), rows=rows, width=width)
