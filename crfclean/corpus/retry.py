"""Which rows of a finished shard are tried again, and which records they belong to."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from crfclean.corpus.csv_rows import csv_lines
from crfclean.corpus.endings import parquet_module
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import FAILED, LOW_SCORE, Operation, Result
from crfclean.corpus.record import Record
from crfclean.corpus.streams import packed_lines
from crfclean.types import CrfcleanError

ALL_ROWS = sys.maxsize
"""The number of records of a shard that is retried as a whole (see `journal.Journal`)."""

RETRIED: Mapping[tuple[str, str], str] = {
    ("crashed", ""): "the machine, or what ran beside it, may have ended its process",
    ("over-time", ""): "the machine may have been busy, or the limit is another one now",
    ("over-memory", ""): "the machine may have been full, or the limit is another one now",
    ("stopped", ""): "its process was ended from outside",
    (FAILED, "cannot be read"): "its file could not be opened",
    (FAILED, "cannot be listed"): "its directory could not be opened",
}
"""Status, and beginning of the message, of pages that are tried again -> the reason outside."""


class RowsError(CrfcleanError):
    """Rows of a finished shard that cannot be read, or are not those of its input."""


@dataclass(frozen=True, slots=True)
class OldRow:
    """A row of a finished shard, as its line has it."""

    line: bytes
    id: str
    status: str
    message: str
    model: str

    @property
    def outcome(self) -> str:
        """What its page counts as."""
        return Result(Job(None, None), self.status).outcome


def is_retried(row: OldRow, job: Job) -> bool:
    """Whether the page of a row failed for a reason outside of it; fetching is always outside."""
    if job.url and row.status == FAILED:
        return True
    return any(
        row.status == status and row.message.startswith(beginning) for status, beginning in RETRIED
    )


def read_rows(target: Path, ending: str) -> Iterator[OldRow]:
    """The rows of a finished shard; raises `RowsError` where it is damaged."""
    try:
        yield from _read_rows(target, ending)
    except OSError as error:
        raise RowsError(f"{target} cannot be read: {error.strerror or error}") from error


def _read_rows(target: Path, ending: str) -> Iterator[OldRow]:
    for line in row_lines(target, ending):
        try:
            row = json.loads(line)
            texts = [str(row.get(name) or "") for name in ("id", "status", "message", "model")]
        except (ValueError, AttributeError) as error:
            raise OSError(0, f"no row of a shard: {error}") from error
        yield OldRow(line, *texts)


def row_lines(target: Path, ending: str) -> Iterator[bytes]:
    """The rows of a shard as lines of JSON; raises `OSError`."""
    if ending == "csv":
        return csv_lines(target)
    return parquet_module().parquet_lines(target) if ending == "parquet" else packed_lines(target)


def needs_retry(job: Job, operation: Operation, first: int) -> bool:
    """Whether any of the `first` rows of a job's finished shard is tried again.

    Raises `RowsError`, also for rows of another model.
    """
    if job.target is None:
        return False
    model = operation.options.get("model")
    for number, row in enumerate(read_rows(job.target, job.shard)):
        if model and row.model and row.model != model:
            raise RowsError(
                f"{job.target}: written with another model or other decisions, {row.model}: repeat "
                "the options, or --overwrite starts again"
            )
        if number < first and is_retried(row, job):
            return True
    return False


class OldRows:
    """The rows of a job's finished shard, taken in the order of the records.

    A record without an id has no row; one whose page scored too low, or was not wanted, may have
    none. Raises `RowsError` where rows are damaged, or rows and records are not the same pages.
    """

    def __init__(self, job: Job, operation: Operation) -> None:
        self._job = job
        options = operation.options
        self._may_lack = bool(options.get("min_score") or options.get("page_filter"))
        self._rows = read_rows(job.target, job.shard) if job.target else iter(())
        self._next = next(self._rows, None)

    def take(self, record: Record) -> OldRow | None:
        """The row of the next record, if it has one."""
        row = self._next
        if row is not None and record.id and row.id == _as_written(record.id):
            self._next = next(self._rows, None)
            return row
        if record.id and not self._may_lack:
            raise self._mismatch()
        return None

    def end(self) -> None:
        """Raise `RowsError` if a row is left."""
        if self._next is not None:
            raise self._mismatch()

    def _mismatch(self) -> RowsError:
        return RowsError(
            f"{self._job.target}: its rows are not the pages of {self._job.name}, which must have "
            "changed: --overwrite starts again"
        )


def _as_written(text: str) -> str:
    """A text as a row has it, without lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def rowless_outcome(record: Record) -> str:
    """What a record without a row counts as."""
    return LOW_SCORE if record.id else FAILED
