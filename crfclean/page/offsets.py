"""Locate the words of each block in the page's elements, and read them back.

A place is a list of pieces (`path`, `start`, `end`) in page order. `path` is an XPath that leads
from the block's element (`Block.xpath`) to the element that holds the piece, "." for the same one.
The piece is the characters from `start` to `end` (half-open) of that element's text: its text
nodes, without those of elements inside it, joined, without white space and control characters. So a
place does not depend on scripts, hidden elements, comments and white space, which parsers treat
differently.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crfclean.page.chars import visible
from crfclean.page.measures import count_texts
from crfclean.types import Blocks
from crfclean.types.page import DATA_SOURCES


class Piece(NamedTuple):
    """A piece of a block's text; see above."""

    path: str
    start: int
    end: int


def places(blocks: Blocks, indices: Iterable[int]) -> dict[int, list[Piece]]:
    """Index of a block -> the pieces of its text, none of blocks from data; linear in the page."""
    if blocks.source in DATA_SOURCES:
        return {index: [] for index in indices}
    spans: dict[int, list[tuple[int, int, int]]] = {index: [] for index in indices}
    runs, ends = blocks.runs, defaultdict[int, int](int)  # element -> characters so far
    is_chosen = np.zeros(len(blocks), np.bool_)
    is_chosen[list(spans)] = True
    chosen, holds_any = is_chosen[runs.block], np.zeros(len(blocks.nodes), np.bool_)
    holds_any[runs.node[chosen]] = True
    near = np.flatnonzero(holds_any[runs.node])  # runs that can change a place
    discarded, numbers = list(reversed(runs.discarded)), near.tolist()
    chars = count_texts((), tuple(map(runs.texts.__getitem__, numbers)))["run_chars"]
    sizes = chars.astype(np.int64).tolist()
    for run, size, node, block in zip(
        numbers, sizes, runs.node[near].tolist(), runs.block[near].tolist(), strict=True
    ):
        while discarded and discarded[-1][0] <= run:
            _, other, discarded_size = discarded.pop()
            ends[other] += discarded_size
        start = ends[node]
        ends[node] = end = start + size
        if start < end and block in spans:
            _add(spans[block], (node, start, end))
    return {index: _pieces(blocks, index, block_spans) for index, block_spans in spans.items()}


def _add(spans: list[tuple[int, int, int]], span: tuple[int, int, int]) -> None:
    """Add a span (element, start, end), or lengthen the last one if it goes on from there."""
    node, start, end = span
    if spans and spans[-1][0] == node and spans[-1][2] == start:
        start = spans.pop()[1]
    spans.append((node, start, end))


def _pieces(blocks: Blocks, index: int, spans: Sequence[tuple[int, int, int]]) -> list[Piece]:
    """Spans as pieces; a path is whole where the element of a piece is not in the block's own."""
    own = int(blocks.node[index])
    return [Piece(_path(blocks, own, node), start, end) for node, start, end in spans]


def _path(blocks: Blocks, own: int, node: int) -> str:
    """The way from an element to another, "." for the same one."""
    return "." if node == own else blocks.xpath(node).removeprefix(f"{blocks.xpath(own)}/")


def words_at(tree: Any, block: Mapping[str, Any]) -> str:
    """The characters of a block, without white space, in a parsed page.

    `block` has `xpath` and `place` as in the JSON formats; `tree` is the page as `lxml` parsed it.
    Pieces that the tree does not have are left out: another parser may build another tree.
    """
    words = []
    for element in tree.xpath(block["xpath"]):
        for piece in block["place"]:
            text = "".join(visible("".join(element.xpath(f"{piece['path']}/text()"))).split())
            words.append(text[piece["start"] : piece["end"]])
    return "".join(words)
