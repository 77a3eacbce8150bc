"""Find boxes of keys and values, such as the card of a person or the specification of a product."""

from __future__ import annotations

import numpy as np

from crfclean.page.data_tables import text_tables
from crfclean.types import Blocks, Bools, Floats

_LEAST, _MOST = 4, 400  # blocks of a box; words
_CELL = 20.0  # mean words of a block: a list of questions has longer answers
_SENTENCES = 0.2  # share of the blocks that have an end of sentence: of comments in rows, half had
_EVEN = 0.5


def boxes(page: Blocks) -> list[range]:
    """Return the blocks of each box of keys and values, without those inside others.

    A box is a table of data whose rows have at most two cells, or a list of definitions.
    """
    table, found, end = page.table, list[range](), 0
    nodes = {*_two_columns(page), *np.flatnonzero(table.is_tag("dl")).tolist()}
    for node in sorted(nodes):
        blocks = table.blocks_in(node)
        words = float(page.words[blocks].sum())
        sentences = float((table.sentence_ends[blocks] > 0).mean()) if blocks else 0.0
        fits = len(blocks) >= _LEAST and words <= min(_MOST, _CELL * len(blocks))
        if node >= end and fits and sentences <= _SENTENCES:
            found.append(blocks)
            end = int(table.end[node])
    return found


def _two_columns(page: Blocks) -> list[int]:
    """Return the tables of data most of whose rows have two cells, and none has more."""
    table = page.table
    tables = np.flatnonzero(table.is_tag("table")).tolist()
    if not tables:
        return tables
    rows = np.flatnonzero(table.is_tag("tr"))
    cells = np.bincount(table.parent[table.is_tag("td", "th")], minlength=len(table.parent))[rows]
    pairs = list[int]()
    for node in tables:
        first, behind = rows.searchsorted([node, table.end[node]]).tolist()
        inside = cells[first:behind]
        if len(inside) and inside.max() <= 2 and (inside == 2).mean() >= _EVEN:
            pairs.append(node)
    return sorted({*pairs}.intersection(text_tables(page))) if pairs else pairs


def shared(page: Blocks, probability: Floats, kept: Bools) -> tuple[Bools, Floats] | None:
    """Give the blocks of each partly kept box their mean probability by words.

    If the first row of a table is kept, it is that of this row: below the head "Service provider |
    Privacy policy" of .79 and .51, cells had .29 to .48. The result is a mask and values, (n,)
    each; None if the page has no such box.
    """
    if not page.table.is_tag("table", "dl").any():
        return None
    inside = kept[page.table.within("table", "dl")[page.node] > 0]
    if inside.all() or not inside.any():
        return None
    in_box, values = np.zeros(len(page), np.bool_), probability.copy()
    rows = page.table.nearest(page.table.is_tag("tr"))[page.node]
    for blocks in boxes(page):
        if kept[blocks].any() and not kept[blocks].all():
            row = rows[blocks]  # none, -1, in a list of definitions
            first = blocks[: int(((row == row[0]) & (row >= 0)).sum())]
            telling = first if len(first) > 1 and kept[first].all() else blocks
            weights = page.words[telling] + 0.1
            values[blocks] = float(weights @ probability[telling] / weights.sum())
            in_box[blocks] = True
    return (in_box, values) if in_box.any() else None
