"""Tests of `systems.segments`: what it shows, that it is well-formed and runs nothing."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser

import pytest
from lxml import etree

from crfclean.pipeline import run
from crfclean.systems.by_rules import to_picture
from crfclean.systems.coherent import METHODS, SegmentParams, segments
from crfclean.systems.load import named
from crfclean.teach.gold import GoldPage
from crfclean.types import Page

VOID = {"meta"}
HTML = """<title>A &lt;page&gt;</title><ul><li><a href=1>Home</a></li><li><a href=2>News</a></li>
</ul><div class="one two three"><h1>Ferry</h1><p>One <b>two</b></p></div>"""


def picture(page: Page, method: str = "links") -> str:
    return to_picture(run(page, named("links")), SegmentParams(method))


class Nesting(HTMLParser):
    """Holds the elements to being closed in the order in which they were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen[tag] += 1
        assert {name for name, _ in attrs} <= set(
            "lang charset name content http-equiv style id class href aria-label".split()
        )
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def checked(html: str) -> Nesting:
    reader = Nesting()
    reader.feed(html)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("method", METHODS)
def test_every_text_is_drawn(method: str, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::6]:
        html = picture(gold.page, method)
        checked(html)
        root = etree.HTML(html)
        found = segments(gold.page, method)
        drawn = root.xpath("//div[@class='s']")
        assert ["\n".join(one.xpath("p//text()")) for one in drawn] == [one.text for one in found]
        paths = [one.xpath("string(small)").split(" · ")[0] for one in drawn]
        assert paths == [one.xpath for one in found]
        assert len(root.xpath("//li[@class='c']")) == len(found)


def test_tree_shows_names_and_energies() -> None:
    html = picture(Page(HTML))
    assert re.search(r'<a href="#t2"><b>div one two</b></a> <i>E [\d.]+ · 11</i>', html)
    assert re.search(r"<span>body <i>E [\d.]+ · 19</i></span>", html)
    assert "3 coherent texts by links, tree of" in html


def test_the_tree_ends_at_the_texts() -> None:
    """Neither what is inside a text nor elements without words are drawn."""
    html = "<div><p>a <b>b <i>c</i></b></p></div><div><p>d e</p><hr><div></div></div>"
    root = etree.HTML(picture(Page(html), "blocks"))
    names = ["".join(node.itertext()).split()[0] for node in root.xpath("//ol//li")]
    assert not {"b", "i", "hr"} & {name.strip("<>") for name in names}, names
    assert len(root.xpath("//li[@class='c']")) == 2


BAD = (
    "<p>&lt;script&gt;alert(1)&lt;/script&gt;",
    '<p id="&quot;&gt;&lt;img onerror=x&gt;">one<p>two',
    "<title>&lt;/title&gt;&lt;script&gt;x</title><p>one",
    "<p class='</style><script>'>a<p>b",
)


@pytest.mark.parametrize("bad", BAD)
def test_nothing_of_the_page_runs(bad: str) -> None:
    reader = checked(picture(Page(bad)))
    assert not {"script", "img", "iframe", "link"} & set(reader.seen)
