"""Tests of `document/parts.py`: the kinds of parts, and what is inside one."""

from __future__ import annotations

from pathlib import Path

from crfclean.document.parts import Part, iter_parts


def test_parts_come_in_page_order() -> None:
    tree = Part("list", (Part("item", ("a", Part("strong", ("b",)))), Part("item", ("c",))))
    assert [part.kind for part in iter_parts(tree)] == ["list", "item", "strong", "item"]


def test_parts_are_walked_without_recursion() -> None:
    deep = Part("quote")
    for _ in range(5_000):
        deep = Part("quote", (deep,))
    assert sum(1 for _ in iter_parts(deep)) == 5_001


def test_the_facts_are_those_of_the_schema() -> None:
    from crfclean.document import parts

    schema = Path(parts.__file__).parents[1] / "document" / "schemas" / "document.json"
    assert all(f'"{name}": {{"type"' in schema.read_text("utf-8") for name in parts.FACT_TYPES)
