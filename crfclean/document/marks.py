"""Where the blocks of a page stand in its HTML, for a page that is painted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from crfclean.page.effects import DROPPED
from crfclean.types import Blocks

PREFIX = "crf-"
"""Prefix of the ids of blocks; ids of the page with this prefix are dropped."""

_MOVED = "html head body wbr table caption colgroup thead tbody tfoot tr td th".split()
_FOCUSED = ["button", "summary"]
_UNNAMED = DROPPED.union(_MOVED, _FOCUSED)
"""Elements that get no id. Browsers move or drop misplaced ones (a `td` outside a table) with their
ids; others take the keyboard focus when a fragment names them."""


@dataclass(frozen=True, slots=True)
class MarkSpan:
    """A mark inside the element `level`, up to the run `last`, with its attributes."""

    level: int
    last: int
    attribute: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Attributes by element, spans by their first run, and numbers of pieces by block.

    `paints` are further attributes for the marks of each block; empty: none.
    """

    elements: dict[int, str] = field(default_factory=dict)
    spans: dict[int, MarkSpan] = field(default_factory=dict)
    pieces: dict[int, int] = field(default_factory=dict)
    paints: Sequence[str] = ()


def place_marks(blocks: Blocks, paints: Sequence[str] = ()) -> Marks:
    """Place the marks of a page's blocks, of as many as there are `paints`, if there are any."""
    marks = Marks(paints=paints)
    ends = np.searchsorted(blocks.table.run_block, np.arange(len(blocks)), "right").tolist()
    first = 0
    for block, last in enumerate(ends[: len(paints) or None]):
        _mark(blocks, marks, block, range(first, last))
        first = last
    return marks


def _mark(blocks: Blocks, marks: Marks, block: int, runs: range) -> None:
    top = _around(blocks, runs)
    tag, attributes = blocks.table.tags[top], blocks.table.attributes[top]
    if _fills(blocks, top, block) and tag not in _UNNAMED and "id" not in attributes:
        marks.elements[top] = _attribute(marks, block)
        return
    for level, piece in _pieces(blocks, top, block, runs):
        marks.spans[piece[0]] = MarkSpan(level, piece[-1], _attribute(marks, block))


def _attribute(marks: Marks, block: int) -> str:
    """Return the attribute of a block's next piece: an id for the first, else `data-crf`."""
    marks.pieces[block] = marks.pieces.get(block, 0) + 1
    paint = marks.paints[block] if marks.paints else ""
    name = f' id="{PREFIX}{block}"' if marks.pieces[block] == 1 else f' data-crf="{block}"'
    return name + paint


def _around(blocks: Blocks, runs: range) -> int:
    nodes = blocks.table.run_node[runs.start : runs.stop]
    first, last = int(nodes.min()), int(nodes.max())
    ancestor = int(nodes[0])
    while not first >= ancestor <= last < blocks.table.end[ancestor]:
        ancestor = int(blocks.table.parent[ancestor])
    return ancestor


def _fills(blocks: Blocks, node: int, block: int) -> bool:
    return blocks.table.blocks_in(node) == range(block, block + 1)


def _pieces(blocks: Blocks, top: int, block: int, runs: range) -> Iterator[tuple[int, list[int]]]:
    """Group a block's runs by the highest element below `top` that the block fills."""

    def level(run: int) -> int:
        node = int(blocks.table.run_node[run])
        while node != top and _fills(blocks, node, block):
            node = int(blocks.table.parent[node])
        return node

    return ((node, list(piece)) for node, piece in groupby(runs, level))
