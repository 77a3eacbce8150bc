"""Divide blocks at line breaks, pictures and inline boxes."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from crfclean.types import Blocks, Ints

_BREAKS = frozenset(
    "br hr img svg picture video audio canvas iframe embed object button input select textarea "
    "meter progress math wbr".split()
)
_BOX_STYLE = re.compile(r"(?<![\w-])display\s*:\s*(?:inline-|block|flex|grid|table)", re.IGNORECASE)
_BOXES = frozenset(["button", "rt", "rp", "math"])


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines in page order, each with its block and its first character in the block's text."""

    texts: list[str]
    blocks: list[int]
    starts: list[int]

    def place(self, block: int, index: int) -> tuple[int, int]:
        """Return the line of a character of a block, and its index in the line."""
        first, last = bisect_left(self.blocks, block), bisect_right(self.blocks, block)
        line = bisect_right(self.starts, index, first, last) - 1
        return line, index - self.starts[line]


def lines_of(blocks: Blocks) -> Lines:
    """Return the lines of a page's blocks, in linear time."""
    breaks = _breaks(blocks)
    texts, owners, starts = [], [], []
    for block, text in enumerate(blocks.texts):
        edges = (
            [0, *_indices(text, breaks[block]), len(text)] if block in breaks else [0, len(text)]
        )
        for start, end in pairwise(edges):
            if start < end or not text:
                texts.append(text[start:end])
                owners.append(block)
                starts.append(start)
    return Lines(texts, owners, starts)


def _breaks(blocks: Blocks) -> dict[int, list[int]]:
    """Return for each divided block the characters before each break, without white space."""
    table = blocks.table
    is_break = np.array([tag in _BREAKS for tag in table.tags], np.bool_)
    breaks_before = np.concatenate([[0], np.cumsum(is_break)])
    boxes = _boxes(blocks)[table.run_node]
    after = breaks_before[table.run_after]
    breaks: defaultdict[int, list[int]] = defaultdict(list)
    last, size = -1, 0
    for run, block in enumerate(table.run_block.tolist()):
        if block < 0:
            continue
        if block != last:
            size = 0
        elif after[run] != after[run - 1] or boxes[run] != boxes[run - 1]:
            breaks[block].append(size)
        size += len("".join(table.run_texts[run].split()))
        last = block
    return dict(breaks)


def _boxes(blocks: Blocks) -> Ints:
    """Return for each element the nearest box at or around it, -1 for none; shape (m,)."""
    table = blocks.table
    boxes: list[int] = []
    for node, (tag, parent) in enumerate(zip(table.tags, table.parent.tolist(), strict=True)):
        style = table.attributes[node].get("style", "")
        is_box = tag in _BOXES or bool(style and _BOX_STYLE.search(style))
        boxes.append(node if is_box else boxes[parent] if parent >= 0 else -1)
    return np.array(boxes, np.int64)


def _indices(text: str, sizes: list[int]) -> list[int]:
    """Return the indices of a text before which it has these sizes, without white space."""
    solid = np.cumsum([not char.isspace() for char in text])
    indices = np.searchsorted(solid, np.array(sizes), "right")
    return sorted({int(index) for index in indices if 0 < index < len(text)})
