"""Tests of `kinds/model.py`."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.features.table import singles
from crfclean.features.zones import kinds_of
from crfclean.kinds.model import evidence_names, kind_columns, shares_around
from crfclean.page.blocks import split
from crfclean.types import Kind, Page

TEXT = "The river rose again this morning, and nobody in the village slept well. " * 3
HTML = f"<title>A</title><h1>A</h1><p>{TEXT}<h2>B</h2><p>{TEXT}<nav><a href=/x>Home</a></nav>"
NAMES = ("words", "link_density")


def test_columns_are_those_of_the_table_and_the_evidence() -> None:
    page = split(Page(HTML))
    columns = kind_columns(page, NAMES)
    assert columns.shape == (5, len(NAMES) + len(evidence_names()))
    assert columns.dtype == np.float32
    assert (columns[:, :2] == singles(page, NAMES)).all()
    rows = [dict(zip(evidence_names(), row[2:].tolist(), strict=True)) for row in columns]
    assert [kind.name for kind in map(Kind, kinds_of(page))] == [
        *("TITLE", "PARAGRAPH", "HEADING", "PARAGRAPH", "NAVIGATION")
    ]
    heading = {name for name, value in rows[2].items() if value == 1.0}
    assert heading == {"kind=heading", "kind[-1]=paragraph", "kind[+1]=paragraph"}
    assert rows[2]["kind_around3=paragraph"] == pytest.approx(2 / 5)
    assert rows[0]["kind_around3=paragraph"] == pytest.approx(2 / 4)
    assert sum(value for name, value in rows[0].items() if name.startswith("kind[-1]")) == 0
    assert sum(value for name, value in rows[4].items() if name.startswith("kind[+1]")) == 0


@pytest.mark.parametrize("reach", [0, 1, 3, 50])
def test_shares_around_are_means_of_slices(reach: int) -> None:
    rows = np.random.default_rng(1).random((7, 3)).astype(np.float32)
    expected = [rows[max(0, n - reach) : n + reach + 1].mean(axis=0) for n in range(7)]
    assert pytest.approx(np.array(expected), abs=1e-6) == shares_around(rows.T, reach).T
