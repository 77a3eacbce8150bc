"""Tests of the columns of `native/columns.c`."""

from __future__ import annotations

import pytest
from htmlpages import measures_of

from crfclean.model.coarse_kinds import coarse_kinds
from crfclean.model.columns import FEATURES
from crfclean.model.zones import main_heading
from crfclean.pipeline import clean
from crfclean.types import CoarseKind, Label

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "
TITLE = "<title>Ferry in the ice | The Probe</title>"
STORY = f"<p>{PROSE}</p><p>{PROSE}</p>"


def heading(html: str) -> str:
    """The text of the main heading, "" if there is none."""
    page = measures_of(html)
    index = main_heading(page)
    return page.table.plain_texts[index] if index >= 0 else ""


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


def test_kinds_and_text_go_by_it() -> None:
    html = f"{TITLE}<div class=logo><h1>The Probe</h1></div><h2>Ferry in the ice</h2>{STORY}"
    page = measures_of(html)
    assert main_heading(page) == 1
    assert FEATURES["is_headline"](page)[1] == 0
    assert coarse_kinds(page).tolist()[:2] == [CoarseKind.HEADERS, CoarseKind.TITLE]
    assert clean(html).tags.labels[1] == Label.HEADER
