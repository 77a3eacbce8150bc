"""Tests of `teach/drift_page.py`: charts and the report."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from crfclean.teach.drift import SitePage, falls_of_sites, sites_in_time
from crfclean.teach.drift_page import drift_html

# the report


def site(name: str, scores: list[float], **facts: str) -> list[SitePage]:
    return [
        SitePage(
            name,
            f"2026-03-{day + 1:02}T10:00:00Z",
            f"{name}/{day}",
            {"score": score},
            **{"url": f"https://{name}/{day}", "excerpt": f"Text {day}", **facts},
        )
        for day, score in enumerate(scores)
    ]


FALLEN = site("a.example", [0.9] * 10 + [0.6] * 6)
FURTHER = site("b.example", [0.9] * 10 + [0.2] * 6)
LEVEL = site("c.example", [0.9] * 16)
RISEN = site("d.example", [0.9] * 8 + [0.95] * 8)
FEW = site("e.example", [0.9] * 5)


def page_of(*pages: SitePage, **facts: object) -> str:
    by_site = sites_in_time(pages)
    return drift_html(replace(falls_of_sites(by_site), **facts), by_site)  # type: ignore[arg-type]


def test_sites_by_their_fall() -> None:
    html = page_of(*RISEN, *FALLEN, *LEVEL, *FEW, *FURTHER, left_out={"over-time": 3})
    names = re.findall(r"<h3>([^<]+)", html)
    assert names == ["b.example", "a.example", "c.example", "d.example"]
    assert re.findall(r"<h2>([^<]+)", html) == ["Sites that fell (2)", "Other sites (2)"]
    assert "Not looked at: 1 site with too few pages, 3 rows: over-time." in html
    assert "4 sites with enough pages. 2 sites got worse. " in html
    assert html.count("<svg") == 4
    assert html.count('class="change"') == 2


def test_the_day_and_the_pages_around_it() -> None:
    html = page_of(*FALLEN)
    assert "fell by <b>0.300</b> since <b>2026-03-11</b>: 0.900 on 10 pages before" in html
    before, after = html.split("The first pages after")
    shown = [re.findall(r"Text (\d+)", part) for part in (before, after)]
    assert shown == [["7", "8", "9"], ["10", "11", "12"]]
    assert '<a href="https://a.example/9" rel="noreferrer">' in before


def test_what_pages_say_is_text() -> None:
    hostile = '"><script>alert(1)</script><img src=x>'
    html = page_of(*site(f"a{hostile}", [0.9] * 10 + [0.2] * 6, excerpt=hostile, url=hostile))
    assert "<script" not in html
    assert "<img" not in html
    assert "href" not in html


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "data:text/html,x", " https://a.example", "https://a/" + "x" * 9_999],
)
def test_only_addresses_are_links(url: str) -> None:
    assert "href" not in page_of(*site("a.example", [0.9] * 10 + [0.2] * 6, url=url))
