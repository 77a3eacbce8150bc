"""Weigh the text in hidden elements, and find closed panels among the text of a page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

import numpy as np

from crfclean.core.table import Table
from crfclean.page.effects import BY_ID, Look, is_dialog, is_hidden, is_opened, look
from crfclean.types import Blocks, Bools, Document

MIN_PANELS = 2  # panels that look alike
MIN_HEADED = 0.5  # share of panels that look alike with a heading of their own; captions have none
NEAR = 5  # blocks after the last kept block, or after the last heading of a panel
MIN_WORDS = 40  # kept words of all panels together
MIN_CONTROLLED = 8  # of panels that all have a control: "Yes." is an aside there, too
MIN_SHARE = 0.05  # share of the page's kept words; panels with fewer are an aside
MIN_KEPT = 0.9  # share of the words in panels that is kept; of hidden menus and forms less is
CHARS_PER_WORD = 2  # the least, in all languages
_MAX_HEADING_CHARS = 150  # of the text above a panel
_CONTROLS = ("aria-expanded", "aria-selected", "data-toggle", "data-bs-toggle", "role")
"""Attributes that mark the control of a panel; of `role`, only "tab" does."""
_NAMING = ("aria-controls", "data-target", "data-bs-target", "href")
"""Attributes of a control that may name its panel by the id."""
_TOGGLES = frozenset(["collapse", "tab", "pill", "list"])
"""Values of `data-toggle` of controls; others open menus and dialogs."""
_MAX_NAMED = 20  # ids in an attribute that are read
_ROW_OF_TABS = re.compile(r"^tablist$|(?:^|\s)(?:nav-)?tabs(?=\s|$)|tab-(?:list|nav|bar)")


def hidden_blocks(blocks: Blocks, looks: AbstractSet[Look] | None = None) -> Bools:
    """Return a mask of the blocks in hidden elements, or in those of some looks, shape (n,)."""
    table, hidden = blocks.table, np.zeros(len(blocks), bool)
    places = [node for node, tag in enumerate(table.tags) if tag == "dialog"]
    for node in [*table.attributes.having(("hidden", "style")), *places]:
        tag, attributes = table.tags[node], table.attributes[node]
        if is_hidden(tag, attributes) and (looks is None or is_opened(tag, attributes, looks)):
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


def controlled_panels(document: Document) -> frozenset[Look]:
    """Return the looks, by id, of hidden elements that a control within the text opens.

    The control is a tab, or a button such as a question above its answer. It names the panel, so
    that one panel is enough, wherever it stands. Menus and dialogs have other controls.
    """
    kept, table = document.kept, document.blocks.table
    closed = {
        table.attributes[node].get("id", "")
        for node in table.hidden
        if node >= 0 and not is_dialog(table.tags[node], table.attributes[node])
    } - {""}
    if not kept or not closed:
        return frozenset()
    first, last, opened = kept[0], kept[-1] + NEAR, set[Look]()
    of_menu = table.within("nav")
    for node in table.attributes.having(_CONTROLS):
        block = int(table.first_block[node])
        panels = closed.intersection(_named_panels(table.attributes[node]))
        if panels and first <= block <= last and not of_menu[node] and _is_short(table, node):
            opened |= {(BY_ID, panel) for panel in panels}
            last = max(last, block + NEAR)
    return frozenset(opened)


def _named_panels(control: Mapping[str, str]) -> set[str]:
    """Return the ids of the elements that a control opens, none if it opens a menu or a dialog."""
    if control.get("role") != "tab" and control.keys().isdisjoint(_CONTROLS[:-1]):
        return set()
    toggle = control.get("data-toggle") or control.get("data-bs-toggle") or "tab"
    if toggle not in _TOGGLES or "aria-haspopup" in control:
        return set()
    values = (control.get(name) or "" for name in _NAMING)
    return {name.removeprefix("#") for value in values for name in value.split()[:_MAX_NAMED]}


def _is_short(table: Table, node: int) -> bool:
    """Return whether an element has a short text or none."""
    blocks = table.blocks_in(node)
    return sum(len(table.texts[block]) for block in blocks[:NEAR]) <= _MAX_HEADING_CHARS


def are_content(opened: Document, looks: AbstractSet[Look]) -> bool:
    """Return whether opened panels belong to the text of their page, by their kept words.

    The words of forms inside panels do not count as kept.
    """
    words, kept = opened.blocks.words, opened.tags.kept
    inside = hidden_blocks(opened.blocks, looks)
    panel_words = float(words[inside & kept & ~_in_inner_forms(opened.blocks, inside)].sum())
    are_controlled = all(first == BY_ID for first, *_ in looks)
    least = MIN_CONTROLLED if are_controlled else _least(float(words[kept].sum()))
    return panel_words >= max(least, MIN_KEPT * float(words[inside].sum()))


def _in_inner_forms(blocks: Blocks, inside: Bools) -> Bools:
    """Mark the blocks (n,) of forms all of whose blocks are `inside` panels (n,)."""
    table, marked = blocks.table, np.zeros(len(blocks), np.bool_)
    for node in np.flatnonzero(table.is_tag("form")).tolist():
        of_form = table.blocks_in(node)
        if of_form and inside[of_form.start] and inside[of_form].all():
            marked[of_form] = True
    return marked


def _least(kept_words: float) -> float:
    """Return the fewest words with which panels are part of a page's text."""
    return max(MIN_WORDS, MIN_SHARE * kept_words)
