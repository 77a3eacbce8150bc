"""Tests of `structure/parts.py`: the kinds of parts, and what is inside one."""

from __future__ import annotations

from crfclean.structure.kinds import FLOW_KINDS, LINE_KINDS, MARK_KINDS, PARENT_KINDS, TABLE_KINDS
from crfclean.structure.parts import DEFAULT_SHOW, FACTS, INLINE_KINDS, Part, Show, iter_parts


def test_kinds_are_known() -> None:
    assert set(FACTS) >= INLINE_KINDS
    assert set(FACTS) >= {
        *FLOW_KINDS.values(),
        *TABLE_KINDS.values(),
        *MARK_KINDS.values(),
        *LINE_KINDS,
    }
    assert set(FACTS) >= {*PARENT_KINDS, *PARENT_KINDS.values()}


def test_parts_come_in_page_order() -> None:
    tree = Part("list", (Part("item", ("a", Part("strong", ("b",)))), Part("item", ("c",))))
    assert [part.kind for part in iter_parts(tree)] == ["list", "item", "strong", "item"]


def test_parts_are_walked_without_recursion() -> None:
    deep = Part("quote")
    for _ in range(5_000):
        deep = Part("quote", (deep,))
    assert sum(1 for _ in iter_parts(deep)) == 5_001


def test_defaults() -> None:
    assert Show() == DEFAULT_SHOW
