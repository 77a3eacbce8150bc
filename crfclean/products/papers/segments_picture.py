"""Draw all coherent texts of a page; the drawing has only escaped text, and loads nothing."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from crfclean.products.papers.coherent import segments_of
from crfclean.products.papers.segment_params import SegmentParams
from crfclean.products.papers.text_tree import text_tree
from crfclean.shell import html_document, policy, read_asset
from crfclean.types import (
    Document,
    Label,
    Segment,
)

GOLDEN_ANGLE = 137.508  # degrees between hues: adjacent texts differ most


def to_picture(document: Document, params: SegmentParams) -> str:
    """An HTML page with the coherent texts in page order; blocks of the document are bold."""
    tree = text_tree(document.blocks)
    segments = segments_of(document.blocks, params, document.tags)
    title = document.blocks.title or document.url or "page"
    summary = f"{len(segments)} coherent texts by {params.method}, tree of {len(tree)} nodes"
    body = (
        f"<body><header><h1>{escape(title)}</h1><p>{summary}, height {tree.height}</p></header>"
        f"<main>{''.join(_texts(segments))}</main></body>"
    )
    return html_document(title, f"{policy()}<style>\n{read_asset('segments.css')}</style>", body)


def _texts(segments: Sequence[Segment]) -> Iterator[str]:
    """The coherent texts, each with its path, its size and a paragraph per block."""
    for number, segment in enumerate(segments):
        yield f'<div class="s" style="--h:{number * GOLDEN_ANGLE % 360:.0f}">'
        yield f"<small>{escape(segment.xpath)} · {segment.size} characters"
        yield f" · {segment.link_share:.0%} in links</small>"
        for line, label in zip(segment.text.split("\n"), segment.labels, strict=True):
            yield f"<p{' class=k' if label != Label.OTHER else ''}>{escape(line)}</p>"
        yield "</div>"
