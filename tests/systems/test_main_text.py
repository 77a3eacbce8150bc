"""Tests of `systems/segments.py`.

Which coherent texts are the main text, and the labels of its blocks.
"""

from __future__ import annotations

import pytest
from markup import tree_of

from crfclean.page.blocks import split
from crfclean.systems.by_rules import MainParams, running_text, tag_main_text
from crfclean.systems.coherent import SegmentParams, coherent_nodes
from crfclean.types import Label, Page

LONG = (
    "That winter the lake froze over in January, and the ferry stayed in its own harbour "
    "for three long weeks of frost. "
)
BLOCKS = SegmentParams("blocks")


def kept(html: str, segments: SegmentParams = BLOCKS, **params: float) -> list[str]:
    blocks = split(Page(html))
    tags = tag_main_text(blocks, segments, MainParams(**params))  # type: ignore[arg-type]
    return [text for text, wanted in zip(blocks.texts, tags.kept, strict=True) if wanted]


def test_running_text_is_long_and_outside_links() -> None:
    tree = tree_of(f"<p>{LONG}</p><p>short</p><p>{LONG}<a href=x>{LONG * 2}</a></p><p>{LONG}</p>")
    solid = len("".join(LONG.split()))
    assert running_text(tree, 60)[0] == 2 * solid
    assert running_text(tree, 1)[0] == 2 * solid + 5
    assert running_text(tree, solid + 1)[0] == 0


def test_most_running_text_wins() -> None:
    assert kept(f"<div><p>{LONG}</p></div><div><p>{LONG * 2}</p></div>", growth=9.0) == [
        (LONG * 2).strip()
    ]


def test_without_running_text_most_text_outside_links() -> None:
    html = "<p><a href=x>A link of some words</a></p><p>More than</p><p>this</p>"
    assert kept(html) == ["More than"]


def test_labels_and_probabilities() -> None:
    menu = "<ul><li><a href=1>News of the harbour</a></li></ul>"
    html = f"{menu}<div><h1>Ferry</h1><p>{LONG * 3}</p></div>"
    tags = tag_main_text(split(Page(html)), SegmentParams("links"), MainParams(kept=0.7, left=0.2))
    assert tags.labels.tolist() == [Label.OTHER, Label.HEADER, Label.TEXT]
    assert tags.probabilities.tolist() == pytest.approx([0.2, 0.7, 0.7])
    assert tags.marginals[1].tolist() == pytest.approx([0.7, 0.0, 0.3])
    assert 0.7 < tags.score < 1


def test_block_with_half_of_its_text_inside_is_kept() -> None:
    html = f"<div>{LONG}<a href=1>x</a></div>"
    tree = tree_of(html)
    assert len(coherent_nodes(tree, SegmentParams("blocks"))) == 1
    menu = "<li><a href={0}>Twelve chars</a> four</li>".format
    html = f"<ul>{menu(1)}{menu(2)}</ul><p>four and more</p>"
    assert kept(html, SegmentParams("links")) == ["four and more"]
