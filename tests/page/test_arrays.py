"""Tests of `page/chars.py`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from crfclean.page.blocks import split
from crfclean.page.chars import around, having, numbered_values
from crfclean.types import Page

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
    numbers, values = numbered_values(ATTRIBUTES, "class")
    assert (numbers.tolist(), values) == ([0, 0, 1, 0, 0], ["", "lang"])
    others, rest = numbered_values(ATTRIBUTES, "lang")
    assert (others.tolist(), rest) == ([0] * 5, [""])


PAGE = Page("<p lang>a<p>b<p class='lang \xe9'>c<p id=a xml:lang=en>d<p LANG=en id=a>e</p>")


@pytest.mark.parametrize("names", [(), ("lang", "xml:lang"), ("id",), ("class", "id"), ("role",)])
def test_attributes_of_a_page_are_those_of_their_mappings(names: tuple[str, ...]) -> None:
    attributes = split(PAGE).nodes.attributes
    for part in (
        attributes,
        attributes[3:6],
        attributes[3:5][1:],
        attributes[::-2],
        attributes[9:],
    ):
        mappings = tuple(map(dict, part))
        assert part == mappings
        assert mappings == part
        assert pickle.loads(pickle.dumps(part)) == part
        assert len(part) == len(mappings)
        assert having(part, names) == having(mappings, names)
        for name in names:
            numbers, values = numbered_values(part, name)
            others, rest = numbered_values(mappings, name)
            assert (numbers.tolist(), values) == (others.tolist(), rest)


@pytest.mark.parametrize("place", [-8, 8, "a", None])
def test_there_is_no_such_item(place: Any) -> None:
    attributes = split(PAGE).nodes.attributes
    with pytest.raises((IndexError, TypeError)):
        attributes[place]


def test_elements_around_elements() -> None:
    end = np.array([5, 3, 3, 5, 5], np.int32)  # of 0: 1 with 2 in it, 3 with 4 in it
    mask = np.array([True, False, True, True, True])
    assert around(mask, end).tolist() == [1, 1, 2, 2, 3]
    assert around(mask[:0], end[:0]).tolist() == []


@pytest.mark.parametrize(("name", "argument"), [("having", 1), ("values", 1), ("values", None)])
def test_wrong_names_raise(name: str, argument: Any) -> None:
    blocks = split(PAGE)
    with pytest.raises(TypeError):
        getattr(blocks.nodes.attributes, name)(argument)
    with pytest.raises(TypeError):
        getattr(blocks.runs.texts, name)("id")
