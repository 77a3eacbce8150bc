"""`Measures` -> values of the page's elements: depths, sums over what they hold, ways up."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from crfclean.measures import Measures, once, share
from crfclean.types import Bools, Floats, Ints

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
LONG_WORDS = 15  # a block of so many words, most of them outside links, is running text


@once
def depths(page: Measures) -> Ints:
    """Number of elements around each element, shape (m,)."""
    nodes = page.page.nodes
    here = np.arange(len(nodes))
    steps = np.bincount(here + 1, minlength=len(nodes) + 1)[: len(nodes) + 1]
    steps = steps - np.bincount(nodes.end, minlength=len(nodes) + 1)
    depth: Ints = np.cumsum(steps)[:-1]
    return depth


@once
def levels(page: Measures) -> list[tuple[Ints, Ints]]:
    """Elements below the root by depth, with their parents: a way from the top down."""
    depth = depths(page)
    order = np.argsort(depth, kind="stable")
    ends = np.cumsum(np.bincount(depth)).tolist()
    found = []
    for start, end in pairwise(ends):
        nodes = order[start:end]
        found.append((nodes, page.page.nodes.parent[nodes]))
    return found


def held(page: Measures, values: Floats) -> Floats:
    """Sum of the blocks' `values`, shape (n,) or (n, k), over those inside each element."""
    nodes = page.page.nodes
    total = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    sums: Floats = total[nodes.end_block] - total[nodes.first_block]
    return sums


@once
def sizes(page: Measures) -> Ints:
    """Blocks inside each element, shape (m,)."""
    return page.page.nodes.end_block - page.page.nodes.first_block


@once
def wider(page: Measures) -> Ints:
    """The nearest element around each one that holds more blocks, -1 for none; shape (m,)."""
    size, parent = sizes(page), page.page.nodes.parent
    up = np.where(parent < 0, -1, parent)
    for nodes, above in levels(page):
        same = size[above] == size[nodes]
        up[nodes] = np.where(same, up[above], above)
    return up


@once
def containers(page: Measures) -> Ints:
    """Four ever wider elements around each block's container, shape (4, n); the last repeats."""
    up = wider(page)
    here = page.page.node.astype(np.int64)
    found = []
    for _ in range(4):
        above = up[here]
        here = np.where(above < 0, here, above)
        found.append(here)
    return np.array(found)


def first_around(page: Measures, wanted: Bools) -> Ints:
    """The nearest element at or around each element that is `wanted` (m,), else -1; (m,)."""
    found = np.where(wanted, np.arange(len(wanted)), -1)
    for nodes, above in levels(page):
        found[nodes] = np.where(wanted[nodes], nodes, found[above])
    return found


@once
def in_heading(page: Measures) -> Bools:
    """Whether each block stands inside a heading element, at any height; shape (n,)."""
    around: Bools = page.inside(HEADINGS)[page.page.node] > 0
    return around


@once
def link_words(page: Measures) -> Floats:
    """Words of each block that stand in links, by their share of its characters; shape (n,)."""
    return page.words * share(page.chars_in(["a"]), page.chars)


@once
def is_long(page: Measures) -> Bools:
    """Whether each block is running text: `LONG_WORDS` words, fewer than half in links; (n,)."""
    return (page.words >= LONG_WORDS) & (link_words(page) < 0.5 * page.words)


@once
def start_nodes(page: Measures) -> Ints:
    """The element around the first text run of each block, inline ones included; shape (n,)."""
    owners: npt.NDArray[np.int32] = np.asarray(page.page.runs.block, np.int32)
    first = np.searchsorted(owners, np.arange(len(page)))
    nodes: Ints = page.page.runs.node[first]
    return nodes
