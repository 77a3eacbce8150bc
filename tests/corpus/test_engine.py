"""Tests of `corpus/engine.py`: kills at any step, and inputs that change meanwhile."""

from __future__ import annotations

import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, OVERWRITE, PARAMS, RESUME
from jobplans import clean_shard, jobs_of
from killing import killed_before

from crfclean.corpus import page_tasks, resume
from crfclean.corpus.clean import TextWriter
from crfclean.corpus.engine import clean_batch
from crfclean.corpus.outputs import RECORD
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.rows import PACKERS
from crfclean.structure.parts import DEFAULT_SHOW
from crfclean.types import CrfcleanError

MAX_STEPS = 100
SMALL = 4  # records of a member
PLAIN = replace(PARAMS, writer=TextWriter(show=replace(DEFAULT_SHOW, metadata=False)))
NEEDS = {"jsonl.zst": "zstandard", "parquet": "pyarrow"}
fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a lock, and members are small."""
    monkeypatch.setattr(resume, "PATIENCE", 0.0)
    monkeypatch.setattr(page_tasks, "SLICE_RECORDS", SMALL)


def page(number: int) -> str:
    return f"{GOOD}<p>This is page number {number} of many.</p>"


def corpus(path: Path, count: int) -> Path:
    rows = ({"id": f"p{number}", "html": page(number)} for number in range(count))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def pages(folder: Path, count: int) -> Path:
    folder.mkdir()
    for number in range(count):
        (folder / f"{number}.html").write_text(page(number))
    return folder


def files(folder: Path) -> dict[str, bytes]:
    found = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found.pop(RECORD, None)
    return found


def clean(source: Path, target: Path, params: ResumeParams) -> Counter[str]:
    return clean_shard(source, target, PLAIN, 0, params=params)


# kills


@fork
@pytest.mark.parametrize("ending", PACKERS)
def test_kill_before_any_step_of_a_shard(tmp_path: Path, ending: str) -> None:
    """Whatever was done before the kill, a run that resumes gives the bytes of one unkilled."""
    if ending in NEEDS:
        pytest.importorskip(NEEDS[ending])
    count = SMALL + 2
    source, folder = corpus(tmp_path / "in.jsonl", count), tmp_path / "out"
    target = folder / f"x.{ending}"
    clean(source, target, ResumeParams())
    whole = files(folder)
    for step in range(MAX_STEPS):
        target.unlink()
        killed = killed_before(step, lambda: clean(source, target, ResumeParams()))
        counts = clean(source, target, RESUME)
        assert files(folder) == whole, f"killed before step {step}"
        assert counts in ({"ok": count}, {"done-before": 1})
        if not killed:
            break
    assert 6 <= step < MAX_STEPS - 1


@fork
@pytest.mark.parametrize("ending", ["jsonl.gz", "parquet"])
def test_kills_before_every_step_one_after_another(tmp_path: Path, ending: str) -> None:
    if ending in NEEDS:
        pytest.importorskip(NEEDS[ending])
    source, folder = corpus(tmp_path / "in.jsonl", SMALL + 2), tmp_path / "out"
    target = folder / f"x.{ending}"
    clean(source, target, ResumeParams())
    whole = files(folder)
    target.unlink()
    kills = [killed_before(step, lambda: clean(source, target, RESUME)) for step in range(20)]
    assert sum(kills) >= 5
    clean(source, target, RESUME)
    assert files(folder) == whole


@fork
def test_kill_before_any_step_of_a_directory(tmp_path: Path) -> None:
    source, out = pages(tmp_path / "in", 4), tmp_path / "out"

    def run(params: ResumeParams) -> list[str]:
        jobs = jobs_of(str(source), str(out), "txt")
        return [result.status for result in clean_batch(jobs, PARAMS, 0, params=params)]

    run(ResumeParams())
    whole = files(out)
    for step in range(MAX_STEPS):
        for path in [*out.glob("*.txt"), *out.glob(".*")]:
            path.unlink()
        killed = killed_before(step, lambda: run(ResumeParams()))
        run(RESUME)
        assert files(out) == whole, f"killed before step {step}"
        if not killed:
            break
    assert 10 <= step < MAX_STEPS - 1


# inputs that change


def begin(source: Path, target: Path, count: int) -> None:
    """Do the first pages of a shard."""
    results = clean_batch(jobs_of(str(source), str(target)), PLAIN, 0)
    for _ in range(count):
        next(results)
    results.close()  # type: ignore[attr-defined]
    assert not target.exists()


def remove(folder: Path) -> None:
    (folder / "2.html").unlink()


def add(folder: Path) -> None:
    (folder / "22.html").write_text(page(22))


def swap(folder: Path) -> None:
    remove(folder)
    add(folder)


def change(folder: Path) -> None:
    (folder / "2.html").write_text(page(2) + page(3))


def touch(folder: Path) -> None:
    os.utime(folder / "2.html", (1, 1))


@pytest.mark.parametrize(
    ("alter", "counts"),
    [
        (remove, " (9 files, now 8)"),
        (add, " (9 files, now 10)"),
        (swap, ""),
        (change, ""),
        (touch, ""),
    ],
)
def test_directory_that_changes_is_not_continued(tmp_path: Path, alter: Any, counts: str) -> None:
    source, target = pages(tmp_path / "in", 9), tmp_path / "out.jsonl"
    begin(source, target, 4)
    alter(source)
    with pytest.raises(CrfcleanError) as error:
        clean(source, target, RESUME)
    assert str(error.value) == (
        f"{target}: cannot be continued: {source} has changed since the run began{counts}: "
        "--overwrite starts again"
    )
    left = len(list(source.iterdir()))
    assert clean(source, target, OVERWRITE) == {"ok": left}
    assert len(target.read_text().splitlines()) == left
