"""Tests of the columns of the perceptron system; `test_recorded.py` has those of small pages."""

from __future__ import annotations

import numpy as np

from crfclean.model.inputs import texttractor, with_neighbours
from crfclean.page.blocks import split
from crfclean.types import Page


def columns(html: str) -> dict[str, list[float]]:
    page = split(Page(html))
    return {name: column.tolist() for name, column in texttractor(page).items()}


def test_good_parents_are_above_at_any_height_but_not_the_body() -> None:
    deep = "<div class=article>" + "<div>" * 40 + "<p>a</p>" + "</div>" * 41 + "<p>b</p>"
    assert columns(deep)["good_parent"][1] == 0.0
    assert columns("<html class=article><body id=content><p>a</p>")["good_parent"] == [0.0]
    near = "<div class=article><section><div><p>a</p></div></section></div><p>b</p>"
    assert columns(near)["good_parent"] == [1.0, 0.0]


# neighbours


def test_neighbours_stand_before_and_behind() -> None:
    own = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    assert with_neighbours(own).tolist() == [
        [0, 0, 1, 2, 3, 4],
        [1, 2, 3, 4, 5, 6],
        [3, 4, 5, 6, 0, 0],
    ]
    assert with_neighbours(own, (0,)).tolist() == own.tolist()
    assert with_neighbours(own[:1]).tolist() == [[0, 0, 1, 2, 0, 0]]
    assert with_neighbours(own, (-5, 5)).tolist() == np.zeros((3, 4)).tolist()
    assert with_neighbours(own[:0]).shape == (0, 6)
    assert with_neighbours(own.astype(np.float32)).dtype == np.float32
