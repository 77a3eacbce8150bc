"""Tests of zones, main headings and kinds on pages that are made by chance."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from crfclean.lexicon.markup import KIND_MARKUP
from crfclean.model.markup import title_likeness
from crfclean.model.zones import apart_kinds, find_zones, kinds_of, main_heading, zones
from crfclean.page.blocks import split
from crfclean.page.measures import Measures, measured
from crfclean.types import Blocks, Kind, Page

TEXT = "The river rose again this morning, and nobody of the old village slept at all. "
NAMES = [words.split()[0] for words in KIND_MARKUP.values()] + ["comments"]
WORDS = (
    *("The river rose", "The probe", "Read more", "Share", "Follow us", "Subscribe now", "\u00a9"),
    *("We use cookies", "Next", "Advertisement", "Facebook", "Sand.", "River", "\u6f22", TEXT),
    *("By Jane", "fot. Jan", "<b rel=author>Jane</b>", "<time>Monday</time>"),
    *(TEXT * 4, "Read also:", "Related", "Tip: write to us", "Privacy policy"),
)
HREFS = ("/", "https://example.org", "/a", "//facebook.com/x", "https://t.me/x", " " * 201, "")
TAGS = (
    *("p", "h1", "h2", "h3", "li", "figure", "nav", "aside", "footer", "header", "article"),
    *("figcaption", "td", "address", "caption"),
)
TITLES = ("The river rose - The probe", "River | Sand", "\u6f22 \u5b57", "")


def piece(rng: random.Random) -> str:
    """A few elements, named and linked by chance."""
    text = rng.choice(WORDS)
    if rng.random() < 0.4:
        text = f"<a href='{rng.choice(HREFS)}'>{text}</a>"
    kinds = (
        f"<{tag}>{text}</{tag}>" if (tag := rng.choice(TAGS)) else "",
        f"<div class='{rng.choice(NAMES)}'>",
        "<div>",
        "</div></div>",
        f"<section id=x-{rng.choice(NAMES)}>{text}",
        "</section>",
    )
    return rng.choices(kinds, weights=(8, 2, 1, 2, 1, 1))[0]


def pages(seed: int, count: int) -> list[Blocks]:
    """Pages of such pieces, the same for a seed."""
    rng = random.Random(seed)
    heads = [f"<title>{rng.choice(TITLES)}</title>" for _ in range(count)]
    return [
        split(Page(head + "".join(piece(rng) for _ in range(rng.randrange(1, 40)))))
        for head in heads
    ]


def of_all(function: Callable[[Measures], list[int]], seed: int = 1) -> set[int]:
    return {value for blocks in pages(seed, 60) for value in function(measured(blocks))}


@pytest.mark.parametrize("seed", range(10))
def test_zones_and_headings_keep_their_promises(seed: int) -> None:
    for blocks in pages(seed, 25):
        page = measured(blocks)
        found, nodes = find_zones(page), blocks.nodes
        assert found.wide.shape == (len(nodes),)
        assert found.in_comments.shape == found.blocks.shape == (len(page),)
        assert set(found.blocks.tolist()) <= {0, *Kind}
        assert -1 <= found.heading < len(page)
        assert found.wide[[tag in ("html", "body", "main") for tag in nodes.tags]].all()
        if found.heading >= 0:
            around = found.wide[nodes.first_block <= found.heading]
            assert around.any()
            assert kinds_of(page)[found.heading] == Kind.TITLE
            assert len(page.plain_texts[found.heading]) > 0
        again = find_zones(measured(blocks))
        assert [np.array_equal(*both) for both in zip(found, again, strict=True)] == [True] * 4


def test_a_block_by_itself_says_the_same_in_every_place() -> None:
    """Blocks that are alike, in elements that are alike, are there for the same."""
    part = "<div class=share><p>Sand.</p></div><nav><p>Ice</p></nav>"
    page = split(Page(f"<h1>River rose</h1><p>{TEXT * 8}</p>{part * 9}"))
    assert zones(page).tolist()[2:] == [Kind.PROMO, Kind.NAVIGATION] * 9


def test_the_pages_have_all_kinds() -> None:
    kinds = {Kind.COMMENT, Kind.TEASER, Kind.PROMO, Kind.NOTICE, Kind.NAVIGATION, Kind.LEGAL}
    assert kinds | {0} == of_all(lambda page: zones(page).tolist())
    apart = of_all(lambda page: apart_kinds(page).tolist())
    assert {Kind.TITLE, Kind.BYLINE, Kind.CAPTION} == apart - kinds - {0}
    assert len(of_all(lambda page: [main_heading(page)])) > 5


HEADINGS = {
    "ideographs": "<title>\u6f22\u5b57 \u6f22</title><p>x</p><h2>\u6f22\u5b57 \u6f22</h2>",
    "arabic": "<title>\u0646\u0647 \u0641</title><p>x</p><h2>\u0646\u0647 \u0641</h2>",
    "thai": "<title>\u0e19\u0e49\u0e33</title><p>x</p><h2>\u0e19\u0e49\u0e33</h2>",
    "a long address": f"<title>River rose</title><p>x<h2><a href='/{' ' * 300}'>River rose</a>",
}


@pytest.mark.parametrize("case", HEADINGS)
def test_headings_of_every_script(case: str) -> None:
    page = split(Page(HEADINGS[case]))
    assert main_heading(page) == 1
    assert title_likeness(page)[1] == 1
