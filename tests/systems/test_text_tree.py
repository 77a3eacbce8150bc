"""Tests of `systems/coherent.py`: elements and text nodes as one tree, beside lxml's own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from markup import MARKUP, tree_of

from crfclean.page.blocks import split
from crfclean.systems.coherent import SegmentParams, TextTree, cover, segments_of, text_tree
from crfclean.teach.gold import GoldPage
from crfclean.types import Page

SMALL = (
    "<body><div>a <b>bb</b> c<p>one <a href=x>two three</a> four</p>after</div>"
    "x<div></div>end</body>"
)


def path(tree: TextTree, node: int) -> str:
    return tree.xpath(node).replace("[normalize-space()]", "")


def test_nodes_stand_in_document_order() -> None:
    tree = tree_of(SMALL)
    found = [path(tree, node).removeprefix("/html[1]") for node in range(len(tree))]
    assert found == [
        "",
        "/body[1]",
        "/body[1]/div[1]",
        "/body[1]/div[1]/text()[1]",
        "/body[1]/div[1]/b[1]",
        "/body[1]/div[1]/b[1]/text()[1]",
        "/body[1]/div[1]/text()[2]",
        "/body[1]/div[1]/p[1]",
        "/body[1]/div[1]/p[1]/text()[1]",
        "/body[1]/div[1]/p[1]/a[1]",
        "/body[1]/div[1]/p[1]/a[1]/text()[1]",
        "/body[1]/div[1]/p[1]/text()[2]",
        "/body[1]/div[1]/text()[3]",
        "/body[1]/text()[1]",
        "/body[1]/div[2]",
        "/body[1]/text()[2]",
    ]
    assert [text.strip() for text in tree.texts] == "a,bb,c,one,two three,four,after,x,end".split(
        ","
    )


def test_columns() -> None:
    tree = tree_of(SMALL)
    body, div, p, link = 1, 2, 7, 9
    assert tree.height == 5
    assert tree.depth[[0, body, div, p, link, link + 1]].tolist() == [0, 1, 2, 3, 4, 5]
    assert tree.chars[[0, body, div, p, link]].tolist() == [28, 28, 24, 15, 8]
    assert tree.link_chars[[0, body, p, link, link + 1]].tolist() == [8, 8, 8, 8, 8]
    assert tree.in_link.nonzero()[0].tolist() == [link, link + 1]
    assert tree.words.tolist() == [1, 1, 1, 1, 2, 1, 1, 1, 1]
    assert tree.bounds(p) == (3, 6)
    assert tree.has_text.nonzero()[0].tolist() == [n for n in range(16) if n != 14]


def test_xpaths_lead_to_the_text_nodes(demo_gold: list[GoldPage]) -> None:
    """Every path finds, in lxml's tree, one text node (or element) that holds our text."""
    for gold in demo_gold[::5]:
        root = etree.HTML(gold.page.html.encode(), etree.HTMLParser(encoding="utf-8"))
        tree = tree_of(gold.page.html)
        for node in tree.leaves.tolist():
            (found,) = root.xpath(tree.xpath(node))
            assert str(found).split() == tree.texts[tree.leaf[node]].split()


@given(MARKUP)
def test_any_page_is_a_tree(html: str) -> None:
    blocks = split(Page(html))
    tree = text_tree(blocks)
    assert len(tree) == len(blocks.nodes) + len(tree.texts)
    for node in range(len(tree)):
        inside = range(node + 1, int(tree.end[node]))
        assert all(tree.parent[child] >= node for child in inside)
        above = int(tree.parent[node])
        assert above < 0 or (above < node < tree.end[above] and tree.end[node] <= tree.end[above])
    solid = sum(not char.isspace() for text in blocks.texts for char in text)
    assert tree.chars[tree.parent < 0].sum() == solid
    for node in tree.leaves.tolist():
        above = int(tree.parent[node])
        assert tree.element[above] >= 0


@given(MARKUP, st.randoms())
def test_cover_holds_every_text_once(html: str, random: object) -> None:
    tree = tree_of(html)
    chosen = np.array([random.random() < 0.3 for _ in range(len(tree))], np.bool_)  # type: ignore[attr-defined]
    nodes = list(cover(tree, chosen))
    held = [place for node in nodes for place in range(*tree.bounds(node))]
    assert held == list(range(len(tree.texts)))
    assert all(chosen[node] or tree.leaf[node] >= 0 for node in nodes)
    for node in nodes:
        above = int(tree.parent[node])
        while above >= 0:
            assert not chosen[above]
            above = int(tree.parent[above])


@pytest.mark.parametrize(
    ("html", "wanted"),
    [
        (
            "<pre><i>from</i> <i>ice</i> <b> </b><i>import</i> <i>lake</i></pre>",
            "from ice import lake",
        ),
        ("<p><b>Black Diamond</b> <span>Storm</span><i>500</i>", "Black Diamond Storm500"),
        ("<div><p><b>one</b></p>\n<p><b>two</b></p></div>", "onetwo"),
        ("<p> <b>one</b> ", "one"),
    ],
)
def test_blank_nodes_part_the_words_around_them(html: str, wanted: str) -> None:
    tree = tree_of(f"<body>{html}</body>")
    assert not any(text.isspace() for text in tree.texts)
    assert "".join(tree.texts).strip() == wanted
    assert tree.chars[0] == len(wanted.replace(" ", ""))


def test_a_text_is_that_of_its_blocks(demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold:
        blocks = split(gold.page)
        for segment in segments_of(blocks, SegmentParams("blocks")):
            lines = segment.text.split("\n")
            for block, line in zip(segment.blocks, lines, strict=True):
                assert line in " ".join(blocks.texts[block].split())
