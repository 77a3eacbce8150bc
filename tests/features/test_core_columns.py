"""The columns by the core are those of the features in Python, and so is what it leaves behind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.core import native
from crfclean.features import core_columns, table
from crfclean.features.core_columns import _INPUTS, _SHARED, column_names, fill
from crfclean.features.table import FEATURES, matrix, single_rows
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.types import Blocks, Floats
from eval.lib.cores import by_both
from eval.lib.timing import demo_pages

pytestmark = pytest.mark.skipif(
    native.CORE is None, reason="the core was not built: no compiler, or it is switched off"
)

PAGES = [*demo_pages()[:3], "<p>One block of words stands here, and no more.</p>", "a<br>" * 30]
every_page = pytest.mark.parametrize("html", PAGES, ids=range(len(PAGES)))


def blocks_of(html: str) -> Blocks:
    return split(decode(html))


def inputs_of(page: Measures) -> dict[str, Any]:
    """The core's inputs of a page by name, arrays that can be changed."""
    values = {name: _INPUTS[name](page) for name in native.CORE.COLUMN_INPUTS}
    return {
        name: np.array(np.frombuffer(memoryview(value).cast("B"), np.uint8))
        if isinstance(value, bytes)
        else np.array(value)
        for name, value in values.items()
    }


def filled(
    inputs: dict[str, Any], blocks: int, *, rows: int = len(FEATURES), width: int = 4
) -> None:
    places = np.arange(len(column_names()), dtype=np.int32)
    native.CORE.columns(tuple(inputs.values()), places, np.zeros((rows, blocks), np.float32), width)


def test_the_core_fills_every_feature_once() -> None:
    assert sorted(column_names()) == sorted(FEATURES)


@every_page
def test_what_the_core_derives_is_what_features_derive(html: str) -> None:
    blocks = blocks_of(html)
    page, again = Measures(blocks), Measures(blocks)
    fill(page, np.full(len(column_names()), -1, np.int32), np.zeros((0, len(page)), np.float32))
    for name, (function, dtype) in _SHARED.items():
        expected = np.asarray(function(again))
        assert np.array_equal(page.memo[function], expected), name
        assert expected.dtype == dtype, name


@every_page
def test_double_precision_and_some_columns(html: str) -> None:
    blocks, names = blocks_of(html), ("page_links", "words", "chars", "up1_words_share", "is_link")
    names = tuple(name for name in names if name in FEATURES)
    by_core, by_python = by_both(lambda: matrix(Measures(blocks), names))
    assert by_core.tobytes() == by_python.tobytes()
    by_core, by_python = by_both(lambda: matrix(Measures(blocks)))
    assert by_core.tobytes() == by_python.tobytes()


def halves(page: Measures) -> Floats:
    """A feature that the core does not know."""
    return np.full(len(page), 0.5)


def test_features_that_the_core_does_not_know_come_from_python(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = Measures(blocks_of(PAGES[0]))
    words = page.words.astype(np.float32)
    monkeypatch.setitem(table.FEATURES, "words", halves)
    monkeypatch.setitem(table.FEATURES, "new", halves)
    rows = single_rows(page, ["chars", "words", "new", "sentences"])
    assert set(rows[1]) == set(rows[2]) == {0.5}
    monkeypatch.undo()
    assert single_rows(page, ["words"])[0].tolist() == words.tolist()


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
    page = Measures(blocks_of(PAGES[0]))
    inputs = inputs_of(page)
    filled(inputs, len(page))
    inputs[name][0] = value
    with pytest.raises(ValueError, match="a place that is not there"):
        filled(inputs, len(page))


@pytest.mark.parametrize("name", native.CORE.COLUMN_INPUTS if native.CORE else ())
def test_arrays_of_other_sizes_are_refused(name: str) -> None:
    page = Measures(blocks_of(PAGES[0]))
    inputs = inputs_of(page)
    inputs[name] = inputs[name].ravel()[:-1]
    with pytest.raises(ValueError, match=r"another (size|type)|not there"):
        filled(inputs, len(page))


def test_rows_that_do_not_fit_are_refused() -> None:
    page = Measures(blocks_of(PAGES[0]))
    inputs = inputs_of(page)
    for rows, width in ((len(FEATURES) - 1, 4), (len(FEATURES), 8), (len(FEATURES), 2)):
        with pytest.raises(ValueError, match="no such rows"):
            filled(inputs, len(page), rows=rows, width=width)


def test_without_the_core_it_fills_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "CORE", None)
    assert core_columns.column_names() == ()
