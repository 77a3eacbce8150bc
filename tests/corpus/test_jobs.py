"""Tests of `corpus/jobs.py`: jobs, their names, and those that would write the same file."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from crfclean.corpus.jobs import Folders, Job
from crfclean.corpus.plan import refuse_clashes
from crfclean.corpus.records import FOLDER

JOBS = {
    "-": Job(None, None),
    "a/b.html": Job(Path("a/b.html"), None),
    "https://x.example/": Job(None, None, url="https://x.example/"),
    "out.jsonl": Job(None, Path("out.jsonl"), kind=FOLDER, shard="jsonl", sources=("a", "b")),
}


@pytest.mark.parametrize("name", JOBS)
def test_names(name: str) -> None:
    assert JOBS[name].name == name


def test_a_job_is_small_however_many_inputs_its_run_has() -> None:
    """Each page carries its job to another process."""
    job = Job(Path("in/a.html"), Path("out/a.txt"), folders=Folders("9 inputs abc", Path("out")))
    assert len(pickle.dumps(job)) < 1_000


CLASHES = {
    "same": ("o/a.txt", "o/a.txt", "would write the same o/a.txt as 1"),
    "case": ("o/A.txt", "o/a.txt", "would write the same file as 1 where names ignore case"),
    "case of a directory": ("O/a.txt", "o/a.txt", "the same file as 1 where names ignore case"),
    "Unicode": ("o/\u00e1.txt", "o/a\u0301.txt", "the same file as 1 where names ignore case"),
    "both": ("o/N\u00c1.txt", "o/na\u0301.txt", "the same file as 1 where names ignore case"),
    "sharp s": ("o/Stra\u00dfe", "o/strasse", "the same file as 1 where names ignore case"),
    "other names": ("o/a.txt", "o/b.txt", ""),
    "standard output": (None, None, ""),
}


@pytest.mark.parametrize(("first", "second", "refused"), CLASHES.values(), ids=CLASHES)
def test_clashes(first: str | None, second: str | None, refused: str) -> None:
    targets = [Path(name) if name is not None else None for name in (first, second, "o/c.txt")]
    jobs = [Job(Path(str(number)), target) for number, target in enumerate(targets, 1)]
    done = list(refuse_clashes(jobs))
    assert (done[0], done[2]) == (jobs[0], jobs[2])
    assert (done[1] == jobs[1]) == (not refused)
    assert done[1].refused.endswith(refused)
    assert done[1].name == "2"
