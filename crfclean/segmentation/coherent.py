"""Split a page into coherent texts.

They are sub-trees that do not overlap and together hold every text node; where a sub-tree begins or
ends with a menu, the links of the menu are texts of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from crfclean.page.blocks import bounded
from crfclean.page.decode import as_page
from crfclean.page.limits import MAX_BLOCKS
from crfclean.segmentation.energy import energies
from crfclean.segmentation.links import LinkTree, Span, coherent_by_links, without_menus
from crfclean.segmentation.params import SegmentParams
from crfclean.segmentation.text_tree import TextTree, cover, text_tree
from crfclean.types import Blocks, Bools, Label, Page, Segment, Tagger, Tags


def by_energy(tree: TextTree, params: SegmentParams) -> Bools:
    """Nodes that are coherent by their energy, (N,)."""
    return energies(tree, params.energy).coherent


def by_links(tree: TextTree, params: SegmentParams) -> Bools:
    """Nodes that are coherent by the rules on links, (N,)."""
    return coherent_by_links(tree, params.links)


def by_blocks(tree: TextTree, _: SegmentParams) -> Bools:
    """Elements that hold exactly one block, (N,): the baseline, a text per container."""
    nodes = tree.page.nodes
    is_element = tree.element >= 0
    elements = tree.element[is_element]
    coherent = np.zeros(len(tree), np.bool_)
    coherent[is_element] = nodes.end_block[elements] - nodes.first_block[elements] == 1
    return coherent


METHODS: Mapping[str, Callable[[TextTree, SegmentParams], Bools]] = {
    "energy": by_energy,
    "links": by_links,
    "blocks": by_blocks,
}
"""Method -> which nodes of a tree are coherent, shape (N,)."""


def coherent_nodes(tree: TextTree, params: SegmentParams = SegmentParams()) -> list[int]:
    """The nodes of a page's coherent texts, in page order."""
    return list(cover(tree, METHODS[params.method](tree, params)))


def coherent_spans(tree: TextTree, params: SegmentParams = SegmentParams()) -> list[Span]:
    """A page's coherent texts, each with its node and its text nodes, in page order."""
    nodes = coherent_nodes(tree, params)
    if params.method != "links" or not params.links.menu_links:
        return [Span(node, *tree.bounds(node)) for node in nodes]
    return without_menus(LinkTree(tree, params.links), by_links(tree, params), nodes)


def segments(
    page: Page | bytes | str,
    method: str = SegmentParams().method,
    params: SegmentParams = SegmentParams(),
    tagger: Tagger | None = None,
    max_blocks: int | None = MAX_BLOCKS,
) -> list[Segment]:
    """A page's coherent texts in page order; `tagger` labels their blocks.

    None of a page with more than `max_blocks` blocks (None: however many). Never raises on any
    page; raises `CrfcleanError` for an unknown method.
    """
    _, blocks = bounded(as_page(page), max_blocks=max_blocks)
    tags = tagger.tag(blocks) if tagger is not None else None
    return segments_of(blocks, SegmentParams(method, params.energy, params.links), tags)


def segments_of(
    blocks: Blocks, params: SegmentParams = SegmentParams(), tags: Tags | None = None
) -> list[Segment]:
    """The coherent texts of a page's blocks, with the labels of their blocks."""
    tree = text_tree(blocks)
    with np.errstate(under="ignore"):
        energy = np.exp(energies(tree, params.energy).logs)
    return [
        _segment(tree, span, float(energy[span.node]), tags)
        for span in coherent_spans(tree, params)
    ]


def _segment(tree: TextTree, span: Span, energy: float, tags: Tags | None) -> Segment:
    first, last = span.first, span.last
    owners = tree.block[first:last].tolist()
    blocks = tuple(dict.fromkeys(owners))
    size, linked = (int(chars) for chars in span.chars(tree))
    return Segment(
        tree.xpath(span.node),
        _text(tree, first, last),
        blocks,
        size,
        energy,
        linked / size if size else 0.0,
        tuple(Label(tags.labels[block]) for block in blocks) if tags is not None else (),
    )


def _text(tree: TextTree, first: int, last: int) -> str:
    """The text nodes from `first` to `last` (half-open), a line per block."""
    lines: dict[int, list[str]] = {}
    for text, block in zip(tree.texts[first:last], tree.block[first:last].tolist(), strict=True):
        lines.setdefault(block, []).append(text)
    return "\n".join(" ".join("".join(parts).split()) for parts in lines.values())
