"""Find the rows of a page that have an amount and its name in boxes of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain

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
_MAX_ANCESTORS = 8  # up to the row: libraries put boxes in boxes
_MAX_CHARS = 100  # of a name that stands in no row of its own


def continued(blocks: Blocks, indices: Sequence[int]) -> frozenset[int]:
    """Return the blocks that stand on the line of the block before: "grams flour" after "98"."""
    texts, found, kept = blocks.texts, set[int](), frozenset(indices)
    for start in [index for index in indices if _AMOUNT.fullmatch(texts[index])]:
        line, index = texts[start], start + 1
        while index in kept and _is_amount(line, index - start) and start not in found:
            if not (_WORD.search(texts[index]) and _in_row(blocks, start, index)):
                break
            found.add(index)
            line, index = f"{line} {texts[index]}", index + 1
    return frozenset(found)


def _is_amount(line: str, parts: int) -> bool:
    """Return whether a line has no name yet: "2 cups" of any parts, "1 Discovery" of one."""
    has_name = parts > 1 and line.rsplit(maxsplit=1)[-1].istitle()
    return bool(_AMOUNT.fullmatch(line)) and not has_name


def _in_row(blocks: Blocks, start: int, index: int) -> bool:
    """Return whether a block continues the row that begins with an amount.

    The parts look different: `<p class="amount">98</p><p class="name">grams flour</p>`. A long
    one needs an element of its own around the row. A row of a table must be an amount and its name:
    rankings keep a line for each cell.
    """
    nodes = blocks.nodes
    before, after = (_around(nodes, int(blocks.node[at])) for at in (index - 1, index))
    row = next((node for node in before if node in after), -1)
    if row < 0:
        return False
    boxes = before[: before.index(row)], after[: after.index(row)]
    if any(nodes.tags[node] in _APART or node in blocks.code for node in chain(*boxes)):
        return False
    begin, end = int(nodes.first_block[row]), int(nodes.end_block[row])
    if nodes.tags[row] == "tr":
        parts = blocks.texts[begin : min(end - 1, begin + _MAX_BLOCKS)]
        return len(parts) < _MAX_BLOCKS and _is_amount(" ".join(parts), len(parts))
    looks = [_look(nodes, inside) for inside in boxes]
    if end <= begin + _MAX_BLOCKS:  # not "2 years" between a cookie's name and its purpose
        return looks[0] != looks[1] and begin == start
    is_short = len(blocks.texts[index]) <= _MAX_CHARS and None not in looks
    return is_short and looks[0] != looks[1]


def _around(nodes: Nodes, node: int) -> list[int]:
    """Return an element and the innermost elements around it, from the inside out."""
    around = [node]
    while len(around) < _MAX_ANCESTORS and (node := int(nodes.parent[node])) >= 0:
        around.append(node)
    return around


def _look(nodes: Nodes, boxes: Sequence[int]) -> tuple[str, str | None] | None:
    """Return tag and class of the last, outermost box, None if it has several blocks."""
    if not boxes:
        return "", None
    is_single = nodes.end_block[boxes[-1]] - nodes.first_block[boxes[-1]] == 1
    return (nodes.tags[boxes[-1]], nodes.attributes[boxes[-1]].get("class")) if is_single else None
