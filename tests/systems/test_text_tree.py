"""Tests of `systems/coherent.py`: elements and text nodes as one tree, beside lxml's own."""

from __future__ import annotations

import pytest
from lxml import etree
from markup import tree_of

from crfclean.systems.coherent import TextTree
from crfclean.teach.gold import GoldPage

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
