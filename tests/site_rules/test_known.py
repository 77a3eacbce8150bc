"""Tests of `site_rules/known.py`: which site a page is of, and whether its rules fit."""

from __future__ import annotations

import pytest
from sitepages import NAMES, site_page, tagged

from crfclean.page.blocks import split
from crfclean.site_rules.known import FIT, UNFIT, UNKNOWN, KnownSite, SiteFit, Sites, site_fit
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import SiteRules
from crfclean.types import Page

BARE = split(Page("<p>One</p>"))


@pytest.fixture(scope="module")
def site() -> KnownSite:
    return KnownSite(
        learn("ferry.example", [page_notes(tagged(site_page(name))) for name in NAMES])
    )


def test_rules_fit_the_pages_of_the_site(site: KnownSite) -> None:
    fit = site_fit(tagged(site_page("Zoe")), Sites({"ferry.example": site}))
    assert (fit.site, fit.fit, fit.verdict) == ("ferry.example", 1.0, FIT)


def test_rules_do_not_fit_another_template(site: KnownSite) -> None:
    html = site_page("Zoe", "report").replace("id=main", "id=frame").replace("gift", "plea")
    fit = site_fit(tagged(html), Sites({"ferry.example": site}))
    assert (fit.fit, fit.verdict) == (0.0, UNFIT)


def test_a_page_of_another_site_is_unknown(site: KnownSite) -> None:
    document = tagged(site_page("Zoe", host="rail.example"))
    assert site_fit(document, Sites({"ferry.example": site})) == SiteFit("", 0.0)
    assert SiteFit("", 0.0).verdict == UNKNOWN


def test_a_page_without_text_fits_nothing(site: KnownSite) -> None:
    fit = site_fit(tagged("", "https://ferry.example/1"), Sites({"ferry.example": site}))
    assert fit == SiteFit("ferry.example", 0.0)


def test_sites_of_pages_without_a_host() -> None:
    one, two = KnownSite(SiteRules("one", 4)), KnownSite(SiteRules("two", 4))
    both = Sites({"one": one, "two": two})
    assert both.of(None, BARE, "two") is two
    assert both.of(None, BARE, "three") is None
    assert Sites({"one": one}).of(None, BARE, "three") is one, "the only one"
    assert Sites({"one": one}).of("https://two.example/", BARE) is None
