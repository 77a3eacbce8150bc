"""Find the buttons that stand inside a line of text, as browsers draw all of them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from crfclean.core.read import ROOT
from crfclean.core.table import Table
from crfclean.page.effects import SPLIT

_BUTTON = "button"


def buttons_in_text(table: Table) -> frozenset[int]:
    """Return the elements `button` with text of the same line before and after.

    A citation or a word that opens a note may be a button: "(<button>Moor, 2008</button>, p. 128)".
    Other buttons are controls, and stay blocks of their own.
    """
    if _BUTTON not in table.tag_names:
        return frozenset()
    nodes = np.flatnonzero(table.tag == table.tag_names.index(_BUTTON))
    has_block = table.end_block[nodes] == table.first_block[nodes] + 1
    nodes = nodes[(table.actions[nodes] > 0) & has_block]
    return frozenset(node for group in _groups(table, nodes.tolist()) for node in group)


def _groups(table: Table, nodes: list[int]) -> Iterator[list[int]]:
    """Yield the groups of buttons that touch, each with a block, with text of a line around."""
    group: list[int] = []
    for node in [*nodes, -1]:
        if group and (node < 0 or table.first_block[node] != table.first_block[group[-1]] + 1):
            if _is_in_line(table, group):
                yield group
            group = []
        group.append(node)


def _is_in_line(table: Table, group: list[int]) -> bool:
    before, after = table.first_block[group[0]] - 1, table.end_block[group[-1]]
    if before < 0 or after >= len(table.node) or table.node[before] != table.node[after]:
        return False
    if (table.split[before + 1 : after + 1] != SPLIT["block"]).any():
        return False
    if not all(_boundary_around(table, node) == table.node[before] for node in group):
        return False
    return _has_words(table, int(before)) or _has_words(table, int(after))


def _has_words(table: Table, block: int) -> bool:
    """Return whether a block has letters outside links, or marks alone, as between citations.

    In a menu, a button stands among links; beside a story, among its numbers of readers.
    """
    first, end = table.run_block.searchsorted([block, block + 1]).tolist()
    texts = table.run_texts
    worded = [run for run in range(first, end) if any(map(str.isalnum, texts[run]))]
    return not worded or any(
        any(map(str.isalpha, texts[run])) and not _is_linked(table, int(table.run_node[run]))
        for run in worded
    )


def _is_linked(table: Table, node: int) -> bool:
    while node >= 0 and table.actions[node] <= 0 and table.tag_names[table.tag[node]] != "a":
        node = table.parent[node]
    return node >= 0 and table.tag_names[table.tag[node]] == "a"


def _boundary_around(table: Table, node: int) -> int:
    """Return the lowest block-level element around an element, -1 for none."""
    node = table.parent[node]
    while node >= 0 and table.actions[node] <= 0 and table.actions[node] != ROOT:
        node = table.parent[node]
    return int(node)
