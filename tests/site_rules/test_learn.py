"""Tests of `site_rules/learn.py` and `regions.py`: what the pages of a site teach."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sitepages import NAMES, NOTICE, site_page, tagged

from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.stable import text_digest
from crfclean.site_rules.values import PageNotes, SiteRules

TEXT_PLACE = "div#main div.story p"


def notes(*names: str, text_class: str = "story") -> list[PageNotes]:
    return [page_notes(tagged(site_page(name, text_class))) for name in names]


@pytest.fixture(scope="module")
def rules() -> SiteRules:
    return learn("ferry.example", notes(*NAMES), "2026-11-23", "abc")


def test_a_page_notes_its_places_and_texts() -> None:
    made = page_notes(tagged(site_page("Anna"), "https://ferry.example/1"))
    assert (made.site, made.url, made.score) == ("ferry.example", "https://ferry.example/1", 0.9)
    words, kept = made.places["div#main.tag-anna.wide div.story p"]
    assert kept == pytest.approx(0.9 * words)
    assert made.texts[text_digest(NOTICE)] == NOTICE[:60]


def test_a_page_without_a_host_is_of_its_folder() -> None:
    assert page_notes(tagged("<p>One</p>"), "pages").site == "pages"
    assert page_notes(tagged(site_page("Anna")), "pages").site == "ferry.example"


@pytest.mark.parametrize("html", ["", "<body></body>"])
def test_a_page_without_text_notes_nothing(html: str) -> None:
    assert not page_notes(tagged(html)).texts


def test_text_that_a_page_does_not_show_notes_nothing() -> None:
    document = tagged(site_page("Anna"))
    hidden = replace(document, blocks=replace(document.blocks, source="json-ld"))
    assert page_notes(hidden, "pages") == PageNotes("ferry.example", "")


def test_the_text_stands_in_an_element(rules: SiteRules) -> None:
    (text,) = rules.text
    assert (text.css, text.pages) == ("div.story", len(NAMES))
    assert text.precision == pytest.approx(0.9, abs=0.001)
    assert text.recall > 0.95


def test_places_have_no_names_of_single_pages(rules: SiteRules) -> None:
    assert rules.places[0].path == TEXT_PLACE
    assert rules.places[0].kept == pytest.approx(0.9, abs=0.001)
    assert all("tag-" not in place.path for place in rules.places)


def test_only_what_repeats_is_repeated(rules: SiteRules) -> None:
    assert {text.text for text in rules.repeated} == {"Home page", NOTICE[:60]}
    assert all(text.pages == len(NAMES) for text in rules.repeated)


def test_facts_of_the_site(rules: SiteRules) -> None:
    assert (rules.site, rules.pages, rules.learned, rules.model) == (
        *("ferry.example", len(NAMES), "2026-11-23", "abc"),
    )
    assert rules.score == 0.9
    assert rules.fit > 0.95


def test_the_order_of_pages_changes_nothing(rules: SiteRules) -> None:
    again = learn("ferry.example", notes(*reversed(NAMES)), "2026-11-23", "abc")
    assert again == rules


def test_equal_pages_count_once() -> None:
    rules = learn("ferry.example", notes(*["Anna"] * 5))
    assert (rules.pages, rules.repeated, rules.places) == (1, (), ())


def test_two_layouts_have_two_regions() -> None:
    classes = ["story"] * 5 + ["report"] * 3
    pages = []
    for name, text_class in zip(NAMES, classes, strict=True):
        html = site_page(name, text_class).replace("id=main", "").replace("wide", "")
        pages.append(page_notes(tagged(html)))
    text = learn("ferry.example", pages).text
    assert [region.css for region in text] == ["div.story", "div.report"]
    assert [region.pages for region in text] == [5, 3]


def test_what_is_no_text_inside_the_text_is_stripped() -> None:
    pages = []
    for name in NAMES:
        html = site_page(name).replace(NOTICE, "Read our letters")
        pages.append(page_notes(tagged(html)))
    rules = learn("ferry.example", pages)
    assert [region.css for region in rules.strip] == ["div.gift"]
    assert rules.strip[0].precision == pytest.approx(0.1, abs=0.001)


def test_no_pages_teach_nothing() -> None:
    rules = learn("ferry.example", [])
    assert (rules.pages, rules.text, rules.places, rules.score) == (0, (), (), 0.0)
