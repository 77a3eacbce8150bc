"""The tasks of a run: pages that are read together, and lines of an old shard that are kept."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from crfclean.corpus.jobs import Job
from crfclean.corpus.listing import ListedFile, is_folder, list_files, listed_file
from crfclean.corpus.operation import (
    FAILED,
    LEFT_OUT,
    LOW_SCORE,
    Operation,
    PageInput,
    Result,
    left_out_result,
    lost,
    outcome_of,
)
from crfclean.corpus.records import FOLDER, PAGE, Fields, Record, fetch_record, records_of
from crfclean.corpus.rows import OldRow, RowsError, read_rows
from crfclean.corpus.shards import Pipe, Shard
from crfclean.corpus.targets import STDIN, is_url
from crfclean.corpus.tasks import Lost, Task
from crfclean.page.urls import host

MAX_GROUP_BYTES = 16 * 2**20  # of records that are read together: they are held in memory


def job_groups(jobs: Sequence[Job], max_pages: int) -> Iterator[list[Job]]:
    """Groups of consecutive pages of one directory, at most `max_pages`; a shard by itself."""
    place = lambda job: (bool(job.shard), str(job.source.parent) if job.source else "")  # noqa: E731
    for (shard, _), group in groupby(jobs, key=place):
        members, size = list(group), 1 if shard else max_pages
        for start in range(0, len(members), size):
            yield members[start : start + size]


def record_groups(records: Iterable[tuple[str, Record]], max_pages: int) -> Iterator[list[Record]]:
    """Groups of consecutive records of one site: at most `max_pages`, `MAX_GROUP_BYTES` together.

    A record without a site is a group by itself. Groups depend on the records alone.
    """
    group, size, last = list[Record](), 0, ""
    for site, record in records:
        added = record.size
        if group and (not site or site != last or size + added > MAX_GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(record)
        size, last = size + added, site
        if len(group) == max_pages:
            yield group
            group, size = [], 0
    if group:
        yield group


class RecordReader:
    """Reads the records of a job's file, of all files of its directory, or of all its sources.

    What is read of directories and sources is listed once, as `inputs`: files, URLs and "-".

    Where a file cannot be read further, the records end, and `error` says why. `left_out` are the
    results of files of directories that are no pages, and of such records that were read since it
    was last emptied.
    """

    def __init__(self, job: Job, operation: Operation) -> None:
        self.error: OSError | None = None
        self._job, self._fields = job, operation.fields
        self._max_bytes = operation.limits.max_bytes
        self._opened = operation.site_pages > 1  # their sites are asked for; workers can open them
        listed = list(_listed(job, self._fields)) if job.kind == FOLDER else []
        self.inputs = [entry for entry in listed if isinstance(entry, str) or not entry.left_out]
        files = (entry for entry in listed if not isinstance(entry, str) and entry.left_out)
        self.left_out = [left_out_result(file) for file in files]

    def records(self) -> Iterator[tuple[str, Record]]:
        """Every record with its site: the host of its URL, or the directory of its page."""
        try:
            for site, record in self._records():
                if record.left_out:
                    result = Result(self._job, LEFT_OUT, record.left_out, record=record.id)
                    self.left_out.append(result)
                else:
                    yield site or host(record.url), record
        except OSError as error:
            self.error = error

    def _records(self) -> Iterator[tuple[str, Record]]:
        job = self._job
        if job.url:
            yield "", fetch_record(job.url)
        elif job.kind != FOLDER:
            yield from self._read(job.source, job.kind)
        for entry in self.inputs:
            if not isinstance(entry, str):
                yield from self._file(entry)
            elif is_url(entry):
                yield "", fetch_record(entry)
            else:
                yield from self._read(None, PAGE)

    def _read(self, path: Path | None, kind: str, site: str = "") -> Iterator[tuple[str, Record]]:
        for record in records_of(path, kind, self._fields, self._max_bytes, opened=self._opened):
            yield site, record

    def _file(self, file: ListedFile) -> Iterator[tuple[str, Record]]:
        """The records of one file of many; what cannot be read is a record, too."""
        name, site = str(file.path), str(file.path.parent) if file.kind == PAGE else ""
        try:
            if not file.refused:
                yield from self._read(file.path, file.kind, site)
                return
            problem = file.refused
        except OSError as error:
            problem = f"cannot be read: {error.strerror or error}"
        yield site, Record(name, problem=problem)


def _listed(job: Job, fields: Fields) -> Iterator[ListedFile | str]:
    for source in job.sources or ([str(job.source)] if job.source else []):
        if source == STDIN or is_url(source):
            yield source
        elif is_folder(Path(source)):
            yield from list_files(Path(source), fields)
        else:
            yield listed_file(Path(source), fields)


# rows of a finished shard

ALL_ROWS = sys.maxsize
"""The number of records of a shard that is retried as a whole (see `shards.Journal`)."""

RETRIED: Mapping[tuple[str, str], str] = {
    ("crashed", ""): "the machine, or what ran beside it, may have ended its process",
    ("over-time", ""): "the machine may have been busy, or the limit is another one now",
    ("over-memory", ""): "the machine may have been full, or the limit is another one now",
    ("stopped", ""): "its process was ended from outside",
    (FAILED, "cannot be read"): "its file could not be opened",
    (FAILED, "cannot be listed"): "its directory could not be opened",
}
"""Status, and beginning of the message, of pages that are tried again -> the reason outside."""


def is_retried(row: OldRow, job: Job) -> bool:
    """Whether the page of a row failed for a reason outside of it; fetching is always outside."""
    if job.url and row.status == FAILED:
        return True
    return any(
        row.status == status and row.message.startswith(beginning) for status, beginning in RETRIED
    )


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


@dataclass(frozen=True, slots=True)
class Kept:
    """A record's line of the old shard, empty for a record without one, and what it counts as."""

    line: bytes
    outcome: str


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
        name = record.id.encode("utf-8", "replace").decode()  # as rows have it
        if row is not None and name and row.id == name:
            self._next = next(self._rows, None)
            return row
        if record.id and not self._may_lack:
            raise self._mismatch()
        return None

    def keep(self, record: Record, *, may_retry: bool) -> Kept | None:
        """What is kept of the old shard for a record; None if its page is tried again."""
        row = self.take(record)
        if row is None:
            return Kept(b"", LOW_SCORE if record.id else FAILED)
        if may_retry and is_retried(row, self._job):
            return None
        return Kept(row.line, outcome_of(row.status))

    def end(self) -> None:
        """Raise `RowsError` if a row is left."""
        if self._next is not None:
            raise self._mismatch()

    def _mismatch(self) -> RowsError:
        return RowsError(
            f"{self._job.target}: its rows are not the pages of {self._job.name}, which must have "
            "changed: --overwrite starts again"
        )


