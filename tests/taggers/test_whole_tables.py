"""Likely data tables are kept as one."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.pipeline import open_model
from crfclean.taggers.learned import decide_each
from crfclean.taggers.params import CutParams
from crfclean.taggers.whole_tables import POOLED_REASON, pool, tables
from crfclean.types import Floats, Label, Page

ROWS = "<tr><th>city<th>people</tr>" + "<tr><td>one town here<td>12 345</tr>" * 3
HTML = f"<p>{'A sentence of the article. ' * 9}</p><table>{ROWS}</table><p>end</p>"


def page_of(html: str) -> Measures:
    return Measures(split(Page(html)))


def rows(kept: list[float]) -> Floats:
    return np.array([[0.25 * p, 0.75 * p, 1.0 - p] for p in kept])


def test_blocks_of_a_table() -> None:
    page = page_of(HTML)
    found = tables(page)
    assert (found[1:9] == found[1]).all()
    assert found[0] == found[-1] == -1 != found[1]


@pytest.mark.parametrize(
    "html",
    [
        HTML.replace("<table>", "<table role=presentation>"),
        HTML.replace("one town here", "<a href=/x>one town here</a>"),
        HTML.replace("table", "div"),
        "",
    ],
)
def test_no_table_of_data(html: str) -> None:
    assert (tables(page_of(html)) == -1).all()


def test_mean_by_words() -> None:
    pooled = pool(rows([0.8, 0.4, 0.5]), np.array([3.0, 1.0, 9.0]), np.array([4, 4, -1]))
    assert np.allclose(pooled, rows([0.7, 0.7, 0.5]))


def test_cells_that_are_certain() -> None:
    pooled = pool(rows([0.0, 0.7]), np.array([1.0, 9.0]), np.array([0, 0]))
    assert np.allclose(pooled.sum(axis=1), 1.0)
    assert np.allclose(pooled[:, Label.OTHER], 0.37)


def test_an_unlikely_table_keeps_its_likely_cells() -> None:
    table = rows([0.2, 0.6])
    assert (pool(table, np.array([5.0, 5.0]), np.array([2, 2])) == table).all()


@pytest.mark.parametrize("words", [[5.0, 5.0], [0.0, 0.0]])
def test_parts_that_differ_or_have_no_words(words: list[float]) -> None:
    table = rows([0.05, 0.95])
    assert (pool(table, np.array(words), np.array([2, 2])) == table).all()


def test_a_table_is_kept_as_one() -> None:
    page = page_of(HTML)
    marginals = rows([0.95, *[0.8, 0.3] * 4, 0.9])
    assert decide_each(page, marginals, CutParams()).kept.all()
    by_sequence = decide_each(page, marginals, CutParams(rule="viterbi"))
    assert not by_sequence.kept.all()


def test_tables_are_among_the_reasons() -> None:
    tagger, blocks = open_model("default"), split(Page(HTML))
    tags, reasons = tagger.tag(blocks), tagger.explain(blocks)
    pooled = [
        (at, own[0].value) for at, own in enumerate(reasons) if own[0].feature == POOLED_REASON
    ]
    assert pooled
    assert all(1 <= at <= 8 for at, _ in pooled)
    assert all(np.isclose(tags.probabilities[at], value) for at, value in pooled)


def test_many_tables() -> None:
    page = page_of(f"<table>{ROWS}</table>" * 2_000)
    assert decide_each(page, rows([0.5] * len(page)), CutParams()).score >= 0
