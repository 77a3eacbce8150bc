"""The jobs of a command with one IN, and the shard that it becomes."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crfclean.products.corpus import inputs
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import Operation
from crfclean.products.corpus.params import ResumeParams
from crfclean.products.corpus.plan import Paths, plan


def jobs_of(source: str, target: str, *more: Any) -> list[Job]:
    """The jobs of IN and OUT; `more` are further arguments of `plan`."""
    return list(plan(Paths((source,), target), *more).jobs)


def shard_job(source: Path, target: Path) -> Job:
    """The job of one input that becomes one shard."""
    (job,) = jobs_of(str(source), str(target))
    return job


def small_parts(monkeypatch: pytest.MonkeyPatch, size: int = 1, pages: int = 4) -> None:
    """Let parts have about so many bytes of a file, or so many files of pages."""
    monkeypatch.setattr(inputs, "PART_BYTES", (size, size))
    monkeypatch.setattr(inputs, "PART_PAGES", (pages, pages))


def clean_shard(
    source: str | Path,
    target: str | Path,
    operation: Operation,
    workers: int = 1,
    *,
    params: ResumeParams = ResumeParams(),
) -> Counter[str]:
    """Clean one input into one shard; counts of `Result.outcome`, earlier runs included."""
    jobs = jobs_of(str(source), str(target), None, operation.fields)
    counts = Counter[str]()
    for result in clean_batch(jobs, operation, workers, params=params):
        counts.update(result.before or [result.outcome])
    return counts
