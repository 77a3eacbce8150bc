"""Tests of `decision/further.py`: whole articles below the article of a page."""

from __future__ import annotations

import pytest
from decided import ARTICLE, decided, is_kept

from crfclean.types import Rule

PROSE = "The ferry stayed in its harbour, and nobody on the island could buy bread for a week. "


def article(heading: str, word: str) -> str:
    """Return an article with a heading, whose text begins with a word."""
    return f"<article>{heading}<p>{word}. {PROSE * 4}</p><p>{PROSE * 3}</p></article>"


FIRST = article("<h1>Ferry in the ice</h1>", "First")
NEXT = "<h1><a href=/next>A colder lake</a></h1>"


def test_further_articles_are_the_next_pages() -> None:
    for inside in ("{}", "<div class=scroll>{}</div>"):
        below = inside.format(article(NEXT, "Second") + article(NEXT, "Third"))
        made = decided(FIRST + below, 0.95, ARTICLE, convention="auto")
        assert is_kept(made, "First.")
        assert not any(is_kept(made, word) for word in ("Second.", "Third.", "A colder lake"))
        assert made.rule("Second.") == Rule.END


KEPT = {
    "posts without a heading": FIRST + article("", "Second"),
    "headings that lead nowhere": FIRST + article("<h2>A colder lake</h2>", "Second"),
    "headings with links to themselves": FIRST
    + article("<h2><a href=#lake>A colder lake</a></h2>", "Second"),
    "a listing": article("<h1><a href=/first>Ferry in the ice</a></h1>", "First")
    + article(NEXT, "Second"),
    "articles inside the first": FIRST.replace(
        "</article>", article(NEXT, "Second") + "</article>"
    ),
    "hardly anything above": f"<article><h1>Ferry</h1><p>{PROSE}</p></article>"
    + article(NEXT, "Second"),
}


@pytest.mark.parametrize("html", KEPT.values(), ids=KEPT)
def test_other_articles_are_kept(html: str) -> None:
    assert is_kept(decided(html, 0.95, ARTICLE, convention="auto"), "Second.")


def test_conventions_of_pages_keep_later_articles() -> None:
    made = decided(FIRST + article(NEXT, "Second"), 0.95, ARTICLE, convention="page")
    assert is_kept(made, "Second.")
