"""Tests of `teach/drift.py`: rows of runs, and the report of what fell."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crfclean.decision.names import TextPlace
from crfclean.teach.drift import (
    SitePage,
    falls_of_sites,
    read_run,
    report_json,
    report_text,
    sites_in_time,
)
from crfclean.types import CrfcleanError

ROW: dict[str, Any] = {"id": "1", "url": "https://www.a.example/1", "date": "2026-03-01T10:00:00Z"}
ROW |= {"status": "ok", "score": 0.9}


def read(tmp_path: Path, *rows: object) -> list[SitePage]:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return list(read_run(path))


def test_a_row_is_a_page(tmp_path: Path) -> None:
    place = {"path": "main p", "words": 7, "kept": 5}
    noted = {"site": "b.example", "places": [place]}
    page = SitePage("a.example", ROW["date"], "1", {"score": 0.9})
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
        {**ROW, "url": None, "id": f"pages/hafen/{number:02}.html", "date": ""}
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
