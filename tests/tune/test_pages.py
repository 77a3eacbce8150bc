"""Tests of `tune/pages.py`: which corrected pages are taken, and how they are held out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crfclean import CrfcleanError, Page, Tagger, load
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.tune.pages import folds_of, read_pages, scores, share_on_page

SENTENCE = "The river rose by two metres in a single night, and the harbour was closed until noon. "
HTML = f"<article><h1>River rises</h1><p>{SENTENCE * 3}</p><p>{SENTENCE * 4}</p></article>"
TEXT = f"River rises\n{SENTENCE * 3}\n{SENTENCE * 4}"


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return load()


def gold(text: str = TEXT, name: str = "a.html", site: str = "s", html: str = HTML) -> GoldPage:
    return GoldPage(name, Page(html), text, "s", site)


def test_pages_have_votes_and_the_default_score(tagger: Tagger) -> None:
    same, shorter = read_pages([gold(), gold(TEXT.removeprefix("River rises\n"))], tagger)
    assert (same.is_same, same.f1) == (True, 1.0)
    assert not shorter.is_same
    assert shorter.f1 == scores([shorter], tagger)[0] < 1
    assert list(same.votes.values()) == [1.0]
    assert [share_on_page(gold(text), split(Page(HTML))) for text in (TEXT, "")] == [1.0, 0.0]
    assert list(shorter.votes.values()) == [0.0]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "not enough"),
        ([TEXT], "correct five to ten"),
        (["", " \n"], "all texts are empty"),
        ([TEXT, ""], "not enough"),
        ([TEXT, "Quite another page about the price of sugar, with other words"], "b.html: "),
    ],
)
def test_pages_that_say_too_little_are_refused(
    tagger: Tagger, texts: list[str], message: str
) -> None:
    golds = [gold(text, name) for text, name in zip(texts, ("a.html", "b.html"), strict=False)]
    with pytest.raises(CrfcleanError, match=message):
        read_pages(golds, tagger)


def test_sites_are_held_out_whole(tagger: Tagger) -> None:
    few = read_pages([gold(site=site) for site in "aab"], tagger)
    many = read_pages([gold(site=site) for site in "abcab"], tagger)
    assert folds_of(few) == [0, 1, 2]
    assert folds_of(few, 2) == [0, 1, 0]
    assert folds_of(many) == [0, 1, 2, 0, 1]
    assert folds_of(many, 2) == [0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    ("address", "stated", "site"),
    [
        (None, "https://www.a.example/1", "s a.example"),
        (None, "", "s"),
        (None, "/1", "s"),
        ("https://b.example/1", "https://a.example/1", "s"),
    ],
)
def test_pages_of_a_directory_are_told_apart_by_host(
    tagger: Tagger, address: str | None, stated: str, site: str
) -> None:
    html = f'<head><link rel="canonical" href="{stated}"></head>{HTML}'
    page = replace(gold(html=html), page=Page(html, address))
    assert read_pages([page, page], tagger)[0].site == site
