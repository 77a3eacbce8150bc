"""Tests of `features/core_zones.py`."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from crfclean.core import native
from crfclean.features.beginnings import beginnings
from crfclean.features.block_kinds import apart_kinds
from crfclean.features.core_zones import _of_page
from crfclean.features.headline import likeness_to_titles
from crfclean.features.main_heading import main_heading
from crfclean.features.zones import _TAG_SETS, _core_params, zones
from crfclean.lexicon.markup import KIND_MARKUP
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Blocks, Kind, Page
from eval.lib.cores import differing_kinds, without_core

pytestmark = pytest.mark.skipif(native.CORE is None, reason="there is nothing to compare")

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
    return {value for blocks in pages(seed, 60) for value in function(Measures(blocks))}


@pytest.mark.parametrize("seed", range(40))
def test_zones_and_headings_are_equal(seed: int) -> None:
    for blocks in pages(seed, 25):
        assert not differing_kinds(blocks)


def test_the_pages_have_all_kinds() -> None:
    kinds = {Kind.COMMENT, Kind.TEASER, Kind.PROMO, Kind.NOTICE, Kind.NAVIGATION, Kind.LEGAL}
    assert kinds | {0} == of_all(lambda page: zones(page).tolist())
    apart = of_all(lambda page: apart_kinds(page).tolist())
    assert {Kind.TITLE, Kind.BYLINE, Kind.CAPTION} == apart - kinds - {0}
    assert len(of_all(lambda page: [main_heading(page)])) > 5


def test_a_known_main_heading_is_taken() -> None:
    blocks = split(
        Page(f"<title>River rose</title><div class=share><h1>River rose</h1></div>{TEXT}")
    )
    known, asked = Measures(blocks), Measures(blocks)
    main_heading(known)
    zones(asked)
    assert main_heading(known) == main_heading(asked)
    assert zones(known).tolist() == zones(asked).tolist()


@pytest.mark.parametrize(
    "html",
    [
        "<title>\u6f22\u5b57 \u6f22</title><h1>\u6f22\u5b57 \u6f22</h1><p>x",
        f"<title>River rose</title><h1><a href='/{' ' * 300}'>River rose</a></h1>",
    ],
)
def test_python_is_asked_for_the_main_heading(html: str) -> None:
    page = Measures(split(Page(html)))
    arrays = (*_of_page(page, _TAG_SETS), *_core_params())
    assert native.CORE.zones(arrays, -2) is None
    assert native.CORE.zones(arrays, 0)[0] == 0
    zones(page)
    with without_core():
        assert main_heading(page) == main_heading(Measures(page.blocks))


def arrays_of(html: str) -> list[object]:
    page = Measures(split(Page(html)))
    assert likeness_to_titles(page).weighted is not None
    assert len(beginnings(page).groups) == len(page)
    return [*_of_page(page, _TAG_SETS), *_core_params()]


def test_other_arrays_are_refused() -> None:
    good = arrays_of("<title>a b</title><p>a</p><p><a href=x>b</a></p>")
    assert native.CORE.zones(tuple(good), -2) is not None
    for place in range(len(good)):
        bad = [*good[:place], bytes(10_000 * 8), *good[place + 1 :]]
        if place not in (24, 27, 28):  # bits of names, and tables by group and kind may be longer
            with pytest.raises(ValueError, match="zones"):
                native.CORE.zones(tuple(bad), -2)
        with pytest.raises((ValueError, TypeError, BufferError)):
            native.CORE.zones((*good[:place], None, *good[place + 1 :]), -2)


@pytest.mark.parametrize("place", [0, 3, 4, 5, 7, 8, 9, 16, 17, 22])
def test_places_beyond_the_page_are_refused(place: int) -> None:
    good = arrays_of("<title>a b</title><p>a</p><p><a href=x>b</a></p>")
    beyond = np.full_like(np.asarray(good[place]), 1_000)
    with pytest.raises(ValueError, match="belong together"):
        native.CORE.zones((*good[:place], beyond, *good[place + 1 :]), -2)
