"""Locate the words of each block in the page's elements, and read them back.

A place is a list of pieces (`path`, `start`, `end`) in page order. `path` is an XPath that leads
from the block's element (`Block.xpath`) to the element that holds the piece, "." for the same one.
The piece is the characters from `start` to `end` (half-open) of that element's text: its text
nodes, without those of elements inside it, joined, without white space and control characters. So a
place does not depend on scripts, hidden elements, comments and white space, which parsers treat
differently.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crfclean.page.controls import visible
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
    runs, ends = blocks.runs, Counter[int]()  # element -> characters of its text so far
    chosen = np.isin(runs.block, list(spans))
    near = np.flatnonzero(np.isin(runs.node, runs.node[chosen]))  # runs that can change a place
    discarded = list(reversed(runs.discarded))
    for run, node, block in zip(
        near.tolist(), runs.node[near].tolist(), runs.block[near].tolist(), strict=True
    ):
        while discarded and discarded[-1][0] <= run:
            _, other, size = discarded.pop()
            ends[other] += size
        start = ends[node]
        ends[node] = end = start + len("".join(runs.texts[run].split()))
        if block in spans and start < end:
            _add(spans[block], (node, start, end))
    return {index: _pieces(blocks, index, block_spans) for index, block_spans in spans.items()}


def _add(spans: list[tuple[int, int, int]], span: tuple[int, int, int]) -> None:
    """Add a span (element, start, end), or lengthen the last one if it goes on from there."""
    node, start, end = span
    if spans and spans[-1][0] == node and spans[-1][2] == start:
        start = spans.pop()[1]
    spans.append((node, start, end))


def _pieces(blocks: Blocks, index: int, spans: Sequence[tuple[int, int, int]]) -> list[Piece]:
    own = int(blocks.node[index])
    return [Piece(_path(blocks, node, own), start, end) for node, start, end in spans]


def _path(blocks: Blocks, node: int, own: int) -> str:
    """An element's XPath relative to a block's own element, whole where that is not around it."""
    if node == own:
        return "."
    return blocks.xpath(node).removeprefix(f"{blocks.xpath(own)}/")


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
