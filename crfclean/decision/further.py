"""Find further whole articles below the article of a page, as sites add them while one scrolls."""

from __future__ import annotations

import numpy as np

from crfclean.core.table import Table
from crfclean.model.zones import main_heading
from crfclean.page.elements import held
from crfclean.types import Blocks, Bools

_LEAST = 40.0  # words of running text: with fewer, it is the teaser of an article
_HEAD = 3  # blocks at the beginning of an article in which its heading stands
_LINKED = 0.8  # share of a heading's characters in links


def further_articles(page: Blocks) -> Bools:
    """Mark the blocks (n,) of further articles: each begins with a heading that leads elsewhere.

    The heading of the first one leads nowhere. On listings, all headings are links; in threads,
    none is.
    """
    table, marked = page.table, np.zeros(len(page), np.bool_)
    outer = _articles(page)
    if len(outer) < 2:
        return marked
    main = main_heading(page)
    if main < 0 or _leads_elsewhere(table, main):
        return marked
    first = next((node for node in outer if table.end_block[node] > main), outer[-1])
    if _heading(table, first) not in (-1, main):
        return marked
    for node in outer:
        if node > first and _leads_elsewhere(table, _heading(table, node)):
            marked[table.blocks_in(node)] = True
    return marked


def _articles(page: Blocks) -> list[int]:
    """Return the elements that are articles with running text, without those inside others."""
    table = page.table
    if "article" not in table.tag_names:
        return []
    is_article = table.is_tag("article")
    if is_article.sum() < 2:  # as on most pages
        return []
    whole = np.flatnonzero(is_article & (held(page, table.running) >= _LEAST)).tolist()
    outer, end = list[int](), 0
    for node in whole:
        if node >= end:
            outer.append(node)
            end = int(table.end[node])
    return outer


def _heading(table: Table, node: int) -> int:
    """Return the block of the heading with which an element begins, -1 if it has none."""
    first = int(table.first_block[node])
    blocks = range(first, min(first + _HEAD, int(table.end_block[node])))
    return next((block for block in blocks if table.in_heading[block]), -1)


def _leads_elsewhere(table: Table, block: int) -> bool:
    """Return whether a block is a link to another page."""
    if block < 0 or table.link_chars[block] < _LINKED * table.chars[block]:
        return False
    node = int(table.node[block])
    inside = range(node, int(table.end[node]))
    around = table.around(node)
    links = [at for at in (*inside, *around) if table.tags[at] == "a"]
    return any(not table.attributes[at].get("href", "#").startswith("#") for at in links)
