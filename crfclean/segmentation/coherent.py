"""Divide a page into coherent texts, by node energy or by link rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.page.arrays import around
from crfclean.page.blocks import bounded
from crfclean.page.elements import MAX_BLOCKS
from crfclean.page.selectors import chosen
from crfclean.page.sources import Source, as_page
from crfclean.segmentation.links import LinkTree, cards, coherent_by_links, dated_records
from crfclean.segmentation.text_tree import EnergyParams, SegmentParams, TextTree, cover, text_tree
from crfclean.types import Blocks, Bools, Floats, Ints, Label, Segment, Tagger, Tags

# find coherent texts by the energy of nodes
#
# Krzysztof Dorosz, "Ekstrakcja spójnych tekstów z Internetu na potrzeby algorytmów
# lingwistycznych" (AGH, 2008), section 3.1.

_LEAST = 1e-300  # stands for a share of 0, which has no logarithm
_TIE = 1e-12  # energies so close are equal: sums are rounded


@dataclass(frozen=True)
class Energies:
    """Natural logarithms of the nodes' energies (-inf: none), and which nodes are coherent; (N,).

    A node is coherent if no child has more energy than it. A page's coherent texts are the first
    such nodes on the paths down from the root (`text_tree.cover`).
    """

    logs: Floats
    coherent: Bools


def energies(tree: TextTree, params: EnergyParams = EnergyParams()) -> Energies:
    """Energy of every node: E(v) = m(v) for a leaf, else the sum of (p / k) E(w) over its children.

    k is the height of the tree, the edges on its longest path down from the root; p is
    `dissipation` (see also `EnergyParams.law`). Linear: one pass over the levels from the bottom
    up, in logarithms, so that no energy underflows in a tree of 500 levels.

    A node is coherent if no child has more energy than it. With q = p / k that means: the largest
    child has at most the share q of the children's energy. Hence the edge cases:

    - q >= 1 (p >= k): no energy is lost, the root has most, and the page is one text.
    - A single child has more energy than its parent if q < 1: the search continues below it.
    - Equal energies: the paper's definition descends to the last of equal nodes, its prose stops
      where no child has more. They differ for a single child at q = 1, where both hold the same
      text, and for a largest child with exactly the share q. The first of equal nodes is taken,
      so that a tie splits nothing.
    - k = 1 (a root with text nodes only): q = p. With k = 0 there is no child, and q is not used.
    - Children without energy (no text, or no word of the dictionary) never have more; text of
      energy 0 stays together.

    p was fitted on pages with known texts, see eval/segments/README.md.
    """
    logs = np.full(len(tree), -np.inf)
    with np.errstate(divide="ignore"):
        logs[tree.leaves] = np.log(_metric(tree, params))
    coherent = np.ones(len(tree), np.bool_)
    kept = params.kept(tree.height)
    for nodes in reversed(tree.levels[1:]):
        parents, first = np.unique(tree.parent[nodes], return_inverse=True)
        most = np.full(len(parents), -np.inf)
        np.maximum.at(most, first, logs[nodes])
        has_energy = most > -np.inf
        base = np.where(has_energy, most, 0.0)  # factored out, so that the exponentials are <= 1
        sums = np.bincount(first, np.exp(logs[nodes] - base[first]), minlength=len(parents))
        parent_logs = np.full(len(parents), -np.inf)
        shares = np.maximum(kept * sums[has_energy], _LEAST)
        parent_logs[has_energy] = base[has_energy] + np.log(shares)
        logs[parents] = parent_logs
        coherent[parents] = ~has_energy | (kept * sums >= 1.0 - _TIE)
    return Energies(logs, coherent)


def _metric(tree: TextTree, params: EnergyParams) -> Floats:
    if params.metric == "chars":
        return tree.chars[tree.leaves]
    if params.metric == "words":
        return tree.words
    words = params.dictionary
    counts = [sum(word in words for word in text.lower().split()) for text in tree.texts]
    return np.array(counts, np.float64)


# split a page into coherent texts
#
# They are sub-trees that together hold every text node. A sub-tree inside another is its own text.


def by_blocks(tree: TextTree, _: SegmentParams) -> Bools:
    """Mark elements with exactly one block, (N,): the baseline, a text per container."""
    nodes = tree.page.nodes
    is_element = tree.element >= 0
    elements = tree.element[is_element]
    coherent = np.zeros(len(tree), np.bool_)
    coherent[is_element] = nodes.end_block[elements] - nodes.first_block[elements] == 1
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
