"""Tests of `segmentation/coherent.py`.

What a coherent text carries, and that together they are the page.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from markup import MARKUP

from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.segmentation.coherent import METHODS, segments, segments_of
from crfclean.segmentation.text_tree import EnergyParams, SegmentParams
from crfclean.taggers.crf import CrfTagger
from crfclean.types import Label, Page

HTML = """<ul><li><a href=1>Home</a></li><li><a href=2>News</a></li></ul>
<div><h1>Ferry</h1><p>One <b>two</b></p><p>three <a href=3>four</a></p></div>"""


def solid(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("method", METHODS)
def test_segments_are_the_page(method: str, demo_gold: list[GoldPage]) -> None:
    for gold in demo_gold[::3]:
        blocks = split(gold.page)
        found = segments(gold.page, method)
        assert solid("".join(one.text for one in found)) == solid("".join(blocks.texts)), gold.id
        assert sum(one.size for one in found) == len(solid("".join(blocks.texts)))
        paths = [one.xpath for one in found]
        assert len(set(paths)) == len(paths)
        nested = [part for whole in paths for part in found if part.xpath.startswith(whole + "/")]
        assert not nested or (method == "links" and min(part.link_share for part in nested) >= 0.5)
        inside = [block for one in found for block in dict.fromkeys(one.blocks)]
        assert inside == sorted(inside)
        assert set(inside) == set(range(len(blocks)))


@pytest.mark.parametrize("method", METHODS)
@given(html=MARKUP)
def test_any_page_has_its_segments(method: str, html: str) -> None:
    blocks = split(Page(html))
    found = segments_of(blocks, SegmentParams(method))
    assert solid("".join(one.text for one in found)) == solid("".join(blocks.texts))
    assert all(0 <= one.link_share <= 1 and one.energy >= 0 for one in found)


def test_a_segment_by_hand() -> None:
    params = SegmentParams(energy=EnergyParams(dissipation=2.0))  # k = 5: q = 0.4
    *_, article = segments(HTML, "links", params)
    assert article.xpath == "/html[1]/body[1]/div[1]"
    assert article.text == "Ferry\nOne two\nthree four"
    assert article.blocks == (2, 3, 4)
    assert article.size == 20
    assert article.energy == pytest.approx(
        0.4 * (0.4 * 5 + 0.4 * (3 + 0.4 * 3) + 0.4 * (5 + 0.4 * 4))
    )
    assert article.link_share == 4 / 20
    assert article.labels == ()


def test_block_in_two_segments() -> None:
    html = "<ul>" + "<li>by <a href=1>one</a> to <a href=2>two</a></li></ul>"
    found = segments(html, "links")
    assert [(one.text, one.blocks) for one in found] == [
        ("by", (0,)),
        ("one", (0,)),
        ("to", (0,)),
        ("two", (0,)),
    ]


def test_labels_come_from_a_tagger(tagger: CrfTagger, demo_gold: list[GoldPage]) -> None:
    page = demo_gold[0].page
    labels = tagger.tag(split(page)).labels
    for one in segments(page, tagger=tagger):
        assert one.labels == tuple(Label(labels[block]) for block in one.blocks)
    assert all(one.labels == () for one in segments(page))
