"""Tests of `view/rule_overlay.py`: a page by the rules of its site."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sitepages import NAMES, NOTICE, site_page, tagged

from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import SiteRules
from crfclean.types import Page
from crfclean.view.overlay_file import view_html
from crfclean.view.rule_overlay import rules_view

BYLINE = "<p>Short words that are in the element of the text alone</p>"


@pytest.fixture(scope="module")
def rules() -> SiteRules:
    return learn("ferry.example", [page_notes(tagged(site_page(name))) for name in NAMES])


def view(html: str, rules: SiteRules) -> dict[str, Any]:
    return rules_view(Page(html), tagged(html), rules)


def test_what_the_rules_alone_keep(rules: SiteRules) -> None:
    html = site_page("Ida").replace("<div class=gift>", BYLINE + "<div class=gift>")
    shown = view(html, rules)
    kept = {block["text"][:8]: block["kept"] for block in shown["blocks"]}
    outside = {"Home pag": False, "Ida and ": False, "Readers ": False}
    assert kept == {**outside, "Ida went": True, ".reve sa": True, "Short wo": True}
    assert shown["about"] == "The rules of ferry.example alone keep 3 of 6 blocks. "
    assert (shown["kept"], shown["total"]) == (3, 6)
    assert all(not {"kind", "likely_kind"} & set(block) for block in shown["blocks"])


def test_reasons_name_the_rules(rules: SiteRules) -> None:
    blocks = view(site_page("Ida"), rules)["blocks"]
    home, notice = blocks[0], blocks[-1]
    (region,) = rules.text
    story = next(block for block in blocks if block["text"].startswith("Ida went"))
    assert story["because"][0].startswith(f"It stands in {region.css}, which holds the text")
    assert f"precision {region.precision:.2f}" in story["because"][0]
    assert any("of the words, on 8 pages" in words for words in story["because"])
    assert home["because"][0] == "It stands in no element that holds the site's text."
    assert "Its text stands on 8 of 8 pages." in home["because"]
    assert notice["text"] == NOTICE
    assert "Its text stands on 8 of 8 pages." in notice["because"]


def test_elements_that_are_left_out(rules: SiteRules) -> None:
    gift = rules.text[0].__class__("div.gift", "//div", 8, 0.02, 0.0)
    changed = SiteRules("ferry.example", 8, text=rules.text, strip=(gift,))
    last = view(site_page("Ida"), changed)["blocks"][-1]
    assert (last["text"], last["kept"]) == (NOTICE, False)
    assert last["because"] == [
        "It stands in div.gift, which is left out: 2% of it is text, on 8 pages."
    ]
    assert last["but"][0].startswith("It stands in")


def test_marks_stand_on_the_page(rules: SiteRules) -> None:
    page = view(site_page("Ida"), rules)["page"]
    marks = re.findall(r'data-crf-kind="([^"]+)"', page)
    assert "text" in marks
    assert "repeats" in marks
    assert set(marks) <= {"title", "author", "text", "left out", "repeats"}


def test_another_template_keeps_nothing(rules: SiteRules) -> None:
    html = "<body><table><tr><td><p>" + "Some other words. " * 20 + "</p></table></body>"
    shown = view(html, rules)
    assert shown["kept"] == 0
    assert shown["status"] == "nothing-kept"
    assert shown["notes"] == ["No block was kept."]


def test_it_is_a_file_like_the_view(rules: SiteRules) -> None:
    html = view_html(view(site_page("<script>alert(1)</script>"), rules))
    assert html.count("<script") == 2
    (data,) = re.findall(r'id="data">(.*?)</script>', html)
    assert json.loads(data)["about"].startswith("The rules of ferry.example")
