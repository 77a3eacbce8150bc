"""Tests of `corpus/sample.py`."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from crfclean.corpus.clean import BatchParams
from crfclean.corpus.engine import clean_batch
from crfclean.corpus.jobs import Job, PageLimits, Result
from crfclean.corpus.records import Record
from crfclean.corpus.sample import MAX_PAGE_BYTES, Sample, write_report
from crfclean.systems.load import by_name


def results(scores: Sequence[float], data: bytes | str = b"<p>Words.") -> list[Result]:
    return [
        Result(Job(Path(f"{place}.html"), None), "ok", score=score, page=Record(str(place), data))
        for place, score in enumerate(scores)
    ]


def sampled(given: Sequence[Result], size: int) -> Sample:
    sample = Sample(size)
    passed = list(sample.noted(iter(given)))
    assert [result.job for result in passed] == [result.job for result in given]
    assert not [result for result in passed if result.page is not None]
    return sample


def scores_of(sample: Sample) -> tuple[list[float], list[float]]:
    return [page.score for page in sample.least_sure], [page.score for page in sample.surest]


@pytest.mark.parametrize("seed", range(5))
def test_the_surest_and_the_least_sure(seed: int) -> None:
    scores = [place / 100 for place in range(100)]
    random.Random(seed).shuffle(scores)
    sample = sampled(results(scores), 6)
    assert scores_of(sample) == ([0.0, 0.01, 0.02], [0.99, 0.98, 0.97])
    assert sample.pages == 100
    assert max(len(sample.low), len(sample.high)) == 6


def test_equal_scores_are_chosen_by_name_whatever_the_order() -> None:
    equal = results([0.5] * 50)
    first = sampled(equal, 4)
    random.Random(1).shuffle(equal)
    second = sampled(equal, 4)
    names = [
        [page.name for page in [*sample.least_sure, *sample.surest]] for sample in (first, second)
    ]
    assert names[0] == names[1]
    assert len(set(names[0])) == 4


def test_large_pages_are_counted_and_left_out() -> None:
    given = [*results([0.1], b"a" * (MAX_PAGE_BYTES + 1)), *results([0.9])]
    sample = sampled(given, 2)
    assert (sample.pages, sample.too_large) == (2, 1)
    assert scores_of(sample) == ([], [0.9]) or scores_of(sample) == ([0.9], [])


# the report


@pytest.fixture(scope="module")
def params() -> BatchParams:
    return BatchParams(by_name("default"), sends_pages=True)


def jobs_of(folder: Path, target: Path) -> list[Job]:
    return [Job(page, target / f"{page.stem}.txt") for page in sorted(folder.glob("*.html"))]


def sampled_run(jobs: list[Job], params: BatchParams, size: int, workers: int = 0) -> Sample:
    sample = Sample(size)
    list(sample.noted(clean_batch(jobs, params, workers)))
    return sample


def test_the_report_of_a_run(demo: Path, tmp_path: Path, params: BatchParams) -> None:
    jobs = jobs_of(demo / "hafenblick", tmp_path / "out")
    sample = sampled_run(jobs, params, 3)
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
        write_report(folder, sampled_run(jobs, params, 2, workers), params, workers)
        contents.append({path.name: path.read_bytes() for path in sorted(folder.iterdir())})
    assert contents[0] == contents[1]
    assert len(contents[0]) == 3


def test_a_page_that_takes_too_long_is_named(demo: Path, tmp_path: Path) -> None:
    slow = BatchParams(by_name("default"), sends_pages=True)
    sample = sampled_run(jobs_of(demo / "hafenblick", tmp_path / "out"), slow, 2)
    limited = BatchParams(slow.tagger, limits=PageLimits(max_seconds=0.01))
    write_report(tmp_path / "report", sample, limited, workers=1)
    index = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert index.count("it took more than 0.01 s") == 2
