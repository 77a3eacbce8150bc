"""Tests of `features/zones.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import zone_elements, zones
from crfclean.lexicon.markup import KIND_MARKUP
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Kind, Page

LINKS = "<ul><li><a href=a>A colder river</a><li><a href=b>Ice on the lake</a></ul>"
TEXT = "<p>" + "The river rose again this morning, and nobody slept. " * 5 + "</p>"
HEAD = f"<title>The river rose</title><h1>The river rose</h1>{TEXT}"


def measure(html: str) -> Measures:
    return Measures(split(Page(html)))


def names(html: str) -> list[str]:
    """The zones of the blocks after the first two, "" for none."""
    kinds = zones(measure(HEAD + html)).tolist()[2:]
    return [Kind(kind).name.lower() if kind else "" for kind in kinds]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div><h3>Related articles</h3>{LINKS}</div>", ["teaser"] * 3),
        (f"<div><h3>Similar</h3>{LINKS}<p>Monday</p></div>", ["teaser"] * 4),
        (f"<div><h3>What helped</h3>{LINKS}</div>", [""] * 3),
        (f"<section><p>What helped.</p><h3>Read more</h3>{LINKS}<p>Sand.</p></section>",
         ["", "teaser", "teaser", "teaser", ""]),
        ("<p>Lesen Sie auch:</p><p><a href=a>Ein kalter Fluss</a></p>", ["teaser", "teaser"]),
        ("<p>Read also: <a href=a>A colder river than any before</a></p>", ["teaser"]),
        ("<h3>Read more</h3><p>Sand, pumps and patience helped.</p>", ["", ""]),
        (f"<div><h3>Related work</h3>{TEXT}</div>{TEXT}", ["", "", ""]),
    ],
)  # fmt: skip
def test_a_teaser_is_a_heading_with_links(html: str, expected: list[str]) -> None:
    assert names(html) == expected


def test_an_appeal_is_short() -> None:
    """A section on the market share of sand is no button to share the page."""
    assert names(f"<div id=market-share><p>Sand.</p></div>{TEXT}") == ["promo", ""]
    assert names(f"<div id=market-share>{TEXT * 4}</div>{TEXT * 5}") == [""] * 9


@pytest.mark.parametrize("group", KIND_MARKUP)
def test_words_of_each_group_say_what_an_element_is_for(group: str) -> None:
    kind = Kind[group.removeprefix("for_").upper()]
    for word in KIND_MARKUP[group].split():
        measures = measure(f"{HEAD}<div class='x-{word}'><p>Sand.</p></div>")
        element = measures.blocks.nodes.attributes.index({"class": f"x-{word}"})
        marked = zone_elements(measures)[element]
        assert marked == (0 if kind in (Kind.LEAD, Kind.BYLINE) else kind), word
