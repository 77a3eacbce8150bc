"""A page's coherent texts -> those that are its main text, and labels of its blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.page.measures import Measures
from crfclean.page.tree import in_heading
from crfclean.segmentation.coherent import coherent_nodes
from crfclean.segmentation.params import SegmentParams
from crfclean.segmentation.text_tree import TextTree, text_tree
from crfclean.taggers.decision import expected_f1
from crfclean.types import Blocks, Bools, Floats, Ints, Label, Tags, check_bounds, option


@dataclass(frozen=True, slots=True)
class MainParams:
    """How the main text is picked.

    `kept` and `left` are the probabilities that tags carry: the shares of words in picked and in
    other blocks that are text on wcxb-dev (eval/segments). A rule is no surer of one than of
    another.
    """

    running_chars: int = option(80, "characters outside links that make a block running text")
    growth: float = option(1.3, "how much more running text a node above must have to be taken")
    kept: float = option(0.8, "probability of a picked block")
    left: float = option(0.17, "probability of another block")

    def __post_init__(self) -> None:
        check_bounds(self, {"kept": (0, 1), "left": (0, 1), "growth": (1, float("inf"))})


def running_text(tree: TextTree, least: int) -> Floats:
    """Characters of running text at and inside each node, shape (N,).

    Running text is what stands outside links in blocks that have `least` such characters and
    fewer in links.
    """
    chars, count = tree.chars[tree.leaves], len(tree.page)
    own = np.where(tree.in_link[tree.leaves], 0.0, chars)
    ours = np.bincount(tree.block, own, count)
    theirs = np.bincount(tree.block, chars - own, count)
    large = (ours >= least) & (ours > theirs)
    return tree.held(tree.of_leaves(np.where(large[tree.block], own, 0.0)))


def main_nodes(tree: TextTree, nodes: Sequence[int], params: MainParams = MainParams()) -> Bools:
    """Which of the coherent nodes are the main text, shape (len(nodes),).

    The first of those with most running text (most text outside links, where none has running
    text) is the main text. It may be a part of it: on the way up, every node around that has
    `growth` times the running text of the last one taken is taken in its place, and with it all
    coherent texts inside that have running text.
    """
    picked = np.zeros(len(nodes), np.bool_)
    if not len(nodes):
        return picked
    at = np.array(nodes)
    have, own = running_text(tree, params.running_chars), tree.chars - tree.link_chars
    best = int(np.lexsort((-at, own[at], have[at]))[-1])
    top = above = int(at[best])
    while (above := int(tree.parent[above])) >= 0:
        if have[above] > 0 and have[above] >= params.growth * have[top]:
            top = above
    picked = (at >= top) & (at < tree.end[top]) & (have[at] > 0)
    picked[best] = True
    found: Bools = picked
    return found


def tag_main_text(
    blocks: Blocks, segments: SegmentParams, params: MainParams = MainParams()
) -> Tags:
    """Labels of a page's blocks: those with half of their characters in the main text are kept."""
    page, tree = Measures(blocks), text_tree(blocks)
    nodes = coherent_nodes(tree, segments)
    chosen = [nodes[place] for place in np.flatnonzero(main_nodes(tree, nodes, params))]
    return tags_of(page, _mostly_inside(tree, chosen), params)


def _mostly_inside(tree: TextTree, nodes: Sequence[int]) -> Bools:
    """Whether half of each block's characters or more are inside some of the nodes, shape (n,)."""
    count = len(tree.page)
    inside = np.zeros(len(tree.texts), np.bool_)
    for node in nodes:
        inside[slice(*tree.bounds(node))] = True
    chars = tree.chars[tree.leaves]
    whole = np.bincount(tree.block, chars, count)
    ours = np.bincount(tree.block[inside], chars[inside], count)
    mostly: Bools = (ours >= 0.5 * whole) & (ours > 0)
    return mostly


def tags_of(page: Measures, keep: Bools, params: MainParams) -> Tags:
    """Blocks to keep (n,) as tags: those in headings are HEADER, the others TEXT."""
    sure = np.where(keep, params.kept, params.left)
    kind = np.where(in_heading(page), Label.HEADER, Label.TEXT) if len(page) else _NO_LABELS
    marginals = np.zeros((len(page), len(Label)))
    marginals[np.arange(len(page)), kind] = sure
    marginals[:, Label.OTHER] = 1.0 - sure
    labels = np.where(keep, kind, Label.OTHER).astype(np.int32)
    words = page.words if len(page) else np.zeros(0)
    return Tags(labels, marginals, expected_f1(1.0 - marginals[:, Label.OTHER], words, keep))


_NO_LABELS: Ints = np.zeros(0, np.int32)
