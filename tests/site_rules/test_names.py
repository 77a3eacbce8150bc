"""Tests of `site_rules/names.py`: which site a page is of."""

from __future__ import annotations

import pytest

from crfclean.page.blocks import split
from crfclean.site_rules.names import site_of
from crfclean.types import Page

CANONICAL = "<link rel=Canonical href='https://www.one.example/a'>"
SHARED = "<meta property='og:url' content='https://two.example/a'>"


@pytest.mark.parametrize(
    ("url", "head", "site"),
    [
        ("https://www.zero.example/1", CANONICAL, "zero.example"),
        (None, SHARED + CANONICAL, "one.example"),
        (None, SHARED, "two.example"),
        (None, "<link rel=canonical href='/a'>", ""),
        ("file:///a.html", "", ""),
        (None, "<body>" + CANONICAL, ""),
    ],
)
def test_a_site_is_a_host(url: str | None, head: str, site: str) -> None:
    blocks = split(Page(f"<html><head>{head}<body><p>One</p>"))
    assert site_of(url, blocks) == site
