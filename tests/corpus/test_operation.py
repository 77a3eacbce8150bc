"""Tests of `corpus/jobs.py`: pieces that are read together, and what becomes of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from crfclean.corpus.duplicates import Signer
from crfclean.corpus.jobs import (
    DONE,
    FAILED,
    LOW_SCORE,
    Job,
    PageInput,
    PageLimits,
    Result,
    lost,
    page_input,
    process_pages,
)
from crfclean.corpus.records import Fields, Record


@dataclass(frozen=True)
class Count:
    """Makes of each page how many pages it was read with."""

    limits: PageLimits = field(default_factory=PageLimits)
    fields: Fields = field(default_factory=Fields)
    site_pages: int = 5
    signer: Signer | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def prepare(self, pieces: tuple[PageInput, ...]) -> None:
        """Do nothing."""

    def make(self, inputs: Sequence[PageInput]) -> Sequence[Result]:
        """The number of the pages."""
        count = len(inputs)
        made = [Result(piece.job, "ok", text=str(count), items=count) for piece in inputs]
        return [
            replace(result, status=LOW_SCORE, text=None) if piece.record.data == b"poor" else result
            for result, piece in zip(made, inputs, strict=True)
        ]

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """What was lost."""
        return f"{record.id} {status} {message}\n".encode()


COUNT = Count()
SHARD = Job(Path("x.jsonl"), Path("y.jsonl"), kind="jsonl", shard="jsonl")


def pages(folder: Path, **texts: str) -> tuple[PageInput, ...]:
    for name, text in texts.items():
        (folder / name).write_text(text)
    jobs = (Job(folder / name, folder / f"{name}.out") for name in texts)
    return tuple(page_input(job, 99) for job in jobs)


def test_pages_are_read_together_and_written_apart(tmp_path: Path) -> None:
    results = process_pages(pages(tmp_path, a="one", b="two"), COUNT)
    assert [(one.job.source, one.status, one.items) for one in results] == [
        (tmp_path / "a", "ok", 2),
        (tmp_path / "b", "ok", 2),
    ]
    assert (tmp_path / "a.out").read_text() == (tmp_path / "b.out").read_text() == "2"


def test_what_cannot_be_read_harms_no_other(tmp_path: Path) -> None:
    good, poor = pages(tmp_path, a="one", b="poor")
    refused = page_input(Job(tmp_path / "c", None, "clashes"), 99)
    absent = page_input(Job(tmp_path / "d", None), 99)
    results = process_pages((refused, good, absent, poor), COUNT)
    assert [(one.status, one.message) for one in results] == [
        (FAILED, "clashes"),
        ("ok", ""),
        (FAILED, "cannot be read: No such file or directory"),
        (LOW_SCORE, ""),
    ]
    assert (tmp_path / "a.out").read_text() == "2"
    assert not (tmp_path / "b.out").exists()


def test_done_pages_are_read_but_not_written(tmp_path: Path) -> None:
    one, two = pages(tmp_path, a="one", b="two")
    (tmp_path / "a.out").write_text("what a run before has made")
    results = process_pages((replace(one, done=True), two), COUNT)
    assert [result.status for result in results] == [DONE, "ok"]
    assert (tmp_path / "a.out").read_text() == "what a run before has made"
    assert (tmp_path / "b.out").read_text() == "2"


def test_lost_pieces() -> None:
    known, unknown = (PageInput(SHARD, Record(name)) for name in ("7", ""))
    assert lost(known, "crashed", "it ended", COUNT) == Result(
        SHARD, "crashed", "it ended", record="7", line=b"7 crashed it ended\n"
    )
    assert lost(unknown, "crashed", "it ended", COUNT) == Result(SHARD, "crashed", "it ended")


@pytest.mark.parametrize(
    ("status", "outcome", "failed"),
    [
        ("ok", "ok", False),
        ("no-blocks", "without", False),
        ("no-posts", "without", False),
        (LOW_SCORE, LOW_SCORE, False),
        (DONE, DONE, False),
        ("crashed", "failed", True),
        ("over-blocks", "failed", True),
    ],
)
def test_outcomes(status: str, outcome: str, failed: bool) -> None:  # noqa: FBT001
    result = Result(SHARD, status)
    assert (result.outcome, result.failed) == (outcome, failed)
