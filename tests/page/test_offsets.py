from __future__ import annotations

import pytest
from doubles import KeepAll
from lxml import etree

from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.page.blocks import SplitParams, split
from crfclean.page.places import Piece, places, words_at
from crfclean.pipeline import run
from crfclean.types import Page


def tree(html: str) -> etree._ElementTree:
    parser = etree.HTMLParser(encoding="utf-8", huge_tree=True)
    return etree.fromstring(html.encode("utf-8", "replace"), parser).getroottree()


def solid(text: str) -> str:
    return "".join(text.split())


def found(html: str) -> list[tuple[str, str]]:
    """The words of every block, and what its place leads to."""
    document = run(Page(html), KeepAll())
    page, blocks = tree(html), to_dict(document, Show(blocks=True))["blocks"]
    return [(solid(block["text"]), words_at(page, block)) for block in blocks]


PAGES = {
    "inline": "<p>One <b>two</b> three <i>four <u>five</u></i>.</p>",
    "text beside paragraphs": "<div>a b<p>c</p>d e<p>f</p>g</div>",
    "script": "<div>a<script>var x = 'no';</script> b</div>",
    "comment": "<p>one <!-- no --> two<!----> three</p>",
    "hidden": "<div>a <span hidden>no</span>b<p style='display:none'>no</p>c</div>",
    "breaks": "<p>a<br>b<br><br>c<br><br>d</p>",
    "twice the same": "<ul><li>x</li><li>x</li></ul><p>x x</p>",
    "entities": "<p>a&nbsp;b &amp; c&shy;d &#x1F600; e</p>",
    "nothing to see": "<td>&#8203;<p>\u200b</p></td><div>&#8203;<p>a</p>b &#8203;</div>",
    "early end": "<body><p>a</p></body></html><p>b</p>c<div>d</div>",
    "second body": "<body><p>a</p><body class='x'><p>b</p></body>",
    "unclosed": "<div><p>a<p>b<ul><li>c<li>d<table><tr><td>e<td>f",
    "code": "<pre><code>def f():\n    <span>return</span> 1\n</code></pre>",
    "names": "<o:p>a</o:p><div><o:p>b <b>c</b></o:p>d</div><my-box>e</my-box>",
    "tables": "<table><tr><td>a<table><tr><td>b</td></tr></table>c</td></tr></table>",
    "noscript": "<p>a</p><noscript><p>" + "long text " * 80 + "</p></noscript>",
    "text alone": "some words",
    "white space": "<p>a\u3000b\u2003c\x1fd\x85e</p>",
    "deep": "<div>" * 600 + "<p>a</p>b" + "</div>" * 600 + "<p>c</p>",
}


@pytest.mark.parametrize("name", sorted(set(PAGES) - {"deep", "early end"}))
def test_places_lead_back_to_the_words(name: str) -> None:
    pairs = found(PAGES[name])
    assert pairs
    assert [words for words, _ in pairs] == [words for _, words in pairs]


def test_text_behind_the_end_is_in_the_body_as_in_browsers() -> None:
    """Which libxml2's own tree has beside it."""
    document = run(Page(PAGES["early end"]), KeepAll())
    told = [block["xpath"] for block in to_dict(document, Show(blocks=True))["blocks"]]
    assert told == [f"/html[1]/body[1]{path}" for path in ("/p[1]", "/p[2]", "", "/div[1]")]
    assert found(PAGES["early end"])[0] == ("a", "a")


def test_pieces() -> None:
    blocks = split(Page("<div>ab <b>c<i>d</i></b> e f<p>g</p> h</div>"))
    assert places(blocks, range(3)) == {
        0: [Piece(".", 0, 2), Piece("b[1]", 0, 1), Piece("b[1]/i[1]", 0, 1), Piece(".", 2, 4)],
        1: [Piece(".", 0, 1)],
        2: [Piece(".", 4, 5)],
    }


def test_blocks_of_chosen_elements_count_the_text_between_them() -> None:
    html = "<div>no<span>x</span><p>a</p>no <b>no</b></div><p>b</p>"
    blocks = split(Page(html), SplitParams(("p",)))
    found = places(blocks, range(len(blocks)))
    told = [{"xpath": block.xpath, "place": as_dicts(found[block.index])} for block in blocks]
    assert [words_at(tree(html), one) for one in told] == [solid(text) for text in blocks.texts]


def as_dicts(pieces: list[Piece]) -> list[dict[str, object]]:
    return [piece._asdict() for piece in pieces]
