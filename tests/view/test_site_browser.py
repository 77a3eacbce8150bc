"""Pages about sites in a real browser: their drift, their rules, and where those apply.

Needs `crfclean[browser]`, Chromium and its driver (`chromium` and `chromium-driver` in Debian).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium.webdriver", reason="needs crfclean[browser]")
from browser import NEEDED, started
from contrast import CONTRAST
from servetab import Tab
from sitepages import NAMES, site_page, tagged

from crfclean.evaluate.drift import SitePage, falls_of_sites, sites_in_time
from crfclean.evaluate.drift_page import drift_html
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import FieldPlace, SiteRules
from crfclean.types import Page
from crfclean.view.overlay_file import view_html
from crfclean.view.rule_overlay import rules_view
from crfclean.view.site_page import site_html, sites_html

pytestmark = NEEDED

HOSTILE = "<img src=x onerror=alert(1)>" + "w" * 120
every_screen = pytest.mark.parametrize(
    ("width", "scheme"), [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")]
)


@pytest.fixture(scope="module")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    browser = started(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.quit()


@pytest.fixture
def tab(driver: Any) -> Iterator[Tab]:
    driver.get_log("browser")
    yield Tab(driver)
    assert not driver.get_log("browser"), "nothing is refused by the policy, and nothing fails"


def show(tab: Tab, folder: Path, html: str, width: int = 1280, scheme: str = "light") -> None:
    """Open a file on a screen; nothing stands beside it."""
    (folder / "page.html").write_text(html, "utf-8")
    tab.size(width)
    tab.colours(scheme)
    tab.driver.get((folder / "page.html").as_uri())
    assert tab.run("return document.documentElement.scrollWidth <= innerWidth")
    assert tab.run(CONTRAST) == {}


def fallen(site: str, change: int) -> list[SitePage]:
    return [
        SitePage(site, f"2026-03-{day + 1:02}", HOSTILE, {"score": 0.9 if day < change else 0.2})
        for day in range(20)
    ]


@every_screen
def test_the_drift_of_sites(tab: Tab, tmp_path: Path, width: int, scheme: str) -> None:
    pages = [*fallen("a.example", 10), *fallen(HOSTILE, 3), *fallen("c.example", 20)]
    by_site = sites_in_time(pages)
    show(tab, tmp_path, drift_html(falls_of_sites(by_site), by_site), width, scheme)
    assert not tab.all("img")
    places = tab.run(
        "return [...document.querySelectorAll('figure')].map((figure) => {"
        "  const plot = figure.querySelector('svg').getBoundingClientRect();"
        "  const since = figure.querySelector('.since span')?.getBoundingClientRect();"
        "  const after = figure.querySelector('.after')?.getBoundingClientRect();"
        "  return since && [(after.left - plot.left) / plot.width,"
        "    (since.left - plot.left) / (plot.width - since.width)].map((at) => at.toFixed(2))"
        "})"
    )
    assert places == [["0.15", "0.15"], ["0.50", "0.50"], None]


@pytest.fixture(scope="module")
def rules() -> SiteRules:
    return learn("ferry.example", [page_notes(tagged(site_page(name))) for name in NAMES])


@every_screen
def test_the_rules_of_a_site(
    tab: Tab, rules: SiteRules, tmp_path: Path, width: int, scheme: str
) -> None:
    place = FieldPlace(HOSTILE, HOSTILE, HOSTILE, 8, 0.5, 0.5)
    long = SiteRules(HOSTILE, 8, text=rules.text * 2, fields=(place,), places=rules.places)
    show(tab, tmp_path, site_html(long, [(HOSTILE, "x.html")]), width, scheme)
    show(tab, tmp_path, sites_html([long, rules], ["1.html", "2.html"], 2, HOSTILE), width, scheme)
    assert not tab.all("img")


def test_where_rules_apply(tab: Tab, rules: SiteRules, tmp_path: Path) -> None:
    html = site_page("Ida")
    path = tmp_path / "view.html"
    path.write_text(view_html(rules_view(Page(html), tagged(html), rules)), "utf-8")
    tab.driver.get(path.as_uri())
    tab.wait(lambda: "The rules of ferry.example alone keep" in tab.at("#summary").text)
    tab.at("#after").click()
    tab.wait(lambda: tab.at("#verdict").text == "Dropped")
    assert "no element that holds the site's text" in tab.at("#because").text
    tab.driver.switch_to.frame(tab.at("iframe"))
    marks = tab.run(
        "return [...document.querySelectorAll('[data-crf-kind]')].map((m) => m.dataset.crfKind)"
    )
    tab.driver.switch_to.default_content()
    assert "text" in marks
