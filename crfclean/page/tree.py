"""Values of a page's elements: depths, sums over their blocks, wider elements."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from crfclean.core.native import CORE
from crfclean.page.arrays import share
from crfclean.page.measures import Measures, once
from crfclean.types import Bools, Floats, Ints

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
DIVS = ("div", "article", "section", "main")
CELLS = ("td", "th")
LONG_WORDS = 15  # a block of so many words, most of them outside links, is running text


@once
def depths(page: Measures) -> Ints:
    """Number of elements around each element, shape (m,)."""
    nodes = page.nodes
    indices = np.arange(len(nodes))
    steps = np.bincount(indices + 1, minlength=len(nodes) + 1)[: len(nodes) + 1]
    steps = steps - np.bincount(nodes.end, minlength=len(nodes) + 1)
    depth: Ints = np.cumsum(steps)[:-1]
    return depth


@once
def levels(page: Measures) -> list[tuple[Ints, Ints]]:
    """Elements and their parents at each depth below the root, from the top down."""
    depth = depths(page)
    order = np.argsort(depth, kind="stable")
    ends = np.cumsum(np.bincount(depth)).tolist()
    pairs = []
    for start, end in pairwise(ends):
        nodes = order[start:end]
        pairs.append((nodes, page.nodes.parent[nodes]))
    return pairs


def held(page: Measures, values: Floats) -> Floats:
    """Sums of the blocks' `values`, (n,) or (n, k), inside each element, (m,) or (m, k)."""
    nodes = page.nodes
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    sums: Floats = total[nodes.end_block] - total[nodes.first_block]
    return sums


@once
def sizes(page: Measures) -> Ints:
    """Blocks inside each element, shape (m,)."""
    return page.nodes.end_block - page.nodes.first_block


@once
def wider(page: Measures) -> Ints:
    """The nearest element around each one that holds more blocks, -1 for none; shape (m,)."""
    return np.frombuffer(CORE.wider(sizes(page), page.nodes.parent), np.int32)


@once
def containers(page: Measures) -> Ints:
    """Four ever wider elements around each block's container, shape (4, n); the last repeats."""
    up = wider(page)
    node = page.node.astype(np.int64)
    rows = []
    for _ in range(4):
        above = up[node]
        node = np.where(above < 0, node, above)
        rows.append(node)
    return np.array(rows, np.int32)


def nearest(page: Measures, mask: Bools) -> Ints:
    """The nearest element of the mask (m,) at or around each element, -1 for none; shape (m,)."""
    by_core = CORE.nearest(np.ascontiguousarray(mask), page.nodes.parent)
    return np.frombuffer(by_core, np.int64)


@once
def in_heading(page: Measures) -> Bools:
    """Whether each block stands inside a heading element, at any height; shape (n,)."""
    around: Bools = page.inside(*HEADINGS)[page.node] > 0
    return around


@once
def linked(page: Measures) -> Floats:
    """Share of each block's characters that stand in links (0..1), shape (n,)."""
    return share(page.chars_in("a"), page.chars)


@once
def link_words(page: Measures) -> Floats:
    """Words of each block that stand in links, by their share of its characters; shape (n,)."""
    return page.words * linked(page)


@once
def is_long(page: Measures) -> Bools:
    """Whether each block is running text: `LONG_WORDS` words, fewer than half in links; (n,)."""
    return (page.words >= LONG_WORDS) & (link_words(page) < 0.5 * page.words)


@once
def running_words(page: Measures) -> Floats:
    """Words of each block of running text, 0 for other blocks; shape (n,)."""
    return np.where(is_long(page), page.words, 0.0)


@once
def start_nodes(page: Measures) -> Ints:
    """The element, inline ones included, around the first text run of each block; shape (n,)."""
    runs = page.runs
    first = np.searchsorted(runs.block, np.arange(len(page), dtype=np.int32))
    nodes: Ints = runs.node[first]
    return nodes
