"""Label blocks by the main one of a page's coherent texts, without a model.

The coherent texts are found by node energy (`energy`) or by rules on links (`links`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from crfclean.decision.expected import expected_f1
from crfclean.io import digest_of
from crfclean.page.blocks import as_blocks
from crfclean.page.selectors import chosen
from crfclean.products.papers.coherent import coherent_nodes, segments_of
from crfclean.products.papers.segment_params import EnergyParams, LinkParams, SegmentParams
from crfclean.products.papers.text_tree import TextTree, text_tree
from crfclean.systems.capabilities import elements_of
from crfclean.types import (
    Blocks,
    Bools,
    Floats,
    Ints,
    Label,
    Page,
    Segment,
    Tags,
    check_bounds,
    option,
)


@dataclass(frozen=True, slots=True)
class MainParams:
    """Parameters for picking the main text.

    `kept` and `left` are the probabilities of picked and of other blocks: the shares of their words
    that are gold on wcxb-dev (eval/segments). Rules give the same probability to all of them.
    """

    running_chars: int = option(80, "characters outside links that make a block running text")
    growth: float = option(1.3, "how much more running text a node above must have to be taken")
    kept: float = option(0.8, "probability of a picked block")
    left: float = option(0.17, "probability of another block")

    def __post_init__(self) -> None:
        check_bounds(self, {"kept": (0, 1), "left": (0, 1), "growth": (1, float("inf"))})


def running_text(tree: TextTree, least: int) -> Floats:
    """Count the characters of running text at and inside each node, shape (N,).

    Running text is text outside links, of blocks that `TextTree.large_blocks` marks.
    """
    outside = np.where(tree.in_link[tree.leaves], 0.0, tree.chars[tree.leaves])
    large = tree.large_blocks(least)
    return tree.held(tree.of_leaves(np.where(large[tree.block], outside, 0.0)))


def main_nodes(tree: TextTree, nodes: Sequence[int], params: MainParams = MainParams()) -> Bools:
    """Mark the coherent nodes that are the main text, shape (len(nodes),).

    The main text is the first node with the most running text; if none has running text, the one
    with the most text outside links. It may be part of a longer text. So every ancestor with
    `growth` times the running text of the last choice replaces it, with all coherent texts inside
    that have running text.
    """
    if not len(nodes):
        return np.zeros(0, np.bool_)
    coherent = np.array(nodes)
    running, unlinked = running_text(tree, params.running_chars), tree.chars - tree.link_chars
    best = int(np.lexsort((-coherent, unlinked[coherent], running[coherent]))[-1])
    top = above = int(coherent[best])
    while (above := int(tree.parent[above])) >= 0:
        if running[above] > 0 and running[above] >= params.growth * running[top]:
            top = above
    picked: Bools = (coherent >= top) & (coherent < tree.end[top]) & (running[coherent] > 0)
    picked[best] = True
    return picked


def tag_main_text(
    blocks: Blocks, segments: SegmentParams, params: MainParams = MainParams()
) -> Tags:
    """Tags that keep the blocks with at least half of their characters in the main text."""
    page, tree = blocks, text_tree(blocks)
    nodes = coherent_nodes(tree, segments)
    chosen = [nodes[index] for index in np.flatnonzero(main_nodes(tree, nodes, params))]
    return tags_of(page, _mostly_inside(tree, chosen), params)


def _mostly_inside(tree: TextTree, nodes: Sequence[int]) -> Bools:
    """Mark blocks with at least half of their characters inside the nodes, shape (n,)."""
    count = len(tree.page)
    inside = np.zeros(len(tree.texts), np.bool_)
    for node in nodes:
        inside[slice(*tree.bounds(node))] = True
    chars = tree.chars[tree.leaves]
    totals = np.bincount(tree.block, chars, count)
    covered = np.bincount(tree.block[inside], chars[inside], count)
    mostly: Bools = (covered >= 0.5 * totals) & (covered > 0)
    return mostly


def tags_of(page: Blocks, keep: Bools, params: MainParams, heading: Sequence[int] = ()) -> Tags:
    """Return tags that keep blocks (n,); blocks in headings or in `heading` are HEADER."""
    probability = np.where(keep, params.kept, params.left)
    kind = np.where(page.table.in_heading, Label.HEADER, Label.TEXT) if len(page) else _NO_LABELS
    kind[list(heading)] = Label.HEADER
    marginals = np.zeros((len(page), len(Label)))
    marginals[np.arange(len(page)), kind] = probability
    marginals[:, Label.OTHER] = 1.0 - probability
    labels = np.where(keep, kind, Label.OTHER).astype(np.int32)
    words = page.words if len(page) else np.zeros(0)
    return Tags(labels, marginals, expected_f1(1.0 - marginals[:, Label.OTHER], words, keep))


_NO_LABELS: Ints = np.zeros(0, np.int32)


_LINKS = LinkParams(stray_share=0.05, frame_texts=0)
"""Unlike for coherent texts, paragraphs of a frame are not joined. The choice of the main text can
join its parts, but cannot leave out links between them (0.012 of F1 on news, eval/segments)."""

_PARAMS: Mapping[str, SegmentParams] = {
    "energy": SegmentParams("energy", energy=EnergyParams(dissipation=4.0)),
    "links": SegmentParams("links", links=_LINKS),
}
"""Name of a tagger -> its parameters for finding coherent texts."""


@dataclass(frozen=True)
class SegmentTagger:
    """A method that finds coherent texts and picks the main one, without a model."""

    segments: SegmentParams
    main: MainParams = field(default_factory=MainParams)
    picture: ClassVar[str] = "segments"

    @property
    def name(self) -> str:
        """The method: "energy" or "links"."""
        return self.segments.method

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the parameters."""
        return digest_of({"tagger": self.name, "segments": self.segments, "main": self.main})

    def tag(self, blocks: Blocks | Page | bytes | str) -> Tags:
        """Keep the blocks of the main text."""
        blocks = as_blocks(blocks, elements_of(self))
        tags, params = tag_main_text(blocks, self.segments, self.main), self.segments
        if not (params.within or params.drop):
            return tags
        choice = chosen(blocks, params.within, params.drop)
        labels = np.where(choice.outside, Label.OTHER, tags.labels).astype(np.int32)
        return replace(tags, labels=labels, chosen=choice.elements, unmatched=choice.unmatched)

    def coherent_texts(self, blocks: Blocks, tags: Tags) -> list[Segment]:
        """The coherent texts by the method with its default parameters, as `segment` has them."""
        return segments_of(blocks, SegmentParams(self.name), tags)


def energy() -> SegmentTagger:
    """The tagger "energy"."""
    return SegmentTagger(_PARAMS["energy"])


def links() -> SegmentTagger:
    """The tagger "links"."""
    return SegmentTagger(_PARAMS["links"])


def by_method(method: str, within: str = "", drop: str = "") -> SegmentTagger:
    """The tagger of a method, with CSS selectors."""
    return SegmentTagger(replace(_PARAMS[method], within=within, drop=drop))
