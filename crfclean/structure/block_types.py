"""`Part`s -> what each block became: the kind of its part, and the facts of all parts around."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from crfclean.structure.parts import INLINE_KINDS, Part

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

`level` of a heading; `depth` of lists around it, `ordered` and `number` of the innermost list and
item; `row` and `column` of a table's cell from 1 on, those that cells above and before span counted
as well, and whether it is a `header`, `colspan` and `rowspan` where over 1; `language` of code;
`quotes` around it; `note`, the id of a footnote.
"""


@dataclass(frozen=True, slots=True)
class BlockType:
    """What a block became: a kind of part (see `parts.FACTS`), and facts of `FACT_TYPES`."""

    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def block_types(content: Iterable[Part]) -> dict[int, BlockType]:
    """Index of a block -> what it became; blocks that are in no part have none.

    The kind is that of the innermost part that stands on lines of its own; of a block in several
    parts it is the first one's.
    """
    found: dict[int, BlockType] = {}
    none: Mapping[str, Any] = {}
    todo = [(part, "", none) for part in content][::-1]
    while todo:
        part, kind, around = todo.pop()
        facts = _facts(part, around)
        kind = kind if part.kind in INLINE_KINDS and kind else part.kind
        for block in part.blocks:
            found.setdefault(block, BlockType(kind, facts))
        inner = _cells(part, facts) if part.kind == "table" else ((one, facts) for one in _in(part))
        todo += reversed([(one, kind, more) for one, more in inner])
    return found


def _in(part: Part) -> Iterator[Part]:
    return (child for child in part.children if isinstance(child, Part))


def _facts(part: Part, around: Mapping[str, Any]) -> Mapping[str, Any]:
    """The facts around a part, with its own."""
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
    own = {"heading": ("level", "level"), "codeblock": ("language", "language")}
    name, fact = own.get(part.kind, ("note", "id") if part.kind == "footnote" else ("", ""))
    return {**around, name: part.facts[fact]} if part.facts.get(fact) else around


def _cells(table: Part, facts: Mapping[str, Any]) -> Iterator[tuple[Part, Mapping[str, Any]]]:
    """The captions and cells of a table, cells with their row and column."""
    open_spans: dict[int, int] = {}  # column -> rows that a cell above still takes in it
    number = 0
    outer = {name: fact for name, fact in facts.items() if name not in _OF_CELLS}
    for row in _in(table):
        if row.kind != "row":
            yield row, outer
            continue
        number, column = number + 1, 1
        taken = {at for at, left in open_spans.items() if left > 0}
        open_spans = {at: left - 1 for at, left in open_spans.items() if left > 1}
        for cell in _in(row):
            while column in taken:
                column += 1
            yield cell, {**outer, "row": number, "column": column}
            wide, high = (int(cell.facts.get(name) or 1) for name in ("colspan", "rowspan"))
            if high > 1:
                open_spans |= dict.fromkeys(range(column, column + wide), high - 1)
            column += wide


_OF_CELLS = frozenset("row column header colspan rowspan".split())
