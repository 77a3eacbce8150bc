"""`Blocks` -> where on the page the words of each block stand, and back from there to the words.

A place is a list of pieces (`path`, `start`, `end`) in page order. `path` is an XPath that leads
from the block's element (`Block.xpath`) to the element that holds the piece, "." for its own;
the piece is the characters from `start` to `end` (half-open) of that element's own text: its text
nodes, without those of elements inside it, joined, white space left out. So neither scripts and
hidden elements nor comments and white space, which parsers treat unlike, change a place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from crfclean.types import Blocks


class Piece(NamedTuple):
    """A piece of a block's text; see above."""

    path: str
    start: int
    end: int


def places(blocks: Blocks, wanted: Iterable[int]) -> dict[int, list[Piece]]:
    """Index of a block -> the pieces of its text; linear in the page."""
    found: dict[int, list[tuple[int, int, int]]] = {index: [] for index in wanted}
    runs, said = blocks.runs, Counter[int]()
    held = np.isin(runs.block, list(found))
    near = np.flatnonzero(np.isin(runs.node, runs.node[held]))  # what can change a place
    discarded = list(reversed(runs.discarded))
    for run, node, block in zip(
        near.tolist(), runs.node[near].tolist(), runs.block[near].tolist(), strict=True
    ):
        while discarded and discarded[-1][0] <= run:
            _, other, size = discarded.pop()
            said[other] += size
        start = said[node]
        said[node] = end = start + len("".join(runs.texts[run].split()))
        if block in found and start < end:
            _add(found[block], (node, start, end))
    return {index: _named(blocks, index, pieces) for index, pieces in found.items()}


def _add(pieces: list[tuple[int, int, int]], piece: tuple[int, int, int]) -> None:
    """Add a piece, or lengthen the last one that it goes on."""
    node, start, end = piece
    if pieces and pieces[-1][0] == node and pieces[-1][2] == start:
        start = pieces.pop()[1]
    pieces.append((node, start, end))


def _named(blocks: Blocks, index: int, pieces: Sequence[tuple[int, int, int]]) -> list[Piece]:
    own = blocks.xpath(int(blocks.node[index]))
    return [Piece(_path(blocks.xpath(node), own), start, end) for node, start, end in pieces]


def _path(path: str, own: str) -> str:
    """An element's XPath from another one's; as it is where the other is not around it."""
    if path == own:
        return "."
    return path.removeprefix(f"{own}/")


def words_at(tree: Any, block: Mapping[str, Any]) -> str:
    """The characters of a block, without white space, in a parsed page.

    `block` has `xpath` and `place` as the JSON formats give them; `tree` is the page as `lxml`
    parsed it. What the tree has not is left out: a parser may build another one.
    """
    words = []
    for element in tree.xpath(block["xpath"]):
        for piece in block["place"]:
            own = "".join("".join(element.xpath(f"{piece['path']}/text()")).split())
            words.append(own[piece["start"] : piece["end"]])
    return "".join(words)
