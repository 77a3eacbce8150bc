"""Tests of `features/main_heading.py`."""

from __future__ import annotations

import pytest

from crfclean.features.headline import MAX_TITLE_WORDS
from crfclean.features.kinds import coarse_kinds
from crfclean.features.table import FEATURES
from crfclean.features.zones import main_heading
from crfclean.lexicon.markup import KIND_MARKUP
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.pipeline import clean
from crfclean.types import CoarseKind, Label, Page

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
TITLE = "<title>Ferry in the ice | The Probe</title>"
STORY = f"<p>{PROSE}</p><p>{PROSE}</p>"


def measure(html: str) -> Measures:
    return Measures(split(Page(html)))


def heading(html: str) -> str:
    """The text of the main heading, "" if there is none."""
    page = measure(html)
    index = main_heading(page)
    return page.texts[index] if index >= 0 else ""


SITE_NAMES = [
    "<h1><a href=/>The Probe</a></h1>",
    "<h1><a href=https://probe.example/>The Probe</a></h1>",
    "<h1><a href=//probe.example/index.html>The Probe</a></h1>",
    "<div class=logo><h1>The Probe</h1></div>",
    "<div class=site-branding><p class=x>The Probe</p></div>",
    "<h1>The Probe</h1>",  # the last part of the title
]


@pytest.mark.parametrize("name", SITE_NAMES)
@pytest.mark.parametrize("tag", ["h1", "h2", "p"])
def test_the_name_of_the_site_is_no_main_heading(name: str, tag: str) -> None:
    html = f"{TITLE}{name}<{tag}>Ferry in the ice</{tag}>{STORY}"
    expected = "The Probe" if (name, tag) == (SITE_NAMES[-1], "p") else "Ferry in the ice"
    assert heading(html) == expected


@pytest.mark.parametrize(
    "box",
    [
        "<nav><ul><li>Ferry in the ice</ul></nav>",
        "<div class=breadcrumb><p>Ferry in the ice</p></div>",
        "<div class=newsletter><h3>The Probe in your inbox</h3></div>",
        "<div role=dialog><h2>Ferry in the ice</h2></div>",
        "<aside><h2>Ferry in the ice</h2></aside>",
        "<div class=related><h2>Ferry in the ice</h2></div>",
        "<h3 id=comments>Comments on Ferry in the ice</h3>",
        "<footer><h2>Ferry in the ice</h2></footer>",
    ],
)
def test_menus_and_promotion_hold_no_main_heading(box: str) -> None:
    html = f"{TITLE}{box}<h2>Ferry stuck in the ice</h2>{STORY}"
    assert heading(html) == "Ferry stuck in the ice"


def test_a_page_may_have_none() -> None:
    html = f"{TITLE}<div class=newsletter><h3>Get The Probe in your inbox</h3></div>{STORY}"
    assert FEATURES["is_headline"](measure(html))[0] == 1
    assert heading(html) == ""


def test_a_permalink_is_no_link_home() -> None:
    for href in ("/2024/ferry", "https://probe.example/2024/ferry", "?p=1", "#top", "x" * 500, ""):
        html = f"{TITLE}<h3><a href='{href}'>Ferry in the ice</a></h3>{STORY}<h1>Sand</h1>"
        assert heading(html) == "Ferry in the ice", href
    named = f"{TITLE}<h3><a name=1></a>Ferry in the ice</h3>{STORY}<h1>Sand</h1>"
    assert heading(named) == "Ferry in the ice"


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ("<h1>Ferries</h1>", "Ferries"),
        ("<p>Ferries</p><h1>Sand</h1>", "Sand"),  # a single word is no evidence outside an `h1`
        ("<h2>Ferries</h2><h1>Sand and ice</h1>", "Sand and ice"),
        ("<h1>Sand</h1><h1>Ferries</h1>", "Ferries"),
    ],
)
def test_titles_of_one_word(shown: str, expected: str) -> None:
    assert heading(f"<title>Ferries | The Probe</title>{shown}{STORY}") == expected


def test_a_section_yields_to_the_title() -> None:
    title = "<title>Ferry in the ice | News | The Probe</title>"
    assert heading(f"{title}<h1>News</h1><h1>Ferry stuck in the ice</h1>{STORY}").startswith(
        "Ferry"
    )


def test_without_a_title_the_first_heading_counts() -> None:
    assert heading(f"<p>Sand</p><h1>Ferry</h1><h1>Ice</h1>{STORY}") == "Ferry"
    assert heading(f"<p>Sand</p><h2>Ferry</h2>{STORY}") == ""


def test_large_elements_are_no_menus() -> None:
    story = f"<h1>Ferry in the ice</h1><p>{PROSE * 10}</p>"
    assert heading(f"{TITLE}<div class=menu>{story}</div><p>{PROSE}</p>") == "Ferry in the ice"


def test_long_blocks_are_no_heading() -> None:
    words = " ".join(f"a{number}" for number in range(MAX_TITLE_WORDS + 1))
    assert heading(f"<title>{words}</title><p>{words}</p>") == ""


@pytest.mark.parametrize("word", KIND_MARKUP["for_site"].split())
def test_words_for_the_name_of_the_site(word: str) -> None:
    html = f"<title>Ferry in the ice</title><div class='x-{word}'><h1>Ferry in the ice</h1></div>"
    assert heading(f"{html}<h3>Ferry stuck in ice</h3>{STORY}") == "Ferry stuck in ice", word


def test_kinds_and_text_go_by_it() -> None:
    html = f"{TITLE}<div class=logo><h1>The Probe</h1></div><h2>Ferry in the ice</h2>{STORY}"
    page = measure(html)
    assert main_heading(page) == 1
    assert FEATURES["is_headline"](page)[1] == 0
    assert coarse_kinds(page).tolist()[:2] == [CoarseKind.HEADERS, CoarseKind.TITLE]
    assert clean(html).tags.labels[1] == Label.HEADER


@pytest.mark.parametrize("html", ["", "<title>a b</title><div><img></div>"])
def test_pages_without_blocks(html: str) -> None:
    assert main_heading(measure(html)) == -1


def test_many_titles_and_links_are_bounded() -> None:
    titles = "".join(f"<meta property=og:title content='one{n} two{n}'>" for n in range(2_000))
    links = "".join(f"<p><a href='//{'a' * 500}'>one{n} two</a></p>" for n in range(2_000))
    assert heading(f"{titles}{links}<h1>one0 two0</h1>") == "one0 two0"


def test_the_best_of_many_likely_headings_is_taken() -> None:
    others = "".join(f"<h1>Ferry sails again {word}</h1>" for word in "now late soon twice".split())
    page = Measures(
        split(
            Page(f"<title>Ferry sails again today</title>{others}<h1>Ferry sails again today</h1>")
        )
    )
    assert main_heading(page) == len(page) - 1
    menu = (
        f"<nav>{'<h1>Ferry sails again today</h1>' * 5}</nav><h2>The ferry sails again today</h2>"
    )
    page = Measures(split(Page(f"<title>Ferry sails again today</title>{menu}")))
    assert main_heading(page) == len(page) - 1
