"""Tests of `features/zones.py`."""

from __future__ import annotations

import pytest

from crfclean.features.zones import zones
from crfclean.lexicon.markup import KIND_MARKUP
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.types import Kind, Page

LINKS = "<ul><li><a href=a>A colder river</a><li><a href=b>Ice on the lake</a></ul>"
TEXT = "<p>" + "The river rose again this morning, and nobody slept. " * 5 + "</p>"
HEAD = f"<title>The river rose</title><h1>The river rose</h1>{TEXT}"


def measure(html: str) -> Measures:
    return split(Page(html))


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


NO_ZONES = {"for_card", "for_site", "for_note", "for_review"}
"""Groups whose words alone make no zone: notes are part of the text."""


@pytest.mark.parametrize("group", sorted(set(KIND_MARKUP) - NO_ZONES))
def test_words_of_each_group_say_what_an_element_is_for(group: str) -> None:
    kind = Kind[group.removeprefix("for_").upper()]
    for word in KIND_MARKUP[group].split():
        expected = "" if kind in (Kind.LEAD, Kind.BYLINE) else kind.name.lower()
        assert names(f"<div class='x-{word}'><p>Sand.</p></div>") == [expected], word


CARD = "<div class=x-{}><a href=a>The bridge was closed</a> <p>Nobody crossed it.</p></div>"


@pytest.mark.parametrize("word", KIND_MARKUP["for_card"].split())
def test_cards_link_to_what_they_are_about(word: str) -> None:
    assert names(f"{CARD.format(word)}{TEXT}") == ["teaser", "teaser", ""]
    assert names(f"<div class=x-{word}><p>Nobody crossed it.</p></div>{TEXT}") == ["", ""]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div><h3>Sign up for our letter</h3><p>Once a week.</p><p>Address</p></div>", "promo"),
        ("<div><p>Subscribe to continue</p><ul><li>All articles<li>No ads</ul></div>", "notice"),
        ("<div><p>Empfohlener redaktioneller Inhalt</p><p>Mit Ihrer Wahl.</p></div>", "notice"),
    ],
)
def test_the_first_words_of_a_small_box_say_what_it_is(html: str, expected: str) -> None:
    kinds = names(html + TEXT)
    assert kinds == [expected] * (len(kinds) - 1) + [""]


def test_a_large_box_is_no_appeal() -> None:
    box = f"<div><p>Sign up for our letter</p>{'<p>Once a week, sand and pumps.</p>' * 12}</div>"
    assert names(box + TEXT) == ["promo", *[""] * 13]


@pytest.mark.parametrize("tag", ["div class=cookie-info", "div role=dialog", "dialog open"])
def test_long_texts_in_overlays_are_content(tag: str) -> None:
    end = tag.split(maxsplit=1)[0]
    assert names(f"<{tag}><p>Sand.</p></{end}>{TEXT}") == ["notice", ""]
    assert names(f"<{tag}>{TEXT * 40}</{end}>{TEXT * 45}") == [""] * 85
