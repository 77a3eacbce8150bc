"""Tests of `corpus/site_report.py`: what was learned of sites, as files."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from sitepages import NAMES, site_page, write_site

from crfclean.corpus.clean import BatchParams
from crfclean.corpus.learn_sites import LearnedSite, learn_sites
from crfclean.corpus.limits import PageLimits
from crfclean.corpus.record import Record
from crfclean.corpus.site_report import MAX_SITES, SiteReport
from crfclean.site_rules.values import Region, SiteRules
from crfclean.taggers.crf import CrfTagger
from crfclean.types import CrfcleanError


@pytest.fixture
def params(tagger: CrfTagger) -> BatchParams:
    return BatchParams(tagger, sends_pages=True)


def report_of(sites: Sequence[LearnedSite]) -> SiteReport:
    report = SiteReport()
    for site in sites:
        report.add(site)
    return report


def site(name: str, precision: float = 0.9, examples: tuple[Record, ...] = ()) -> LearnedSite:
    region = Region("div#main", "//div[@id='main']", 8, precision, precision)
    return LearnedSite(SiteRules(name, 8, text=(region,)), examples)


def test_the_report_of_learned_sites(tmp_path: Path, params: BatchParams) -> None:
    write_site(tmp_path / "pages")
    learned = list[LearnedSite]()
    learn_sites([tmp_path / "pages"], params, learned.append)
    folder = tmp_path / "report"
    report_of(learned).write(folder, params, 1, "Nothing left out.")
    pages = [f"site-01-page-{number}.html" for number in (1, 2, 3)]
    assert sorted(path.name for path in folder.iterdir()) == ["index.html", *pages, "site-01.html"]
    index = (folder / "index.html").read_text("utf-8")
    assert re.findall('href="([^"]+)"', index) == ["site-01.html"]
    assert "Nothing left out." in index
    rules = (folder / "site-01.html").read_text("utf-8")
    assert re.findall('href="([^"]+)"', rules) == pages
    page = (folder / pages[0]).read_text("utf-8")
    assert "The rules of ferry.example alone keep" in page
    assert "data-crf-paint" in page


def test_the_least_sure_sites_are_shown(tmp_path: Path, params: BatchParams) -> None:
    sites = [site(f"s{number}", 1 - number / 100) for number in range(MAX_SITES + 5)]
    report_of([*sites, LearnedSite(SiteRules("none", 4))]).write(tmp_path, params, 1, "")
    index = (tmp_path / "index.html").read_text("utf-8")
    names = re.findall(">([^<]+)</a>", index)
    assert names == ["none", *(f"s{number}" for number in range(MAX_SITES + 4, 5, -1))]
    assert f"The least sure {MAX_SITES} of {MAX_SITES + 6} sites." in index


def test_a_page_that_fails_is_named(tmp_path: Path, tagger: CrfTagger) -> None:
    params = BatchParams(tagger, limits=PageLimits(max_seconds=0.01))
    slow = Record("slow.html", "<p>word word word word</p>" * 20_000)
    report_of([site("a", examples=(slow,))]).write(tmp_path, params, 1, "")
    assert "slow.html<span>cannot be shown" in (tmp_path / "site-01.html").read_text("utf-8")
    assert not (tmp_path / "site-01-page-1.html").exists()


def test_it_is_the_same_with_workers(tmp_path: Path, params: BatchParams) -> None:
    records = tuple(Record(name, site_page(name)) for name in NAMES[:3])
    contents = []
    for workers in (1, 2):
        folder = tmp_path / str(workers)
        report = report_of([site("a", 0.8, records), site("b", 0.7, records)])
        report.write(folder, params, workers, "")
        contents.append({path.name: path.read_bytes() for path in folder.iterdir()})
    assert contents[0] == contents[1]
    assert len(contents[0]) == 9


def test_a_folder_that_cannot_be_written(tmp_path: Path, params: BatchParams) -> None:
    (tmp_path / "report").touch()
    with pytest.raises(CrfcleanError, match="cannot be written"):
        report_of([site("a")]).write(tmp_path / "report", params, 1, "")
