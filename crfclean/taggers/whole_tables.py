"""Pool the probabilities of a data table's cells, so that a likely table is kept as one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from crfclean.page.data_tables import text_tables
from crfclean.page.measures import Measures, once
from crfclean.page.tree import link_words
from crfclean.taggers.decision import log_odds
from crfclean.types import Floats, Ints, Label, Reason

POOLED_REASON = "whole.table"
"""The name of the reason that a block's probability is that of its table."""

_MAX_LINKED = 0.3  # of a table's words: one of links may be a menu beside a table's data
_UNLIKELY, _LIKELY = 0.1, 0.9  # probabilities of cells that clearly differ
_LEAST = 0.5  # probability of a table: of less likely ones, pooling would drop likely cells
_MAX_SHARE = 0.2  # of a table's words in each of two kinds of cells: with more, no one decides
BOUNDS = (_UNLIKELY, _LIKELY, _LEAST, _MAX_SHARE)
"""The same for the core, which pools as `pool` does."""


@once
def tables(page: Measures) -> Ints:
    """The innermost data table of several blocks around each block, -1 for none; shape (n,).

    A table with another one in it is no unit itself, and neither is one of links.
    """
    table, of_data = np.empty(len(page), np.int64), text_tables(page)
    table.fill(-1)
    if not of_data:
        return table
    nodes, words, linked = page.blocks.nodes, page.words, link_words(page)
    for node in sorted(of_data, reverse=True):
        inside = slice(int(nodes.first_block[node]), int(nodes.end_block[node]))
        is_free = inside.stop - inside.start > 1 and (table[inside] < 0).all()
        if is_free and linked[inside].sum() <= _MAX_LINKED * words[inside].sum():
            table[inside] = node
    return table


def pool(marginals: Floats, words: Floats, tables: Ints) -> Floats:
    """Marginals (n, 3) with the mean probability of OTHER in each table, weighted by words (n,).

    `tables` (n,) are numbers, -1 for a block in none. HEADER and TEXT keep their ratio. A table
    that is unlikely as a whole, or of which parts clearly differ, some words unlikely and some
    likely to be kept, is left as it is.
    """
    if not (tables >= 0).any():
        return marginals
    pooled = marginals.copy()
    bounds = [0, *(np.flatnonzero(np.diff(tables)) + 1).tolist(), len(tables)]
    for start, end in pairwise(bounds):  # the blocks of a table follow each other
        if start == end or tables[start] < 0:
            continue
        inside = slice(start, end)
        weights, kept = words[inside], 1.0 - marginals[inside, Label.OTHER]
        total = float(weights.sum())
        shares = [float(weights[mask].sum()) for mask in (kept < _UNLIKELY, kept > _LIKELY)]
        if not total or min(shares) > _MAX_SHARE * total:
            continue
        mean = float((weights * kept).sum()) / total
        if mean < _LEAST:
            continue
        ratio = np.where(kept > 0, mean / np.maximum(kept, 1e-12), 0.0)
        pooled[inside] = marginals[inside] * ratio[:, None]
        pooled[inside, Label.OTHER] = 1.0 - mean
        pooled[inside, Label.TEXT] += np.where(kept > 0, 0.0, mean)
    return pooled


def with_pooled(
    page: Measures, marginals: Floats, reasons: Sequence[list[Reason]]
) -> list[list[Reason]]:
    """Reasons of a page's blocks, before them the table's for the blocks that it has changed.

    Its value is the table's probability, its weight the change of the block's log-odds.
    """
    if not len(page):
        return []
    before = 1.0 - marginals[:, Label.OTHER]
    after = 1.0 - pool(marginals, page.words, tables(page))[:, Label.OTHER]
    changes = log_odds(after) - log_odds(before)
    return [
        [Reason(POOLED_REASON, float(value), float(change)), *own] if change else own
        for value, change, own in zip(after, changes, reasons, strict=True)
    ]
