"""`Blocks` -> `Marks`: where in a page's elements each block can be marked, `#crf-12` the twelfth.

A block that fills an element is marked by the element's id; one that shares it, or whose element
has an id of its own, by a `span` around its text. A block in pieces has several.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from crfclean.page.elements import DROPPED
from crfclean.types import Blocks

PREFIX = "crf-"
"""What the ids of blocks begin with; those of the page never do (see `safepage`)."""

_MOVED = "html head body wbr table caption colgroup thead tbody tfoot tr td th".split()
_FOCUSED = ["button", "summary"]
_UNNAMED = DROPPED.union(_MOVED, _FOCUSED)
"""Elements that are not named: browsers move or drop some that stand wrong, with their ids, and
others take the keyboard when a fragment names them."""


@dataclass(frozen=True, slots=True)
class Span:
    """A mark around runs: inside element `level`, up to the run `last`; `attribute` names it."""

    level: int
    last: int
    attribute: str


@dataclass(frozen=True, slots=True)
class Marks:
    """Attributes of elements, spans by the first run inside, and blocks in several pieces."""

    elements: dict[int, str] = field(default_factory=dict)
    spans: dict[int, Span] = field(default_factory=dict)
    pieces: dict[int, int] = field(default_factory=dict)


def place_marks(whole: Blocks, owners: list[int]) -> Marks:
    """Where to mark a page's blocks; block i is called `owners[i]`, unmarked where negative."""
    marks = Marks()
    ends = np.searchsorted(whole.runs.block, np.arange(len(whole)), "right").tolist()
    first = 0
    for block, last in enumerate(ends):
        if owners[block] >= 0:
            _mark(whole, marks, block, range(first, last), owners[block])
        first = last
    return marks


def _mark(whole: Blocks, marks: Marks, block: int, runs: range, name: int) -> None:
    top = _around(whole, runs)
    if _fills(whole, top, block) and _may_be_named(whole, top):
        marks.elements[top] = _attribute(marks, name)
        return
    for level, piece in _pieces(whole, top, block, runs):
        marks.spans[piece[0]] = Span(level, piece[-1], _attribute(marks, name))


def _attribute(marks: Marks, name: int) -> str:
    """The attribute of a block's next piece: an id for the first."""
    marks.pieces[name] = marks.pieces.get(name, 0) + 1
    return f' id="{PREFIX}{name}"' if marks.pieces[name] == 1 else f' data-crf="{name}"'


def _around(whole: Blocks, runs: range) -> int:
    """The lowest element around all of these runs."""
    nodes = whole.runs.node[runs.start : runs.stop]
    first, last = int(nodes.min()), int(nodes.max())
    top = int(nodes[0])
    while not first >= top <= last < whole.nodes.end[top]:
        top = int(whole.nodes.parent[top])
    return top


def _fills(whole: Blocks, node: int, block: int) -> bool:
    """Whether a block is all the text inside an element."""
    inside = whole.nodes.first_block[node], whole.nodes.end_block[node]
    return inside == (block, block + 1)


def _may_be_named(whole: Blocks, node: int) -> bool:
    return whole.nodes.tags[node] not in _UNNAMED and "id" not in whole.nodes.attributes[node]


def _pieces(whole: Blocks, top: int, block: int, runs: range) -> Iterator[tuple[int, list[int]]]:
    """A block's runs by the element that they can be marked in: it, or what it fills, is whole."""

    def level(run: int) -> int:
        node = int(whole.runs.node[run])
        while node != top and _fills(whole, node, block):
            node = int(whole.nodes.parent[node])
        return node

    return ((node, list(piece)) for node, piece in groupby(runs, level))
