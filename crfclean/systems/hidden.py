"""Weigh the text in hidden elements, and find closed panels among the text of a page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

import numpy as np

from crfclean.core.table import Table
from crfclean.page.effects import Look, is_hidden, look
from crfclean.types import Blocks, Bools, Document

MIN_PANELS = 2  # panels that look alike
MIN_HEADED = 0.5  # share of panels that look alike with a heading of their own; captions have none
NEAR = 5  # blocks after the last kept block, or after the last heading of a panel
MIN_WORDS = 40  # kept words of all panels together
MIN_SHARE = 0.05  # share of the page's kept words; panels with fewer are an aside
MIN_KEPT = 0.9  # share of the words in panels that is kept; of hidden menus and forms less is
CHARS_PER_WORD = 2  # the least, in all languages
_MAX_HEADING_CHARS = 150  # of the text above a panel
_ROW_OF_TABS = re.compile(r"^tablist$|(?:^|\s)(?:nav-)?tabs(?=\s|$)|tab-(?:list|nav|bar)")


def hidden_blocks(blocks: Blocks, looks: AbstractSet[Look] | None = None) -> Bools:
    """Return a mask of the blocks in hidden elements, or in those of some looks, shape (n,)."""
    table, hidden = blocks.table, np.zeros(len(blocks), bool)
    places = [node for node, tag in enumerate(table.tags) if tag == "dialog"]
    for node in [*table.attributes.having(("hidden", "style")), *places]:
        tag, attributes = table.tags[node], table.attributes[node]
        if is_hidden(tag, attributes) and (looks is None or look(tag, attributes) in looks):
            hidden[table.blocks_in(node)] = True
    return hidden


def closed_panels(document: Document) -> frozenset[Look]:
    """Return the looks of hidden elements that may be panels of a page's text.

    A panel stands below a short text in the same parent that the reader clicks, as an answer stands
    below its question, or behind a row of tabs. Several panels look alike and stand among the kept
    blocks; menus stand before these blocks.
    """
    kept = document.kept
    if not kept:
        return frozenset()
    first, last = kept[0], kept[-1] + NEAR
    least = CHARS_PER_WORD * _least(float(document.blocks.words[kept].sum()))
    panels: dict[Look, list[int]] = defaultdict(list)
    headings: dict[Look, set[str]] = defaultdict(set)  # distinct: "Show the caption" is no heading
    for panel, chars, heading, names in _closed(document.blocks):
        panels[panel].append(chars)
        if first <= heading <= last:
            headings[panel] |= names
            last = max(last, heading + NEAR)
    return frozenset(
        panel
        for panel, above in headings.items()
        if len(above) >= max(MIN_PANELS, MIN_HEADED * len(panels[panel]))
        and sum(panels[panel]) >= least
    )


def _closed(blocks: Blocks) -> Iterator[tuple[Look, int, int, set[str]]]:
    """Yield the look, the characters, the heading and its texts of each hidden element.

    The heading is a block, or -1. A panel of tabs has two texts, since one of its row is open.
    """
    table = blocks.table
    if not any(node >= 0 for node in blocks.table.hidden):
        return
    of_parent = _rows_of_tabs(table, [node for node in blocks.table.hidden if node >= 0])
    for node, chars in blocks.table.hidden.items():
        if node >= 0:
            row = of_parent.get(int(table.parent[node]), node)
            heading = int(table.first_block[row]) - (row == node)
            headed = row < node or (
                heading >= 0
                and table.parent[node] <= blocks.node[heading] < node
                and len(blocks.texts[heading]) <= _MAX_HEADING_CHARS
            )
            names = {"", str(node)} if row < node else {blocks.texts[heading]} if headed else set()
            panel = look(table.tags[node], table.attributes[node])
            yield panel, chars, heading if headed else -1, names


def _rows_of_tabs(table: Table, panels: list[int]) -> dict[int, int]:
    """Return the first row of tabs beside each of some elements, by their parent."""
    is_parent = np.zeros(len(table.parent), np.bool_)
    is_parent[table.parent[panels]] = True
    beside = np.flatnonzero(is_parent[table.parent]).tolist()
    rows = dict[int, int]()
    for node in beside:
        attributes = table.attributes[node]
        names = (attributes.get("role", ""), attributes.get("class", ""))
        if table.tags[node] != "a" and any(map(_ROW_OF_TABS.search, names)):
            rows.setdefault(int(table.parent[node]), node)
    return rows


def are_content(opened: Document, looks: AbstractSet[Look]) -> bool:
    """Return whether opened panels belong to the text of their page, by their kept words."""
    words, kept = opened.blocks.words, opened.tags.kept
    inside = hidden_blocks(opened.blocks, looks)
    panel_words = float(words[inside & kept].sum())
    least = _least(float(words[kept].sum()))
    return panel_words >= max(least, MIN_KEPT * float(words[inside].sum()))


def _least(kept_words: float) -> float:
    """Return the fewest words with which panels are part of a page's text."""
    return max(MIN_WORDS, MIN_SHARE * kept_words)
