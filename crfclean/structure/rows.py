"""Find the rows of a page that have an amount and its name in boxes of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from crfclean.page.tree import HEADINGS
from crfclean.types import Blocks, Nodes

_NUMBER = r"(?:\d{1,4}(?:[.,]\d{1,3})?|(?:\d{1,2}\s?)?(?:[¼½¾⅐-⅞]|\d[/⁄]\d{1,2}))"
# "98", "1 1/2 cups", "2-3 tbsp.", "1 Prise(n)", but not "05/17/2022", "3 min read"
_AMOUNT = re.compile(
    rf"{_NUMBER}(?:\s?[–-]\s?{_NUMBER})?(?:\s?[^\W\d_][^\W\d_.()]{{0,9}}(?:\.|\(\w\w?\))?)?"
)
_WORD = re.compile(r"[^\W\d_]{2}")
_APART = frozenset([*HEADINGS, *"li ul ol table blockquote pre figcaption caption".split()])
_MAX_BLOCKS = 4  # of a row: amount, unit, name, note
_MAX_CHARS = 100  # of a name that stands in no row of its own


def continued(blocks: Blocks, indices: Sequence[int]) -> frozenset[int]:
    """Return the blocks that stand on the line of the block before: "grams flour" after "98"."""
    found, line = set[int](), ""
    for before, index in pairwise([-2, *indices]):
        text = blocks.texts[index]
        goes_on = index == before + 1 and _AMOUNT.fullmatch(line) and _WORD.search(text)
        if goes_on and _in_row(blocks, index):
            found.add(index)
            line += f" {text}"
        else:
            line = text
    return frozenset(found)


def _in_row(blocks: Blocks, index: int) -> bool:
    """Return whether a block and the one before are parts of a row.

    The parts look different: `<p class="amount">98</p><p class="name">grams flour</p>`. A long
    one needs an element of its own around the two. A row of a table must be an amount and its name:
    rankings keep a line for each cell.
    """
    nodes, node, before = blocks.nodes, int(blocks.node[index]), int(blocks.node[index - 1])
    row = before
    while row >= 0 and not row <= node < nodes.end[row]:
        row = int(nodes.parent[row])
    if row < 0 or _stands_apart(blocks, node, row) or _stands_apart(blocks, before, row):
        return False
    begin, end = int(nodes.first_block[row]), int(nodes.end_block[row])
    if nodes.tags[row] == "tr":
        parts = " ".join(blocks.texts[begin : end - 1])
        return end <= begin + _MAX_BLOCKS and bool(_AMOUNT.fullmatch(parts))
    looks = _look(nodes, before, row), _look(nodes, node, row)
    is_short = len(blocks.texts[index]) <= _MAX_CHARS and None not in looks
    return looks[0] != looks[1] and (is_short or end <= begin + _MAX_BLOCKS)


def _look(nodes: Nodes, node: int, row: int) -> tuple[str, str | None] | None:
    """Return tag and class of a box in a row, None if it has several blocks."""
    box = node
    while box > row and nodes.parent[box] != row:
        box = int(nodes.parent[box])
    if box == row:
        return "", None
    is_single = nodes.end_block[box] - nodes.first_block[box] == 1
    return (nodes.tags[box], nodes.attributes[box].get("class")) if is_single else None


def _stands_apart(blocks: Blocks, node: int, row: int) -> bool:
    """Return whether a part of a row is code, an item, a heading or the like."""
    while node > row:
        if blocks.nodes.tags[node] in _APART or node in blocks.code:
            return True
        node = int(blocks.nodes.parent[node])
    return False
