"""Tests of `view/site_page.py`: what is known of sites, as pages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from crfclean.site_rules.values import FieldPlace, Place, Region, RepeatedText, SiteRules
from crfclean.view.site_page import MAX_ROWS, site_html, sites_html

HOSTILE = '"><script>alert(1)</script><img src=x>'
RULES = SiteRules(
    "a.example",
    20,
    "2026-11-23",
    score=0.93,
    fit=0.97,
    text=(Region("div#main", "//div[@id='main']", 20, 0.91, 0.87),),
    strip=(Region("div.ads", "//div[x]", 12, 0.02, 0.01),),
    fields=(FieldPlace("title", "div#main h1", "//div[@id='main']//h1", 19, 0.95, 1.0),),
    places=(Place("div#main p", 20, 4321, 0.99),),
    repeated=(RepeatedText("Read more", 18, "0f"),),
)


def items(html: str, heading: str) -> list[str]:
    """The rows of a section, without tags."""
    part = html.split(f"<h2>{heading}")[1].split("</section>", maxsplit=1)[0]
    return [re.sub("<[^>]+>", " ", row) for row in re.findall("<li>(.*?)</li>", part)]


def test_the_rules_of_a_site() -> None:
    html = site_html(RULES, [("https://a.example/1", "site-01-page-1.html"), ("lost.html", "")])
    assert "What is known of a.example" in html
    assert "20 pages, learned on 2026-11-23: mean expected F1 0.930, 97% of the text" in html
    (text,) = items(html, "Elements that hold the text")
    assert text.split()[:2] == ["div#main", "//div[@id=&#x27;main&#x27;]"]
    assert "precision 0.91" in text
    assert "recall 0.87" in text
    assert "20 pages" in text
    assert items(html, "Elements in them")[0].split()[0] == "div.ads"
    assert "div#main h1" in items(html, "Fields")[0]
    assert "4,321 words" in items(html, "Places")[0]
    assert "Read more" in items(html, "Texts that repeat")[0]
    assert re.findall('href="([^"]+)"', html) == ["site-01-page-1.html"]
    assert "cannot be shown" in html


def test_nothing_known() -> None:
    html = site_html(SiteRules("a.example", 4), [])
    assert html.count("<p>None.</p>") == 6
    assert "learned on" not in html


def test_many_rows_are_counted() -> None:
    many = replace(RULES, repeated=RULES.repeated * (MAX_ROWS + 1))
    html = site_html(many, [])
    assert f"those on most pages first (30 of {MAX_ROWS + 1})" in html
    assert len(items(html, "Texts that repeat")) == MAX_ROWS


def test_sites_of_a_report() -> None:
    without = replace(RULES, site="b.example", text=())
    html = sites_html([without, RULES], ["site-01.html", "site-02.html"], 2, "2 files left out.")
    assert re.findall('href="([^"]+)">([^<]+)', html) == [
        ("site-01.html", "b.example"),
        ("site-02.html", "a.example"),
    ]
    assert "no element holds the text" in html
    assert "2 files left out." in html
    assert "The least sure" not in html
    some = sites_html([RULES], ["site-01.html"], 1_000, "")
    assert "The least sure 1 of 1,000 sites." in some


@pytest.mark.parametrize("hostile", [HOSTILE, "a\ud800<b>"])
def test_what_sites_say_is_text(hostile: str) -> None:
    rules = SiteRules(
        hostile,
        4,
        hostile,
        text=(Region(hostile, hostile, 4, 0.5, 0.5),),
        fields=(FieldPlace(hostile, hostile, hostile, 4, 0.5, 0.5),),
        places=(Place(hostile, 4, 10, 0.5),),
        repeated=(RepeatedText(hostile, 4, hostile),),
    )
    html = site_html(rules, [(hostile, "x.html")]) + sites_html([rules], ["x.html"], 1, hostile)
    assert "<script" not in html
    assert "<img" not in html
    assert "<b>\n" not in html
    assert "default-src 'none'; style-src 'unsafe-inline'" in html