# tasks


@dataclass(slots=True, eq=False)
class OpenShard:
    """The shard of a job while it is written; `closed` once nothing more is written.

    `done` records were done before. Of an old shard, `kept` counts the rows that are kept; if this
    run has finished it itself, `before` counts what was done before that.
    """

    job: Job
    shard: Shard | Pipe
    done: int
    closed: bool = False
    kept: Counter[str] = field(default_factory=Counter)
    before: Counter[str] | None = None

    @property
    def done_before(self) -> Counter[str]:
        """Counts of the rows that are not of this run, at the end of a shard."""
        if self.before is None:
            return self.kept
        retried = self.shard.state.records - self.kept.total()
        return self.before - Counter(failed=retried)


class End:
    """The end of a shard, behind its last record."""


@dataclass(frozen=True, slots=True)
class About:
    """What a task is about: its inputs, the output, and what is kept of them.

    Inputs of which a line is kept are `done`.
    """

    inputs: tuple[PageInput, ...]
    output: OpenShard | None = None
    kept: tuple[Kept | None, ...] = ()

    def answers(self, answer: Any, operation: Operation) -> Iterator[tuple[PageInput, Any]]:
        """Every input with what is kept of it, or with its result: the worker's, or why none."""
        results: Sequence[Any] = answer
        if type(answer) is Lost:
            status, message = answer.status, answer.message
            results = [lost(member, status, message, operation) for member in self.inputs]
        for page_input, result, kept in zip(self.inputs, results, self._kept, strict=True):
            # workers of records have not had the whole job
            is_result = isinstance(result, Result)
            own = replace(result, job=page_input.job) if is_result else result
            yield page_input, kept or own

    def split(self) -> Iterator[About]:
        """Every input by itself."""
        for page_input, kept in zip(self.inputs, self._kept, strict=True):
            yield About((page_input,), self.output, (kept,))

    @property
    def bare(self) -> About:
        """The same without the pages."""
        return replace(self, inputs=tuple(page_input.bare for page_input in self.inputs))

    @property
    def _kept(self) -> tuple[Kept | None, ...]:
        return self.kept or (None,) * len(self.inputs)


def _sent(page_input: PageInput) -> PageInput:
    """An input as workers get it: of the job of a record they need the shard's ending alone."""
    if page_input.record is None:
        return page_input
    return replace(page_input, job=Job(None, None, shard=page_input.job.shard))


def page_task(about: About) -> Task:
    """The task of some pages; if it is lost, each page becomes a task of its own."""
    inputs = about.inputs
    if all(page_input.done for page_input in inputs):
        return Task(about.bare, [None] * len(inputs), done=True)
    size = sum(page_input.size for page_input in inputs)
    parts = tuple(map(page_task, about.split())) if len(inputs) > 1 else ()
    item = tuple(map(_sent, inputs))
    return Task(about.bare, item, size, pages=len(inputs), parts=parts)


def result_task(result: Result) -> Task:
    """The task of a result that is known already, at its place in the order."""
    return Task(About((PageInput(result.job),)), [result], done=True)


def shard_pages(output: OpenShard, operation: Operation, reader: RecordReader) -> Iterator[About]:
    """The pages of a shard, from the first that is not done, as they are read together.

    If failed pages of a finished shard are tried again, all others are kept. Raises what `OldRows`
    raises.
    """
    retried, number = output.shard.retried, 0
    job = replace(output.job, sources=())  # they may be many, and workers read none of them
    rows = OldRows(output.job, operation) if retried else None
    for group in record_groups(reader.records(), operation.site_pages):
        inputs, kept = list[PageInput](), list[Kept | None]()
        for place, record in enumerate(group, number):
            done = place < output.done
            old = rows.keep(record.opened, may_retry=place < retried) if rows else None
            inputs.append(PageInput(job, record, done=done or old is not None))
            kept.append(None if done else old)
        number += len(group)
        if number > output.done:
            yield About(tuple(inputs), output, tuple(kept))
    if rows is not None and reader.error is None:
        rows.end()
