"""Tests of `corpus/operation.py`: one page has the result that it has in a batch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from batchpages import GOOD, PAGES, PARAMS

from crfclean.corpus.engine import clean_batch
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import FAILED, clean_single, is_single
from crfclean.corpus.signatures import DuplicateParams

JOB = Job(Path("page.html"), None)
STDIN = Job(None, None)


@pytest.mark.parametrize("name", PAGES)
def test_results_are_those_of_a_batch(name: str, tmp_path: Path) -> None:
    data, status, message = PAGES[name]
    (tmp_path / "page.html").write_bytes(data)
    job = Job(tmp_path / "page.html", None)
    (result,) = clean_single([job], PARAMS)
    assert (result.status, result.message) == (status, message)
    assert [result] == list(clean_batch([job], PARAMS, 0))


@pytest.mark.parametrize(
    "job", [Job(Path("absent.html"), None), Job(Path("page.html"), None, "would clash")]
)
def test_failures_are_those_of_a_batch(job: Job) -> None:
    (result,) = clean_single([job], PARAMS)
    assert result.status == FAILED
    assert [result] == list(clean_batch([job], PARAMS, 0))


def test_an_error_is_the_result_of_its_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.html").write_text(GOOD)
    job = Job(tmp_path / "page.html", None)

    def fail(*_: object, **__: object) -> None:
        raise ValueError("no such thing")

    monkeypatch.setattr("crfclean.corpus.clean.run", fail)
    (result,) = clean_single([job], PARAMS)
    assert (result.status, result.message) == ("error", "ValueError: no such thing")
    assert [result] == list(clean_batch([job], PARAMS, 0))


def test_what_is_single() -> None:
    assert is_single([JOB], PARAMS)
    assert is_single([STDIN], PARAMS)
    for jobs in (
        [],
        [JOB, JOB],
        [replace(JOB, target=Path("page.txt"))],
        [replace(JOB, shard="jsonl")],
        [replace(JOB, kind="warc")],
    ):
        assert not is_single(jobs, PARAMS)
    assert not is_single([JOB], replace(PARAMS, duplicates=DuplicateParams("exact")))
