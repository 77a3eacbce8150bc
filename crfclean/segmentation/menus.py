"""Menus at the ends of a coherent text, which are no part of it.

Short articles stand in one element with the site's menu, and no node holds all their paragraphs
without it. Parting them into paragraphs would be worse (eval/segments), so the links of the menu
become texts, and the rest of the node another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.segmentation.links import LinkTree
from crfclean.segmentation.text_tree import TextTree
from crfclean.types import Bools, Floats, Ints

_LINKED = 0.8  # share of a menu's characters that are in links


@dataclass(frozen=True, slots=True)
class Span:
    """A coherent text: its node, and the half-open range of text nodes in it that are the text."""

    node: int
    first: int
    last: int

    def chars(self, tree: TextTree) -> tuple[float, float]:
        """Characters of the text, and those in links."""
        leaves = tree.leaves[self.first : self.last]
        chars = tree.chars[leaves]
        return float(chars.sum()), float(chars[tree.in_link[leaves]].sum())


def without_menus(page: LinkTree, coherent: Bools, nodes: Sequence[int]) -> list[Span]:
    """The texts of coherent nodes, with the menus at their ends as texts of their own.

    `coherent` marks the nodes that a rule makes coherent, (N,), the highest of which are `nodes`.
    """
    tree, spans = page.tree, list[Span]()
    if not tree.texts:
        return spans
    starts, ends = _bounds(page)
    for node in nodes:
        first, last = tree.bounds(node)
        start, end = int(starts[node]), int(ends[node])
        if (start, end) == (first, last):
            spans.append(Span(node, first, last))
            continue
        inner = [
            Span(part, *tree.bounds(part)) for part in _parts(tree, coherent, node, start, end)
        ]
        spans += [part for part in inner if part.last <= start]
        spans.append(Span(node, start, end))
        spans += [part for part in inner if part.first >= end]
    return spans


def _parts(tree: TextTree, coherent: Bools, node: int, start: int, end: int) -> Iterator[int]:
    """The highest coherent nodes inside a node that lie on one side of two bounds."""
    inner, last = node + 1, int(tree.end[node])
    while inner < last:
        first, after = tree.bounds(inner)
        crosses = first < start < after or first < end < after
        if first < after and not crosses and (coherent[inner] or tree.leaf[inner] >= 0):
            yield inner
            inner = int(tree.end[inner])
        else:
            inner += 1


def _bounds(page: LinkTree) -> tuple[Ints, Ints]:
    """The text nodes from which and up to which each node is text and no menu, (N,) each."""
    tree = page.tree
    count = len(tree.texts)
    first, last = tree.first_leaf[:-1], tree.first_leaf[tree.end]
    large, link = page.large[tree.block], _free_links(page)
    leaves = np.arange(count)
    next_large = np.minimum.accumulate(np.where(large, leaves, count)[::-1])[::-1]
    next_large = np.append(next_large, count)
    after_large = np.concatenate([[0], np.maximum.accumulate(np.where(large, leaves + 1, 0))])
    last_link = np.concatenate([[0], np.maximum.accumulate(np.where(link, leaves + 1, 0))])
    next_link = np.append(np.minimum.accumulate(np.where(link, leaves, count)[::-1])[::-1], count)
    has_large = next_large[first] < last
    starts = last_link[np.minimum(next_large[first], last)]
    ends = next_link[np.maximum(after_large[last], first)]
    before = has_large & _are_menus(page, first, np.maximum(starts, first))
    behind = has_large & _are_menus(page, np.minimum(ends, last), last)
    return np.where(before, starts, first), np.where(behind, ends, last)


def _free_links(page: LinkTree) -> Bools:
    """Whether each text node is in a free link, shape (leaves,)."""
    tree = page.tree
    inside = np.bincount(tree.first_leaf[:-1][page.free], minlength=len(tree.texts) + 1)
    ended = np.bincount(tree.first_leaf[tree.end][page.free], minlength=len(tree.texts) + 1)
    marks: Bools = np.cumsum(inside - ended)[:-1] > 0
    return marks


def _are_menus(page: LinkTree, start: Ints, end: Ints) -> Bools:
    """Whether ranges of text nodes, (N,) each, have the links of a menu and little else."""
    tree = page.tree
    chars, link = tree.chars[tree.leaves], _free_links(page)
    begins = np.bincount(tree.first_leaf[:-1][page.free], minlength=len(tree.texts))
    links = _within(begins[: len(tree.texts)].astype(np.float64), start, end)
    linked = _within(np.where(link, chars, 0.0), start, end)
    total = _within(chars, start, end)
    menus: Bools = (links >= page.params.menu_links) & (linked >= _LINKED * total)
    return menus


def _within(values: Floats, start: Ints, end: Ints) -> Floats:
    """Sums of a value of each text node over ranges of them."""
    total = np.concatenate([[0.0], np.cumsum(values)])
    sums: Floats = total[end] - total[start]
    return sums
