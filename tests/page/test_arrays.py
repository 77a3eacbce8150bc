"""Tests of `page/arrays.py`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crfclean.core.native import CORE
from crfclean.page.arrays import around, having, numbered, numbered_values

ATTRIBUTES: tuple[dict[str, str], ...] = (
    {"lang": ""},
    {},
    {"class": "lang"},
    {"id": "a", "xml:lang": "en"},
    {"LANG": "en"},
)


@pytest.mark.parametrize(
    ("names", "nodes"),
    [(("lang", "xml:lang"), [0, 3]), (("id",), [3]), (("class", "id"), [2, 3]), (("role",), [])],
)
def test_elements_with_attributes(names: tuple[str, ...], nodes: list[int]) -> None:
    assert having(ATTRIBUTES, names) == nodes
    assert having((), names) == []


def test_values_of_attributes_are_numbered() -> None:
    (numbers, values), (others, rest) = numbered_values(ATTRIBUTES, ("class", "lang"))
    assert (numbers.tolist(), values) == ([0, 0, 1, 0, 0], ["", "lang"])
    assert (others.tolist(), rest) == ([0] * 5, [""])


@given(st.lists(st.text("aé\U0001f600\ud800", max_size=2)))
def test_values_are_numbered_in_order_of_occurrence(values: list[str]) -> None:
    numbers, distinct = numbered(values)
    assert distinct == list(dict.fromkeys(values))
    assert [distinct[number] for number in numbers] == values
    assert numbers.dtype == np.int64


def test_elements_around_elements() -> None:
    end = np.array([5, 3, 3, 5, 5], np.int32)  # of 0: 1 with 2 in it, 3 with 4 in it
    mask = np.array([True, False, True, True, True])
    assert around(mask, end).tolist() == [1, 1, 2, 2, 3]
    assert around(mask[:0], end[:0]).tolist() == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("numbered", (["a"],)),
        ("numbered", (([],),)),
        ("having", ([{}], ("a",))),
        ("having", (([],), ("a",))),
        ("having", (({},), ["a"])),
        ("attributes", (([("a", "b")],), ("a",))),
        ("attributes", (({},), ("a",) * 9)),
    ],
)
def test_wrong_calls_raise(name: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(TypeError):
        getattr(CORE, name)(*arguments)
