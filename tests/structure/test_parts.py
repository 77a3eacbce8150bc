"""Tests of `parts.py`: the kinds of parts, and what is inside one."""

from __future__ import annotations

from crfclean.structure.kinds import FLOW, HOLDERS, MARKS, OF_LINES, TABLES
from crfclean.structure.parts import FACTS, INLINE_KINDS, USUAL, Part, Show, inside


def test_kinds_are_known() -> None:
    assert set(FACTS) >= INLINE_KINDS
    assert set(FACTS) >= {*FLOW.values(), *TABLES.values(), *MARKS.values(), *OF_LINES}
    assert set(FACTS) >= {*HOLDERS, *HOLDERS.values()}


def test_inside_is_in_page_order() -> None:
    tree = Part("list", (Part("item", ("a", Part("strong", ("b",)))), Part("item", ("c",))))
    assert [one.kind for one in inside(tree)] == ["list", "item", "strong", "item"]


def test_inside_is_no_recursion() -> None:
    deep = Part("quote")
    for _ in range(5_000):
        deep = Part("quote", (deep,))
    assert sum(1 for _ in inside(deep)) == 5_001


def test_everything_is_shown() -> None:
    assert Show() == USUAL
