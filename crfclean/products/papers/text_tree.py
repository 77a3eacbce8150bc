"""A page's elements and text nodes as one tree, in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from crfclean.page.chars import (
    SPACE,
    around,
    classify,
    ordinals_of,
    spelled_out,
    sums_inside,
)
from crfclean.page.measures import count_texts
from crfclean.types import (
    Blocks,
    Bools,
    Floats,
    Ints,
)


@dataclass(frozen=True)
class TextTree:
    """The N nodes of a page in document order: its m elements and its text nodes.

    `parent` is -1 for a root; the nodes inside node i are i + 1 to `end[i]` - 1. `element` is a
    node's index in the page's table of elements, -1 for a text node; `leaf` its index in `texts`,
    -1 for an element. `block` is the block of each text node; text nodes are never blank.
    """

    page: Blocks
    parent: Ints
    end: Ints
    element: Ints
    leaf: Ints
    texts: tuple[str, ...]
    block: Ints

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def leaves(self) -> Ints:
        """The text nodes, in order."""
        return np.flatnonzero(self.leaf >= 0)

    @cached_property
    def depth(self) -> Ints:
        """Number of elements around each node, shape (N,)."""
        return around(np.ones(len(self), np.bool_), self.end) - 1

    @cached_property
    def height(self) -> int:
        """Edges on the longest path from a root to a leaf."""
        return int(self.depth.max(initial=0))

    @cached_property
    def levels(self) -> list[Ints]:
        """The nodes of each depth, the roots first."""
        order = np.argsort(self.depth, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.depth, minlength=1))[:-1])

    def of_leaves(self, values: Floats) -> Floats:
        """Values of the text nodes (leaves,) as a column of all nodes, 0 for elements, (N,)."""
        column = np.zeros(len(self))
        column[self.leaves] = values
        return column

    def held(self, column: Floats) -> Floats:
        """Sum of a column over each node and all inside it, shape (N,)."""
        return sums_inside(column, self.end)

    @cached_property
    def chars(self) -> Floats:
        """Characters (no white space) of the text nodes at and inside each node, shape (N,)."""
        solid = np.concatenate([[0], np.cumsum(classify("".join(self.texts)) != SPACE)])
        ends = np.cumsum(np.array([len(text) for text in self.texts], np.int64))
        return self.held(self.of_leaves(np.diff(solid[ends], prepend=0).astype(np.float64)))

    @cached_property
    def words(self) -> Floats:
        """Words of each text node, shape (leaves,); see `Blocks.words`."""
        if not self.texts:
            return np.zeros(0)
        lines = tuple(text.replace("\n", " ") for text in self.texts)
        return count_texts(spelled_out(lines)).words

    @cached_property
    def in_link(self) -> Bools:
        """Mark each node that is an `a` or inside one, shape (N,)."""
        return around(self.is_link, self.end) > 0

    @cached_property
    def is_link(self) -> Bools:
        """Mark each node that is an `a`, shape (N,)."""
        tags = self.page.table.tags
        elements = self.element.tolist()
        return np.array([index >= 0 and tags[index] == "a" for index in elements], np.bool_)

    @cached_property
    def link_chars(self) -> Floats:
        """Characters of `chars` that are in links, shape (N,)."""
        leaves = self.leaf >= 0
        return self.held(np.where(leaves & self.in_link, self.chars, 0.0))

    def large_blocks(self, least: int) -> Bools:
        """Mark each block with `least` characters outside links, and fewer in links, (n,)."""
        inside, count = self.in_link[self.leaves], len(self.page)
        chars = self.chars[self.leaves]
        linked = np.bincount(self.block[inside], chars[inside], count)
        unlinked = np.bincount(self.block[~inside], chars[~inside], count)
        large: Bools = (unlinked >= least) & (unlinked > linked)
        return large

    @cached_property
    def has_text(self) -> Bools:
        """True if there is a text node at or inside each node, shape (N,)."""
        has_text: Bools = self.held((self.leaf >= 0).astype(np.float64)) > 0
        return has_text

    @cached_property
    def first_leaf(self) -> Ints:
        """Number of text nodes before each node, shape (N + 1,): bounds of `texts`."""
        return np.concatenate([[0], np.cumsum(self.leaf >= 0)])

    def bounds(self, node: int) -> tuple[int, int]:
        """The half-open range of `texts` at or inside a node."""
        return int(self.first_leaf[node]), int(self.first_leaf[self.end[node]])

    def xpath(self, node: int) -> str:
        """XPath of a node; a text node is counted among the non-blank ones of its element."""
        if self.leaf[node] < 0:
            return self.page.xpath(int(self.element[node]))
        above = int(self.parent[node])
        path = self.page.xpath(int(self.element[above])) if above >= 0 else ""
        return f"{path}/text()[normalize-space()][{int(self._ordinals[self.leaf[node]])}]"

    @cached_property
    def _ordinals(self) -> Ints:
        """1-based position of each text node among those of its element, shape (leaves,)."""
        return ordinals_of(self.parent[self.leaves]) + 1


def text_tree(blocks: Blocks) -> TextTree:
    """The tree of a page's elements and text nodes; linear in both.

    Runs of text with no element between them are one text node; blank runs are none.
    """
    table, texts = blocks.table, _text_nodes(blocks)
    count, size = len(table.parent), len(table.parent) + len(texts.texts)
    elements = np.arange(count) + np.searchsorted(texts.after, np.arange(count), "right")
    leaves = texts.after + np.arange(len(texts.texts))  # each follows `after` elements
    inside = np.concatenate([[0], np.cumsum(np.bincount(texts.node, minlength=count))])
    element, leaf = np.full(size, -1, np.int64), np.full(size, -1, np.int64)
    parent, end = np.full(size, -1, np.int64), np.arange(1, size + 1)
    element[elements], leaf[leaves] = np.arange(count), np.arange(len(texts.texts))
    above = table.parent.astype(np.int64)
    parent[elements] = np.where(above >= 0, elements[above], -1)
    parent[leaves] = elements[texts.node]
    held = table.end - np.arange(count) + inside[table.end] - inside[:count]
    end[elements] = elements + held
    return TextTree(blocks, parent, end, element, leaf, texts.texts, texts.block)


class _TextNodes(NamedTuple):
    """Columns of the text nodes: text, parent element, number of elements before it, block."""

    texts: tuple[str, ...]
    node: Ints
    after: Ints
    block: Ints


def _text_nodes(blocks: Blocks) -> _TextNodes:
    """The page's runs as text nodes: adjacent runs are joined, blank nodes left out.

    A blank node still separates words: the text node before it in its block gets a space.
    """
    table = blocks.table
    if not len(table.run_texts) or not len(table.parent):
        nothing = np.zeros(0, np.int64)
        return _TextNodes((), nothing, nothing, nothing)
    keys = np.stack([table.run_node, table.run_after, table.run_block])
    begins = np.flatnonzero(np.concatenate([[True], (np.diff(keys) != 0).any(axis=0)]))
    bounds = pairwise([*begins.tolist(), len(table.run_texts)])
    joined = ["".join(table.run_texts[first:last]) for first, last in bounds]
    solid = np.array([not text.isspace() for text in joined], np.bool_)
    for place in np.flatnonzero(~solid[1:] & solid[:-1]).tolist():
        if keys[2, begins[place]] == keys[2, begins[place + 1]]:
            joined[place] += " "
    node, after, block = keys.astype(np.int64)[:, begins[solid]]
    texts = tuple(text for text, kept in zip(joined, solid.tolist(), strict=True) if kept)
    return _TextNodes(texts, node, after, block)


def cover(tree: TextTree, coherent: Bools) -> Iterator[int]:
    """The highest `coherent` nodes (N,) that hold text; text nodes are always coherent.

    They do not overlap and together hold every text node.
    """
    node, size = 0, len(tree)
    while node < size:
        if tree.has_text[node] and (coherent[node] or tree.leaf[node] >= 0):
            yield node
            node = int(tree.end[node])
        else:
            node += 1
