"""Tests of `corpus/outputs.py`: what is noted of a run's options and its input."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from batchpages import PARAMS

from crfclean.corpus.jobs import Job
from crfclean.corpus.outputs import input_state, run_options, shard_options
from crfclean.corpus.page_tasks import ShardReader
from crfclean.corpus.records import FOLDER, JSONL


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.html", "sub/b.html", "notes.txt"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
        os.utime(path, (1, 1))
    return tmp_path / "in"


def state(folder: Path) -> dict[str, object]:
    job = Job(folder, None, kind=FOLDER)
    return input_state(job, ShardReader(job, PARAMS).inputs)


def test_state_of_a_file(folder: Path) -> None:
    job = Job(folder / "a.html", None, kind=JSONL)
    assert input_state(job, []) == {"bytes": 6, "modified": 10**9}
    options = shard_options(job, PARAMS, [])
    assert options["source"] == str(folder / "a.html")
    assert options["input"] == {"bytes": 6, "modified": 10**9}
    assert options.items() >= run_options(PARAMS).items()


def test_source_that_is_no_path() -> None:
    assert shard_options(Job(None, None), PARAMS, [])["source"] == "-"
    url = "https://example.org/"
    assert shard_options(Job(None, None, url=url), PARAMS, [])["source"] == url


def test_state_of_a_directory(folder: Path) -> None:
    """Names, sizes and times of its pages; other files do not count."""
    before = state(folder)
    assert before["files"] == 2
    (folder / "notes.txt").write_text("longer")
    assert state(folder) == before
    (folder / "data.jsonl").write_text('{"html": "<p>a"}')
    assert state(folder)["files"] == 3
    (folder / "data.jsonl").unlink()
    assert state(folder) == before
    os.utime(folder / "sub" / "b.html", (2, 2))
    assert state(folder) != before
    os.utime(folder / "sub" / "b.html", (1, 1))
    assert state(folder) == before
    (folder / "sub" / "b.html").rename(folder / "sub" / "c.html")
    assert state(folder) != before
