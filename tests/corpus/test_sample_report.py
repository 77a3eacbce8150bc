"""Tests of `corpus/sample.py`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from crfclean.corpus.clean import BatchParams
from crfclean.corpus.engine import clean_batch
from crfclean.corpus.jobs import Job, PageLimits
from crfclean.corpus.sample import Sample, write_report
from crfclean.systems.load import by_name


@pytest.fixture(scope="module")
def params() -> BatchParams:
    return BatchParams(by_name("default"), sends_pages=True)


def jobs_of(folder: Path, target: Path) -> list[Job]:
    return [Job(page, target / f"{page.stem}.txt") for page in sorted(folder.glob("*.html"))]


def sampled(jobs: list[Job], params: BatchParams, size: int, workers: int = 0) -> Sample:
    sample = Sample(size)
    list(sample.noted(clean_batch(jobs, params, workers)))
    return sample


def test_the_report_of_a_run(demo: Path, tmp_path: Path, params: BatchParams) -> None:
    jobs = jobs_of(demo / "hafenblick", tmp_path / "out")
    sample = sampled(jobs, params, 3)
    assert sample.pages == len(jobs) == 4
    write_report(tmp_path / "report", sample, params)
    names = sorted(path.name for path in (tmp_path / "report").iterdir())
    assert names == ["index.html", "sure-01.html", "sure-02.html", "unsure-01.html"]
    index = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "A sample: 3 of the 4 pages" in index
    assert set(re.findall(r'href="([^"]+)"', index)) == set(names[1:])
    page = (tmp_path / "report" / "sure-01.html").read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "data-crf-paint" in page


def test_it_is_the_same_with_workers(demo: Path, tmp_path: Path, params: BatchParams) -> None:
    contents = []
    for workers in (0, 2):
        jobs = jobs_of(demo / "hafenblick", tmp_path / f"out{workers}")
        folder = tmp_path / f"report{workers}"
        write_report(folder, sampled(jobs, params, 2, workers), params, workers)
        contents.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert contents[0] == contents[1]
    assert len(contents[0]) == 3


def test_a_page_that_takes_too_long_is_named(demo: Path, tmp_path: Path) -> None:
    slow = BatchParams(by_name("default"), sends_pages=True)
    sample = sampled(jobs_of(demo / "hafenblick", tmp_path / "out"), slow, 2)
    limited = BatchParams(slow.tagger, limits=PageLimits(max_seconds=0.01))
    write_report(tmp_path / "report", sample, limited, workers=1)
    index = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert index.count("it took more than 0.01 s") == 2
