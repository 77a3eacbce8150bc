"""The type of each block: the kind of its part, with the facts of all parts around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from crfclean.document.parts import INLINE_KINDS, Part

MAX_FOLLOWED_COLUMNS = 1_000  # in which cells that reach into further rows are followed

FACT_TYPES: Mapping[str, type] = {
    "level": int,
    "depth": int,
    "ordered": bool,
    "number": int,
    "row": int,
    "column": int,
    "header": bool,
    "colspan": int,
    "rowspan": int,
    "language": str,
    "quotes": int,
    "note": str,
}
"""Fact of a block -> its type.

`level` of a heading; `depth`, the number of lists around the block, `ordered` and `number` of the
innermost list and item; `row` and `column` of a table's cell (from 1, with the spans of other cells
counted), whether it is a `header`, its `colspan` and `rowspan` if over 1; `language` of code;
`quotes`, the number of quotations around it; `note`, the id of a footnote.
"""


class BlockType(NamedTuple):
    """The kind of a block's part, and facts (see `FACT_TYPES`)."""

    kind: str
    facts: Mapping[str, Any] = MappingProxyType({})


def block_types(content: Iterable[Part]) -> dict[int, BlockType]:
    """Return the type of each block, by its index; blocks that are in no part are missing.

    The kind is that of the innermost part that is not inline; a block in several parts has the
    kind of the first one.
    """
    types: dict[int, BlockType] = {}
    no_facts: Mapping[str, Any] = {}
    stack = [(part, "", no_facts) for part in content][::-1]
    while stack:
        part, kind, around = stack.pop()
        facts = _facts(part, around)
        kind = kind if part.kind in INLINE_KINDS and kind else part.kind
        for block in part.blocks:
            types.setdefault(block, BlockType(kind, facts))
        if part.kind == "table":
            inner = _cells(part, facts)
            stack += reversed([(child, kind, child_facts) for child, child_facts in inner])
        else:
            stack += [(child, kind, facts) for child in _parts_in(part)[::-1]]
    return types


def _parts_in(part: Part) -> list[Part]:
    """The parts in a part, without inline ones, which have no blocks of their own."""
    inner = (child for child in part.children if isinstance(child, Part))
    return [child for child in inner if child.blocks or child.kind not in INLINE_KINDS]


_COPIED = {
    "heading": ("level", "level"),
    "codeblock": ("language", "language"),
    "footnote": ("note", "id"),
}
"""Kind of part -> a fact of its blocks, and the fact of the part that it is."""


def _facts(part: Part, around: Mapping[str, Any]) -> Mapping[str, Any]:
    """The facts around a part together with those of the part."""
    if part.kind == "list":
        ordered = bool(part.facts.get("ordered"))
        outer = {name: fact for name, fact in around.items() if name != "number"}
        return {**outer, "depth": around.get("depth", 0) + 1, "ordered": ordered}
    if part.kind == "item":
        number = part.facts.get("number")
        return around if number is None else {**around, "number": number}
    if part.kind == "cell":
        sizes = {name: part.facts.get(name) or 1 for name in ("colspan", "rowspan")}
        spans = {name: size for name, size in sizes.items() if size > 1}
        return {**around, "header": bool(part.facts.get("header")), **spans}
    if part.kind == "quote":
        return {**around, "quotes": around.get("quotes", 0) + 1}
    name, fact = _COPIED.get(part.kind, ("", ""))
    return {**around, name: part.facts[fact]} if part.facts.get(fact) else around


def _cells(table: Part, facts: Mapping[str, Any]) -> Iterator[tuple[Part, Mapping[str, Any]]]:
    """Yield the captions and cells of a table, cells with their row and column.

    Cells that span rows are followed only in the first `MAX_FOLLOWED_COLUMNS` columns.
    """
    spans: list[tuple[int, int, int]] = []  # columns from, to before, and last row of such cells
    number = 0
    outer = {name: fact for name, fact in facts.items() if name not in _CELL_FACTS}
    for row in _parts_in(table):
        if row.kind != "row":
            yield row, outer
            continue
        number, column, passed = number + 1, 1, 0
        spans = sorted(span for span in spans if span[2] >= number)
        begun: list[tuple[int, int, int]] = []
        for cell in _parts_in(row):
            while passed < len(spans) and spans[passed][0] <= column:
                column = max(column, spans[passed][1])
                passed += 1
            yield cell, {**outer, "row": number, "column": column}
            width, height = (int(cell.facts.get(name) or 1) for name in ("colspan", "rowspan"))
            if height > 1 and column <= MAX_FOLLOWED_COLUMNS:
                begun.append((column, column + width, number + height - 1))
            column += width
        spans += begun


_CELL_FACTS = frozenset("row column header colspan rowspan".split())


Count = Callable[[str], int]
"""The size of a text: its words, or the tokens of a model."""


def count_words(text: str) -> int:
    """Count the words of a text; in scripts without spaces, each character is one."""
    from crfclean.page.align import tokens  # most texts have no budget

    return len(tokens(text))
