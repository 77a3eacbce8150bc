"""Split a page into coherent texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from crfclean.page.blocks import bounded
from crfclean.page.chars import (
    around,
)
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.selectors import chosen
from crfclean.page.sources import Source, as_page
from crfclean.products.papers.cards import cards, dated_records
from crfclean.products.papers.link_rules import LinkTree, coherent_by_links
from crfclean.products.papers.node_energy import energies
from crfclean.products.papers.segment_params import SegmentParams
from crfclean.products.papers.text_tree import TextTree, cover, text_tree
from crfclean.types import (
    Blocks,
    Bools,
    Ints,
    Label,
    Segment,
    Tagger,
    Tags,
)


def by_blocks(tree: TextTree, _: SegmentParams) -> Bools:
    """Mark elements with exactly one block, (N,): the baseline, a text per container."""
    table = tree.page.table
    is_element = tree.element >= 0
    elements = tree.element[is_element]
    coherent = np.zeros(len(tree), np.bool_)
    coherent[is_element] = table.end_block[elements] - table.first_block[elements] == 1
    return coherent


METHODS: Mapping[str, Callable[[TextTree, SegmentParams], Bools]] = {
    "energy": lambda tree, params: energies(tree, params.energy).coherent,
    "links": lambda tree, params: coherent_by_links(tree, params.links),
    "blocks": by_blocks,
}
"""Method -> function that marks the coherent nodes of a tree, shape (N,)."""


def coherent_nodes(tree: TextTree, params: SegmentParams = SegmentParams()) -> list[int]:
    """The nodes of a page's coherent texts with text of their own, in page order."""
    marks, coherent = np.zeros(len(tree), np.bool_), METHODS[params.method](tree, params)
    apart = np.zeros(len(tree), np.bool_)
    if params.method == "links" and params.links.frame_texts:
        page = LinkTree(tree, params.links)
        teasers = cards(page)
        coherent, apart = coherent | teasers, dated_records(tree) | teasers & ~page.holds_large
    marks[list(cover(tree, coherent))] = True
    marks |= apart & (around(marks, tree.end) > 0)
    nodes = np.flatnonzero(marks)
    own: list[int] = nodes[np.unique(owners(tree, nodes.tolist()))].tolist()
    return own


def owners(tree: TextTree, nodes: Sequence[int]) -> Ints:
    """The innermost coherent text around each text node, as a place in `nodes`; shape (leaves,).

    So comments in the element of an article are not among the article's words.
    """
    owner = np.zeros(len(tree.texts), np.int64)
    for place, node in enumerate(nodes):
        owner[slice(*tree.bounds(node))] = place
    return owner


def segments(
    page: Source,
    method: str = SegmentParams().method,
    params: SegmentParams = SegmentParams(),
    tagger: Tagger | None = None,
    max_blocks: int | None = MAX_BLOCKS,
) -> list[Segment]:
    """Return the coherent texts of a page in page order; `tagger` labels their blocks.

    `page` is any source that `extract` takes. A bad page, or one with more than `max_blocks` blocks
    (None: no limit), has no texts. Raises `CrfcleanError` for an unknown method, and for a path or
    URL in place of a page.

    >>> html = "<article><p>Rain in the north.</p></article><footer><p>Imprint</p></footer>"
    >>> [segment.text for segment in segments(html, "blocks")]
    ['Rain in the north.', 'Imprint']
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
    nodes = coherent_nodes(tree, params)
    owner = owners(tree, nodes)
    bounds = np.cumsum(np.bincount(owner, minlength=len(nodes)))[:-1]
    own = np.split(np.argsort(owner, kind="stable"), bounds) if nodes else []
    if params.within or params.drop:
        elements = chosen(blocks, params.within, params.drop).elements
        let_in = elements[tree.element[tree.parent[tree.leaves]]]
        own = [texts[let_in[texts]] for texts in own]
    return [
        _segment(tree, node, texts, float(energy[node]), tags)
        for node, texts in zip(nodes, own, strict=True)
        if len(texts)
    ]


def _segment(tree: TextTree, node: int, texts: Ints, energy: float, tags: Tags | None) -> Segment:
    lines, leaves = _block_lines(tree, texts), tree.leaves[texts]
    size, linked = int(tree.chars[leaves].sum()), int(tree.link_chars[leaves].sum())
    return Segment(
        tree.xpath(node),
        "\n".join(lines.values()),
        tuple(lines),
        size,
        energy,
        linked / size if size else 0.0,
        tuple(Label(tags.labels[block]) for block in lines) if tags is not None else (),
    )


def _block_lines(tree: TextTree, texts: Ints) -> dict[int, str]:
    """Map each block of some text nodes to its text in them, in page order."""
    lines: dict[int, list[str]] = {}
    for text in texts.tolist():
        lines.setdefault(int(tree.block[text]), []).append(tree.texts[text])
    return {block: " ".join("".join(parts).split()) for block, parts in lines.items()}
