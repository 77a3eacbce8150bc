"""Tests of `teach/tune.py`: which pages are taken, of which sites, and which gains count."""

from __future__ import annotations

from dataclasses import replace

import pytest

from crfclean import CrfcleanError, Page, Tagger, load
from crfclean.page.blocks import split
from crfclean.products.teach.corrected import folds_of, tuned_pages
from crfclean.products.teach.gold import DOUBT, GoldPage, share_on_page
from crfclean.products.teach.tune import pays
from crfclean.types import Label

SENTENCE = "The river rose by two metres in a single night, and the harbour was closed until noon. "
HTML = f"<article><h1>River rises</h1><p>{SENTENCE * 3}</p><p>{SENTENCE * 4}</p></article>"
TEXT = f"River rises\n{SENTENCE * 3}\n{SENTENCE * 4}"


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return load()


def gold(text: str = TEXT, name: str = "a.html", site: str = "s", html: str = HTML) -> GoldPage:
    return GoldPage(name, Page(html), text, "s", site)


def test_pages_have_the_default_score(tagger: Tagger) -> None:
    same, shorter = tuned_pages([gold(), gold(TEXT.removeprefix("River rises\n"))], tagger)
    assert (same.is_same, same.f1) == (True, 1.0)
    assert not shorter.is_same
    assert 0.9 < shorter.f1 < 1
    assert [share_on_page(gold(text), split(Page(HTML))) for text in (TEXT, "")] == [1.0, 0.0]


def test_blocks_in_doubt_teach_nothing(tagger: Tagger) -> None:
    html = HTML.replace("</article>", f"<p>{SENTENCE * 3}</p></article>")  # a copy
    names = (DOUBT, Label.TEXT, Label.TEXT, DOUBT)
    labels = tuple(zip(names, split(Page(html)).texts, strict=True))
    doubtful = replace(gold(TEXT.removeprefix("River rises\n"), html=html), labels=labels)
    page, _ = tuned_pages([doubtful] * 2, tagger)
    assert page.f1 == 1.0
    assert [len(part) for part in page.lesson] == [2, 2, 2, 2]
    assert page.lesson.is_text.all()


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([], "not enough"),
        ([TEXT], "label five to ten"),
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
        tuned_pages(golds, tagger)


def test_sites_are_held_out_whole(tagger: Tagger) -> None:
    few = tuned_pages([gold(site=site) for site in "aab"], tagger)
    many = tuned_pages([gold(site=site) for site in "abcab"], tagger)
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
    assert tuned_pages([page, page], tagger)[0].site == site


def test_a_directory_is_one_site_though_a_new_layout_states_an_address(tagger: Tagger) -> None:
    stated = [f"<link rel=canonical href=https://{name}.example/1>{HTML}" for name in "abc"]
    two = tuned_pages([gold(), gold(), gold(html=stated[0])], tagger)
    several = tuned_pages([gold(html=html) for html in stated], tagger)
    assert [page.site for page in two] == ["s"] * 3
    assert [page.site for page in several] == ["s a.example", "s b.example", "s c.example"]


@pytest.mark.parametrize(
    ("new", "old", "it_pays"),
    [
        ([0.9] * 5, [0.8] * 5, True),
        ([0.9] * 5, [0.9] * 5, False),
        ([0.9, 0.5, 0.5, 0.2], [0.5] * 4, False),
        ([0.8] * 5, [0.9] * 5, False),
        ([1.0], [0.0], False),
    ],
)
def test_names_must_help_on_most_pages(
    new: list[float], old: list[float], *, it_pays: bool
) -> None:
    assert pays(new, old) is it_pays
