"""Tests of `tools/drift.py`: rows of runs, falls of sites, and the report of what fell."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crfclean.decision.places import TextPlace
from crfclean.products.tools.drift import read_run, report_json, report_text
from crfclean.products.tools.falls import (
    MAX_PAGES,
    SitePage,
    fall_of,
    falls_of_sites,
    sites_in_time,
)
from crfclean.products.tools.site_text import SiteText, learned_pages
from crfclean.types import CrfcleanError

ROW: dict[str, Any] = {
    "id": "1",
    "url": "https://www.a.example/1",
    "crawled": "2026-03-01T10:00:00Z",
}
ROW |= {"status": "ok", "score": 0.9}


def read(tmp_path: Path, *rows: object) -> list[SitePage]:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return list(read_run(path))


def test_a_row_is_a_page(tmp_path: Path) -> None:
    place = {"path": "main p", "words": 7, "kept": 5}
    noted = {"site": "b.example", "places": [place]}
    page = SitePage("a.example", ROW["crawled"], "1", {"score": 0.9})
    assert read(tmp_path, ROW, ROW | {"site_places": noted}) == [
        page,
        replace(page, places=(TextPlace("main p", 7, 5),)),
    ]


@pytest.mark.parametrize(
    ("change", "site"),
    [
        ({"url": None, "site_places": {"site": "b.example"}}, "b.example"),
        ({"url": None, "id": "pages/c/1.html"}, "c"),
    ],
)
def test_sites_of_pages_without_urls(change: dict[str, Any], site: str, tmp_path: Path) -> None:
    assert [page.site for page in read(tmp_path, ROW | change)] == [site]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"status": "over-time"}, "over-time"),
        ({"url": None}, "no site"),
        ({"score": None}, "no score"),
        ({"url": "http://["}, "no site"),
    ],
)
def test_other_rows_are_no_pages(change: dict[str, Any], why: str, tmp_path: Path) -> None:
    assert not read(tmp_path, ROW | change)
    left_out = Counter[str]()
    assert not list(read_run(tmp_path / "run.jsonl", left_out))
    assert left_out == {why: 1}


@pytest.mark.parametrize("place", [{"path": "p"}, {"path": "p", "words": [], "kept": 1}])
def test_places_that_are_none(place: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(CrfcleanError, match="no rows of clean"):
        read(tmp_path, ROW | {"site_places": {"places": [place]}})


@pytest.mark.parametrize("row", [{"html": "<p>"}, [], 7])
def test_what_is_no_run(row: object, tmp_path: Path) -> None:
    with pytest.raises(CrfcleanError, match=r"run\.jsonl:1: no row of clean"):
        read(tmp_path, row)


def test_what_is_no_json(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("{\n")
    with pytest.raises(CrfcleanError, match="no rows of clean"):
        list(read_run(path))
    with pytest.raises(CrfcleanError, match="no such file"):
        list(read_run(tmp_path / "missing.jsonl"))


def test_the_report() -> None:
    pages = [
        SitePage("a.example", f"2026-03-{day + 1:02}", "", {"score": 0.9 if day < 10 else 0.2})
        for day in range(16)
    ]
    report = falls_of_sites(sites_in_time(pages))
    head, line, summary = report_text(report).splitlines()
    assert head.split() == ["site", "what", "since", "before", "after", "by", "chance"]
    assert "2026-03-11" in line
    assert "0.900 (10 pages)" in line
    assert summary.startswith("16 pages; 1 site with enough pages. 1 site got worse. ")
    values = json.loads(report_json(report))
    assert (values["sites"], values["expected_false"]) == (1, 0.01)
    assert values["falls"][0]["since"] == "2026-03-11"


@pytest.mark.parametrize(
    ("stated", "sites", "new"),
    [
        ([""] * 8 + ["new.example"] * 8, ["hafen"], ["new.example"]),  # only the new template
        (["old.example"] * 8 + ["new.example"] * 8, ["hafen"], ["new.example"]),
        (["a.example"] * 8 + ["", "x.example"] + ["a.example"] * 12, ["hafen"], []),
        (["a.example"] * 8, ["a.example"], []),
        (["a.example", "b.example", "c.example", ""] * 4, [*"abc", "hafen"], []),
    ],
)
def test_a_directory_whose_pages_name_it_differently_is_the_site(
    stated: list[str], sites: list[str], new: list[str], tmp_path: Path
) -> None:
    rows = [
        {**ROW, "url": None, "id": f"pages/hafen/{number:02}.html", "crawled": ""}
        | {"site_places": {"site": site, "places": []}}
        for number, site in enumerate(stated)
    ]
    by_site = sites_in_time(read(tmp_path, *rows))
    assert [name.removesuffix(".example") for name in by_site] == [
        name.removesuffix(".example") for name in sites
    ]
    report = falls_of_sites(by_site)
    assert [(host.site, host.host) for host in report.new_hosts] == [
        ("hafen", name) for name in new
    ]
    said = "new in hafen: 8 pages since pages/hafen/08.html state the host new.example"
    assert (said in report_text(report)) == bool(new)
    assert len(json.loads(report_json(report))["new_hosts"]) == len(new)


# falls

# falls of scores

RANDOM = np.random.default_rng(1)


def pages(scores: list[float], site: str = "a.example", measure: str = "score") -> list[SitePage]:
    return [
        SitePage(site, f"2026-03-{day + 1:02}", f"{site}/{day}", {measure: score})
        for day, score in enumerate(scores)
    ]


HIGH = [0.95, 0.9, 0.97, 0.93, 0.91, 0.96, 0.94, 0.92, 0.98, 0.99]
LOW = [0.6, 0.5, 0.7, 0.55, 0.65]


def test_a_fall_is_told_on_its_day() -> None:
    report = falls_of_sites(sites_in_time([*pages(HIGH + LOW), *pages(HIGH, "b.example")]))
    (fall,) = report.falls
    assert (fall.site, fall.measure, fall.since) == ("a.example", "score", "2026-03-11")
    assert (fall.before, fall.after) == (0.945, 0.6)
    assert (fall.pages_before, fall.pages_after) == (10, 5)
    assert fall.probability <= 0.01
    assert (report.sites, report.pages, report.expected_false) == (2, 25, 0.02)


def test_few_pages_say_nothing() -> None:
    report = falls_of_sites(sites_in_time(pages([0.9, 0.9, 0.1, 0.1, 0.1])))
    assert (report.falls, report.sites) == ((), 0)
    assert fall_of(np.array([1.0, 1, 1, 0, 0]), 0.5) == (0, 1.0)


def test_the_fit_of_rules_falls_as_well() -> None:
    rows = [
        SitePage("a", page.date, "", {"score": 0.9, "fit": page.measures["fit"]})
        for page in pages([1.0] * 12 + [0.0] * 6, measure="fit")
    ]
    assert [fall.measure for fall in falls_of_sites(sites_in_time(rows)).falls] == ["fit"]


def test_the_latest_pages_count() -> None:
    scores = [1.0] * 50 + [0.5] * MAX_PAGES
    assert fall_of(np.array(scores), 0.01)[0] == 50
    rows = [SitePage("a", "", str(place), {"score": score}) for place, score in enumerate(scores)]
    assert not falls_of_sites(sites_in_time(rows)).falls


def test_false_alarms_are_as_rare_as_said() -> None:
    """Of 400 sequences without a change 0.05 may fall: more than 34 would, once in 1,000 runs."""
    named = sum(fall_of(np.round(RANDOM.beta(8, 1, 12), 2), 0.05)[0] > 0 for _ in range(400))
    assert named <= 34


# the share of a text where its site had it


def page(number: int, *, path: str = "div#main.tag-{} div.post p") -> tuple[TextPlace, ...]:
    """The places of a page: a text in an element of its site, and a word elsewhere."""
    text = TextPlace(path.format("abcdefgh"[number % 8]), 100 + number, 90 + number)
    return text, TextPlace("ul.menu li", 40, 1)


def test_a_quarter_of_the_pages_is_learned_from() -> None:
    assert learned_pages([page(number) for number in range(40)]) == 10
    assert learned_pages([page(number) for number in range(400)]) == 20
    assert learned_pages([page(number) for number in range(5)]) == 4
    assert learned_pages([page(number) for number in range(3)]) == 0


def test_equal_pages_and_pages_without_text_teach_nothing() -> None:
    pages = [page(0), page(0), (), *(page(number) for number in range(1, 9))]
    assert learned_pages(pages) == 6
    assert learned_pages([page(0), ()] * 20) == 0


def test_text_at_the_places_of_the_site_fits() -> None:
    site = SiteText([page(number) for number in range(8)])
    assert site.fit(page(20)) == round(110 / 111, 4)
    assert site.fit(page(20, path="div#main div.post.new p")) == round(110 / 111, 4)
    assert site.fit(page(20, path="section.body p")) == 0.0
    assert site.fit(()) == 0.0


def test_places_of_two_pages_say_nothing_of_the_site() -> None:
    others = [page(number, path="div.rare p") for number in range(2)]
    site = SiteText([*others, *(page(number) for number in range(3, 9))])
    assert site.fit(others[0]) == 0.0


def rows(count: int, change: int) -> list[SitePage]:
    """The pages of a site whose template is another one from page `change` on."""
    return [
        SitePage(
            *("a.example", f"2026-03-{number + 1:02}", str(number), {"score": 0.9}),
            places=page(number) if number < change else page(number, path="section.body p"),
        )
        for number in range(count)
    ]


def test_a_new_template_is_a_fall_of_the_fit() -> None:
    (fall,) = falls_of_sites(sites_in_time(rows(28, 20))).falls
    assert (fall.measure, fall.since) == ("fit", "2026-03-21")
    assert (fall.pages_before, fall.pages_after) == (13, 8)
    assert not falls_of_sites(sites_in_time(rows(28, 28))).falls


def test_other_models_are_told() -> None:
    """A fall of all scores was that of `--keep heading` in the second run."""
    pages = rows(12, 12)
    other = [*pages[:6], *(replace(each, model="0123456789abcdef") for each in pages[6:])]
    told = "1 site cleaned by several models or with several options"
    for each, count in ((pages, 0), (other, 1)):
        report = falls_of_sites(sites_in_time(each))
        assert report_text(report).count(told) == json.loads(report_json(report))["mixed"] == count


def test_pages_that_are_learned_from_have_no_fit() -> None:
    pages = [*rows(12, 12), SitePage("a.example", "2026-03-30", "x", {"score": 0.9})]
    (site_pages,) = sites_in_time(pages).values()
    assert ["fit" in each.measures for each in site_pages] == [False] * 4 + [True] * 8 + [False]
    (few,) = sites_in_time(rows(3, 3)).values()
    assert all("fit" not in each.measures for each in few)
