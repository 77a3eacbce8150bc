"""Tests of `site_rules/fields.py`: where the pages of a site show their title and authors."""

from __future__ import annotations

from lxml import html
from sitepages import NAMES, site_page, tagged

from crfclean.page.blocks import split
from crfclean.site_rules.fields import field_paths
from crfclean.site_rules.ftr import to_ftr
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import SiteRules
from crfclean.types import Page


def page(name: str) -> str:
    head = f"<meta property='og:title' content='{name} and the ferry'>"
    head += f"<meta name=author content='{name} Ferry'><link rel=canonical"
    byline = f"<p class=byline>By {name} Ferry</p><div class='story'>"
    made = site_page(name).replace("<link rel=canonical", head)
    return made.replace("<div class='story'>", byline)


def rules() -> SiteRules:
    return learn("ferry.example", [page_notes(tagged(page(name))) for name in NAMES])


def test_fields_have_places() -> None:
    title, author = rules().fields
    assert (title.field, title.css, title.pages) == ("title", "div#main h1", len(NAMES))
    assert (title.precision, title.recall) == (1.0, 1.0)
    assert (author.field, author.css) == ("author", "p.byline")


def test_a_site_config_finds_them() -> None:
    lines = dict(
        line.split(": ", 1) for line in to_ftr(rules()).splitlines() if not line.startswith("#")
    )
    tree = html.fromstring(page("Zoe"))
    assert [each.text for each in tree.xpath(lines["title"])] == ["Zoe and the ferry"]
    assert [each.text for each in tree.xpath(lines["author"])] == ["By Zoe Ferry"]


def test_what_a_page_does_not_show_has_no_place() -> None:
    source = "<title>One two</title><meta name=author content='Anna Ferry'><p>Three four</p>"
    document = tagged(source)
    assert not field_paths(document, ["p"] * len(split(Page(source))))


def test_a_place_with_other_blocks_is_none() -> None:
    document = tagged(page("Anna"))
    paths = ["p"] * len(document.blocks)
    assert not field_paths(document, paths)
    paths[document.blocks.texts.index("Anna and the ferry")] = "h1"
    assert field_paths(document, paths) == {"title": "h1"}
