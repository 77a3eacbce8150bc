"""Tests of `page/elements.py`."""

from __future__ import annotations

import numpy as np
import pytest
from htmlpages import measures_of

from crfclean.page.elements import held

LONG_WORDS = 15  # of running text

TREE = (
    "<html><body><div><p>ab <a href=x>cd <b>ef</b></a></p>gh</div>"
    "<table><tr><td><p>ij</p></td></tr></table><img src=x>kl<a name=x></a></body></html>"
)


def test_sums_of_what_elements_hold() -> None:
    measures = measures_of(TREE)
    assert measures.table.inside.tolist() == [4, 4, 2, 1, 1, 1, 1, 1, 1, 1, 0, 1]
    values = np.array([1.0, 2.0, 4.0, 8.0])
    expected = [15, 15, 3, 1, 1, 1, 4, 4, 4, 4, 0, 8]
    assert held(measures, values).tolist() == expected
    both = held(measures, np.column_stack([values, 2 * values]))
    assert both[:, 0].tolist() == expected
    assert both[:, 1].tolist() == [2 * value for value in expected]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        (["p"], [-1, -1, -1, 3, 3, 3, -1, -1, -1, 9, -1, -1]),
        (["div", "td"], [-1, -1, 2, 2, 2, 2, -1, -1, 8, 8, -1, -1]),
        (["body", "tr"], [-1, 1, 1, 1, 1, 1, 1, 7, 7, 7, 1, 1]),
        (["none"], [-1] * 12),
    ],
)
def test_nearest_elements(tags: list[str], expected: list[int]) -> None:
    measures = measures_of(TREE)
    assert measures.table.nearest(measures.is_tag(*tags)).tolist() == expected


def test_running_text_is_long_and_mostly_no_link() -> None:
    text, most, half = "a " * LONG_WORDS, "a " * (LONG_WORDS // 2), "a " * (LONG_WORDS // 2 + 1)
    short = f"<p>{text[2:]}</p>"
    measures = measures_of(
        f"<p>{text}</p>{short}<p>{half}<a>{most}</a></p><p>{most}<a>{half}</a></p>"
    )
    assert measures.table.is_long.tolist() == [True, False, True, False]
    assert measures.table.running.tolist() == [LONG_WORDS, 0, LONG_WORDS, 0]
    assert not measures_of(f"<p>{half}<a>{half}</a></p>").table.is_long.any()  # just half of it
