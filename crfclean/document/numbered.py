"""Find the numbers and bullets that pages write as text before their items."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import groupby
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from crfclean.document.selection import item_numbers
from crfclean.page.elements import CELLS
from crfclean.page.measures import once
from crfclean.types import Blocks, Bools

# `<table><tr><td>1.</td><td>Moor A. On stones.</td></tr></table>`, a table for each reference
_MARK = re.compile(r"[(\[]?(\d{1,3})(?:[.)\]]\)?)?|[•·●▪◦‣–-]")
_BARE = re.compile(r"\d+")  # may be votes: only beside its predecessor or successor
# `<ol><li>1) Mix the flour`: the number would stand there twice
_OWN = re.compile(r"\s*\(?(\d{1,3})[.)](?=\s|\Z)\s*")


class Numbered(NamedTuple):
    """Tables that are items, with their numbers, None for bullets; and the marks as text.

    `blocks` are the marks in cells of their own, each with the block that follows. `runs` maps
    text runs to the number of characters that repeat an item's number.
    """

    tables: Mapping[int, int | None] = MappingProxyType({})
    blocks: Mapping[int, int] = MappingProxyType({})
    runs: Mapping[int, int] = MappingProxyType({})


def find_numbered(page: Blocks, kept: Bools) -> Numbered:
    """Find the items with a written mark whose texts are kept, (n,)."""
    rows = {table: row for table, row in _rows(page).items() if kept[[row.mark, row.text]].all()}
    return Numbered(
        {table: row.number for table, row in rows.items()},
        {row.mark: row.text for row in rows.values()},
        _own_numbers(page),
    )


def mark_blocks(page: Blocks) -> dict[int, int]:
    """Map the blocks that are the mark of an item in a table to the blocks that follow them."""
    return {row.mark: row.text for row in _rows(page).values()}


class _Row(NamedTuple):
    """A table of one row: the blocks of its mark and of its text, its number if it has one."""

    mark: int
    text: int
    number: int | None
    is_bare: bool


@once
def _rows(page: Blocks) -> dict[int, _Row]:
    """Map the tables that are items to their rows."""
    table = page.table
    if "table" not in table.tag_names:
        return {}
    of = table.nearest(table.is_tag("table"))
    rows = np.bincount(of[table.is_tag("tr") & (of >= 0)], minlength=len(of))
    cells = table.nearest(table.is_tag(*CELLS))[page.node]
    found = dict[int, _Row]()
    for node in np.flatnonzero(table.is_tag("table") & (rows == 1)).tolist():
        inside = table.blocks_in(node)
        match = _MARK.fullmatch(page.texts[inside.start]) if len(inside) > 1 else None
        if match and node < cells[inside.start] != cells[inside.start + 1]:
            number = int(match[1]) if match[1] else None
            is_bare = bool(_BARE.fullmatch(match[0]))
            found[node] = _Row(inside.start, inside.start + 1, number, is_bare)
    numbers = [row.number for row in found.values()]
    near = [
        {*numbers[max(0, at - 1) : at], *numbers[at + 1 : at + 2]} for at in range(len(numbers))
    ]
    return {
        node: row
        for (node, row), beside in zip(found.items(), near, strict=True)
        if not (
            row.is_bare
            and row.number is not None
            and beside.isdisjoint((row.number - 1, row.number + 1))
        )
    }


def _own_numbers(page: Blocks) -> dict[int, int]:
    """Map text runs to the characters that repeat an item's number, in lists where all do."""
    table, numbers, repeated = page.table, item_numbers(page), dict[int, int]()
    parents = {node: int(table.parent[node]) for node in numbers}
    for _, items in groupby(sorted(numbers, key=lambda node: (parents[node], node)), parents.get):
        starts = dict[int, int]()
        nodes = list(items)
        for node in nodes:
            run = int(table.run_after.searchsorted(node + 1))
            match = _OWN.match(table.run_texts[run]) if run < len(table.run_texts) else None
            if match and int(match[1]) == numbers[node] and table.run_node[run] < table.end[node]:
                starts[run] = match.end()
        if len(starts) == len(nodes) > 1:
            repeated |= starts
    return repeated
