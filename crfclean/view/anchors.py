"""Find where in a page's elements each block can be marked; the id of block 12 is `crf-12`.

A block that fills an element is marked by the element's id; one that shares it, or whose element
already has an id, by a `span` around its text. A block in pieces has several.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from crfclean.page.elements import DROPPED
from crfclean.types import Blocks

PREFIX = "crf-"
"""Prefix of the ids of blocks; `document` drops ids of the page that have it."""

_MOVED = "html head body wbr table caption colgroup thead tbody tfoot tr td th".split()
_FOCUSED = ["button", "summary"]
_UNNAMED = DROPPED.union(_MOVED, _FOCUSED)
"""Elements that get no id: browsers move or drop some where they are misplaced (a `td` outside a
table), together with their ids; others take the keyboard focus when a fragment names them."""


@dataclass(frozen=True, slots=True)
class Span:
    """A mark inside element `level` up to the run `last`; `attribute` is its id or name."""

    level: int
    last: int
    attribute: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Attributes by element, spans by their first run, and numbers of pieces by block.

    `paints` are further attributes of the marks of each block, if there are any.
    """

    elements: dict[int, str] = field(default_factory=dict)
    spans: dict[int, Span] = field(default_factory=dict)
    pieces: dict[int, int] = field(default_factory=dict)
    paints: Sequence[str] = ()


def place_marks(blocks: Blocks, owners: list[int], paints: Sequence[str] = ()) -> Marks:
    """Place the marks of a page's blocks; block i is named `owners[i]`, unmarked if negative.

    Blocks beyond the `paints`, if there are any, are unmarked, too.
    """
    marks = Marks(paints=paints)
    if paints:
        owners = [owner if owner < len(paints) else -1 for owner in owners]
    ends = np.searchsorted(blocks.runs.block, np.arange(len(blocks)), "right").tolist()
    first = 0
    for block, last in enumerate(ends):
        if owners[block] >= 0:
            _mark(blocks, marks, block, range(first, last), owners[block])
        first = last
    return marks


def _mark(blocks: Blocks, marks: Marks, block: int, runs: range, name: int) -> None:
    top = _around(blocks, runs)
    if _fills(blocks, top, block) and _may_be_named(blocks, top):
        marks.elements[top] = _attribute(marks, name)
        return
    for level, piece in _pieces(blocks, top, block, runs):
        marks.spans[piece[0]] = Span(level, piece[-1], _attribute(marks, name))


def _attribute(marks: Marks, name: int) -> str:
    """The attribute of a block's next piece: an id for the first, else `data-crf`."""
    marks.pieces[name] = marks.pieces.get(name, 0) + 1
    paint = marks.paints[name] if marks.paints else ""
    return (f' id="{PREFIX}{name}"' if marks.pieces[name] == 1 else f' data-crf="{name}"') + paint


def _around(blocks: Blocks, runs: range) -> int:
    """The lowest common ancestor of these runs."""
    nodes = blocks.runs.node[runs.start : runs.stop]
    first, last = int(nodes.min()), int(nodes.max())
    ancestor = int(nodes[0])
    while not first >= ancestor <= last < blocks.nodes.end[ancestor]:
        ancestor = int(blocks.nodes.parent[ancestor])
    return ancestor


def _fills(blocks: Blocks, node: int, block: int) -> bool:
    """Whether a block is all the text of an element."""
    inside = blocks.nodes.first_block[node], blocks.nodes.end_block[node]
    return inside == (block, block + 1)


def _may_be_named(blocks: Blocks, node: int) -> bool:
    return blocks.nodes.tags[node] not in _UNNAMED and "id" not in blocks.nodes.attributes[node]


def _pieces(blocks: Blocks, top: int, block: int, runs: range) -> Iterator[tuple[int, list[int]]]:
    """A block's runs, grouped by the highest element below `top` that the block fills."""

    def level(run: int) -> int:
        node = int(blocks.runs.node[run])
        while node != top and _fills(blocks, node, block):
            node = int(blocks.nodes.parent[node])
        return node

    return ((node, list(piece)) for node, piece in groupby(runs, level))
