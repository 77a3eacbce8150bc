"""Tests of `site_rules/selectors.py`: the XPath of a selector finds the same elements."""

from __future__ import annotations

import pytest
from lxml import html

from crfclean.site_rules.selectors import xpath_of

PAGE = html.fromstring(
    "<div id=main class='a  post wide'><p class='post'>1</p><main>2</main></div><div class=poster>"
)


@pytest.mark.parametrize(
    ("step", "count"),
    [
        ("div#main", 1),
        ("div.post", 1),
        ("div.post.wide", 1),
        ("p.post", 1),
        ("main", 1),
        ("p", 1),
        ("div.poster", 1),
        ("div.post.narrow", 0),
        ("p#main", 0),
    ],
)
def test_an_xpath_finds_what_the_selector_does(step: str, count: int) -> None:
    assert len(PAGE.xpath(xpath_of(step))) == count
