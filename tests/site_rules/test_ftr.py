"""Tests of `site_rules/ftr.py`: site configs that find the text."""

from __future__ import annotations

from lxml import html
from sitepages import NAMES, site_page, tagged

from crfclean.site_rules.ftr import to_ftr
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import SiteRules


def values(config: str, directive: str) -> list[str]:
    lines = [line.partition(": ") for line in config.splitlines() if not line.startswith("#")]
    return [value for name, _, value in lines if name == directive]


def test_a_config_finds_the_text() -> None:
    pages = [page_notes(tagged(site_page(name), f"https://ferry.example/{name}")) for name in NAMES]
    config = to_ftr(learn("ferry.example", pages))
    (body,) = values(config, "body")
    (element,) = html.fromstring(site_page("Zoe")).xpath(body)
    assert element.get("class") == "story"
    assert values(config, "test_url") == ["https://ferry.example/Anna"]
    assert values(config, "prune") == ["no"]


def test_a_config_has_no_lines_of_others() -> None:
    config = to_ftr(SiteRules("a\nbody: //x", 4, example="https://a.example/\nstrip: //y"))
    assert not values(config, "body")
    assert not values(config, "strip")
