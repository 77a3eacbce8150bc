"""Tests of `site_rules/matching.py`: blocks in the elements that rules name."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.site_rules.matching import blocks_in, field_block, region_on
from crfclean.site_rules.selectors import xpath_of
from crfclean.site_rules.values import FieldPlace, Region
from crfclean.types import Page

HTML = """<body><p>zero</p><div id=main class="wide post"><h1>one</h1><p>two</p>
<div class="gift post x"><p>three</p><div class=gift><p>four</p></div></div><p>five</p></div>
<main><h1>six</h1></main><div class=postal><p>seven</p></div></body>"""
BLOCKS = split(Page(HTML))


def inside(css: str) -> list[int]:
    return [int(block) for block in blocks_in(BLOCKS, css).nonzero()[0]]


@pytest.mark.parametrize(
    ("css", "blocks"),
    [
        ("div#main", [1, 2, 3, 4, 5]),
        ("div.post", [1, 2, 3, 4, 5]),
        ("div.post.wide", [1, 2, 3, 4, 5]),
        ("div.gift", [3, 4]),
        ("div.gift.post", [3, 4]),
        ("div.gift.wide", []),
        ("main", [6]),
        ("div", [1, 2, 3, 4, 5, 7]),
        ("section#main", []),
        ("h1", [1, 6]),
    ],
)
def test_elements_of_a_selector(css: str, blocks: list[int]) -> None:
    assert len(BLOCKS) == 8
    assert inside(css) == blocks


def region(css: str) -> Region:
    return Region(css, xpath_of(css), 4, 0.9, 0.8)


def test_the_first_region_that_a_page_has_counts() -> None:
    chosen, within = region_on(BLOCKS, [region("div.story"), region("main"), region("div.post")])
    assert chosen == region("main")
    assert within.tolist() == [False] * 6 + [True, False]
    assert region_on(BLOCKS, [region("div.story")])[0] is None
    assert not region_on(BLOCKS, ())[1].any()


@pytest.mark.parametrize(
    ("css", "block"), [("h1", 1), ("main h1", 6), ("div#main p", 2), ("div.gift", None)]
)
def test_places_of_fields(css: str, block: int | None) -> None:
    assert field_block(BLOCKS, FieldPlace("title", css, "", 4, 1.0, 1.0)) == block


def test_a_page_without_blocks() -> None:
    empty = split(Page(""))
    assert blocks_in(empty, "div").tolist() == []
    assert region_on(empty, [region("div")])[0] is None
