"""Draw a document's coherent texts as an HTML page, beside its tree and energies.

The page has only escaped text, and loads nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from html import escape
from itertools import islice

import numpy as np

from crfclean.segmentation.coherent import coherent_nodes, energies, segments_of
from crfclean.segmentation.text_tree import SegmentParams, TextTree, text_tree
from crfclean.shell import html_document, policy, read_asset
from crfclean.types import Document, Floats, Label, Segment

MAX_DRAWN = 20_000  # nodes of the tree: browsers cannot show a page of more
GOLDEN_ANGLE = 137.508  # degrees between hues: adjacent texts differ most


def to_picture(document: Document, params: SegmentParams) -> str:
    """An HTML page with two columns: the coherent texts in page order, and the tree with energies.

    Blocks that the document keeps are bold. Trees of more than `MAX_DRAWN` nodes are cut.
    """
    tree = text_tree(document.blocks)
    nodes = coherent_nodes(tree, params)
    segments = segments_of(document.blocks, params, document.tags)
    logs = energies(tree, params.energy).logs
    title = document.blocks.title or document.url or "page"
    summary = f"{len(nodes)} coherent texts by {params.method}, tree of {len(tree)} nodes"
    texts, items = "".join(_texts(segments)), "".join(_tree(tree, nodes, logs))
    body = (
        f"<body><header><h1>{escape(title)}</h1><p>{summary}, height {tree.height}</p></header>"
        f'<main><section aria-label="coherent texts">{texts}</section>'
        f'<section aria-label="tree">{items}</section></main></body>'
    )
    return html_document(title, f"{policy()}<style>\n{read_asset('segments.css')}</style>", body)


def _colour(number: int) -> str:
    return f' style="--h:{number * GOLDEN_ANGLE % 360:.0f}"'


def _energy(log: float) -> str:
    """Format an energy with three digits, as a power of ten if it is small.

    >>> _energy(math.log(1234.0)), _energy(-1000.0)
    ('1.23e+03', '5.08e-435')
    """
    if log == -math.inf:
        return "0"
    exponent = math.floor(log / math.log(10))
    if -4 <= exponent < 300:
        return f"{math.exp(log):.3g}"
    return f"{math.exp(log - exponent * math.log(10)):.3g}e{exponent}"


def _texts(segments: Sequence[Segment]) -> Iterator[str]:
    """The coherent texts, each with its path, its size and a paragraph per block."""
    for number, segment in enumerate(segments):
        yield f'<div class="s" id="t{number}"{_colour(number)}>'
        yield f"<small>{escape(segment.xpath)} · {segment.size} characters"
        yield f" · {segment.link_share:.0%} in links</small>"
        for line, label in zip(segment.text.split("\n"), segment.labels, strict=True):
            yield f"<p{' class=k' if label != Label.OTHER else ''}>{escape(line)}</p>"
        yield "</div>"


def _tree(tree: TextTree, nodes: list[int], logs: Floats) -> Iterator[str]:
    """Nested lists of the elements that hold text, down to the coherent nodes."""
    numbers = {node: number for number, node in enumerate(nodes)}
    level = -1  # depth of the open list
    shown = islice(_shown(tree, numbers), MAX_DRAWN + 1)
    for drawn, node in enumerate(shown):
        if drawn == MAX_DRAWN:
            yield "</li><li>and more"
            break
        depth = int(tree.depth[node])
        yield "<ol>" if depth > level else "</li>" + "</ol></li>" * (level - depth)
        level = depth
        yield _node(tree, node, numbers.get(node, -1), float(logs[node]))
    yield "</li></ol>" * (level + 1)


def _shown(tree: TextTree, numbers: dict[int, int]) -> Iterator[int]:
    """The coherent nodes and those above them, in document order."""
    marks = np.zeros(len(tree))
    marks[list(numbers)] = 1
    yield from np.flatnonzero(tree.held(marks)).tolist()


def _node(tree: TextTree, node: int, number: int, log: float) -> str:
    """A node as an item: tag and class, energy, characters; a coherent one links to its text.

    `number` is that of the coherent text, -1 for other nodes.
    """
    name = "text" if tree.leaf[node] >= 0 else _name(tree, int(tree.element[node]))
    energy = f"<i>E {_energy(log)} · {tree.chars[node]:.0f}</i>"
    if number < 0:
        return f"<li><span>{name} {energy}</span>"
    link = f'<a href="#t{number}"><b>{name}</b></a>'
    return f'<li class="c"{_colour(number)}><span>{link} {energy}</span>'


def _name(tree: TextTree, element: int) -> str:
    nodes = tree.page.nodes
    attributes = nodes.attributes[element]
    label = attributes.get("id") or " ".join(attributes.get("class", "").split()[:2])
    return escape(nodes.tags[element] + (f" {label[:40]}" if label else ""))
