"""Weigh the text in hidden elements, and find closed panels among the text of a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from crfclean.page.arrays import having
from crfclean.page.elements import Look, is_hidden, look
from crfclean.page.measures import measured
from crfclean.types import Blocks, Bools, Document, Label

MIN_PANELS = 2  # that look alike
MIN_HEADED = 0.5  # of the panels that look alike have a heading of their own; captions have none
NEAR = 5  # blocks after the last one that is kept, or after the last heading of a panel
MIN_WORDS = 40  # of all panels together that are kept
MIN_SHARE = 0.05  # of the words that are kept of the page: less is an aside
MIN_KEPT = 0.9  # of the words in panels; the model keeps fewer of hidden menus and forms
_CHARS_PER_WORD = 2  # at least, in all languages
_MAX_PLACEHOLDER_CHARS = 60
_ELLIPSES = ("…", "...")
_MAX_HEADING_CHARS = 150  # of the text above a panel


def hidden_blocks(blocks: Blocks, looks: AbstractSet[Look] | None = None) -> Bools:
    """The blocks in elements that are hidden, or in those with one of some looks, shape (n,)."""
    nodes, hidden = blocks.nodes, np.zeros(len(blocks), bool)
    places = [node for node, tag in enumerate(nodes.tags) if tag == "dialog"]
    for node in [*having(nodes.attributes, ("hidden", "style")), *places]:
        tag, attributes = nodes.tags[node], nodes.attributes[node]
        if is_hidden(tag, attributes) and (looks is None or look(tag, attributes) in looks):
            hidden[nodes.first_block[node] : nodes.end_block[node]] = True
    return hidden


def without_placeholders(document: Document) -> Document:
    """A document that is read from hidden elements, without the visible "Loading results…"."""
    labels, hidden = document.tags.labels.copy(), hidden_blocks(document.blocks)
    for block in np.flatnonzero(document.tags.kept & ~hidden).tolist():
        text = document.blocks.texts[block]
        if len(text) <= _MAX_PLACEHOLDER_CHARS and text.endswith(_ELLIPSES):
            labels[block] = Label.OTHER
    return replace(document, tags=replace(document.tags, labels=labels))


def closed_panels(document: Document) -> frozenset[Look]:
    """The looks of hidden elements that may be panels of a page's text.

    Each stands below a short text in the same parent, which the reader clicks: a question above its
    answer. Several look alike and stand among the kept blocks; menus stand before them.
    """
    kept = document.kept
    if not kept:
        return frozenset()
    first, last = kept[0], kept[-1] + NEAR
    least = _CHARS_PER_WORD * _least(float(measured(document.blocks).words[kept].sum()))
    panels: dict[Look, list[int]] = defaultdict(list)
    headings: dict[Look, set[str]] = defaultdict(set)  # texts: "Show the caption" heads nothing
    for panel, chars, heading in _closed(document.blocks):
        panels[panel].append(chars)
        if first <= heading <= last:
            headings[panel].add(document.blocks.texts[heading])
            last = max(last, heading + NEAR)
    return frozenset(
        panel
        for panel, above in headings.items()
        if len(above) >= max(MIN_PANELS, MIN_HEADED * len(panels[panel]))
        and sum(panels[panel]) >= least
    )


def _closed(blocks: Blocks) -> Iterator[tuple[Look, int, int]]:
    """Each hidden element's look, its characters, and the index of the text above it, or -1."""
    nodes = blocks.nodes
    for node, chars in blocks.hidden.items():
        if node >= 0:
            heading = int(nodes.first_block[node]) - 1
            headed = (
                heading >= 0
                and nodes.parent[node] <= blocks.node[heading] < node
                and len(blocks.texts[heading]) <= _MAX_HEADING_CHARS
            )
            yield look(nodes.tags[node], nodes.attributes[node]), chars, heading if headed else -1


def are_content(opened: Document, looks: AbstractSet[Look]) -> bool:
    """Whether panels that were opened belong to the text of their page, by weight."""
    words, kept = measured(opened.blocks).words, opened.tags.kept
    inside = hidden_blocks(opened.blocks, looks)
    panel_words = float(words[inside & kept].sum())
    least = _least(float(words[kept].sum()))
    return panel_words >= max(least, MIN_KEPT * float(words[inside].sum()))


def _least(kept_words: float) -> float:
    """The words from which on panels are part of a page's text."""
    return max(MIN_WORDS, MIN_SHARE * kept_words)
