"""The tasks of a run: pages that are read together, and lines of an old shard that are kept."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from crfclean.corpus.jobs import Job
from crfclean.corpus.members import Member, pack
from crfclean.corpus.operation import Operation, PageInput, Result, lost
from crfclean.corpus.record import Record
from crfclean.corpus.retry import OldRows, is_retried, rowless_outcome
from crfclean.corpus.shards import Pipe, Shard
from crfclean.corpus.site_groups import RecordReader, record_groups
from crfclean.corpus.tasks import Lost, Task

_PACKED_PAGES = 8  # as many pages' time a member may take to be packed


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


@dataclass(frozen=True, slots=True)
class Kept:
    """A record's line of the old shard, empty for a record without one, and what it counts as."""

    line: bytes
    outcome: str


@dataclass(frozen=True, slots=True)
class Packing:
    """What the task is about that packs a member of a shard."""

    output: OpenShard
    shard: Shard
    member: Member


@dataclass(slots=True)
class TaskQueue:
    """The tasks of pages, and those that come up while they are done, which go first."""

    pages: Iterator[Task]
    urgent: deque[Task] = field(default_factory=deque)

    def __iter__(self) -> Iterator[Task]:
        return self

    def __next__(self) -> Task:
        return self.urgent.popleft() if self.urgent else next(self.pages)


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
            yield page_input, kept or _of_job(page_input.job, result)

    def split(self) -> Iterator[About]:
        """Every input by itself, tried again."""
        for page_input, kept in zip(self.inputs, self._kept, strict=True):
            single = replace(page_input, retried=not page_input.done)
            yield About((single,), self.output, (kept,))

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


def _of_job(job: Job, result: Any) -> Any:
    """A result with its job, which the worker of a record has not had; other values as they are."""
    is_other = isinstance(result, Result) and result.job is not job
    return replace(result, job=job) if is_other else result


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


def packing_task(output: OpenShard, shard: Shard, member: Member) -> Task:
    """The task that packs a member of a shard."""
    item = member.bytes
    about = Packing(output, shard, member)
    return Task(about, item, len(item.data), pages=_PACKED_PAGES, function=pack)


def end_task(output: OpenShard) -> Task:
    """The task that ends a shard."""
    return Task(About((PageInput(output.job),), output), [End()], done=True)


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
            line = (
                _kept(record.opened, rows, output.job, may_retry=place < retried) if rows else None
            )
            inputs.append(PageInput(job, record, done=done or line is not None))
            kept.append(None if done else line)
        number += len(group)
        if number > output.done:
            yield About(tuple(inputs), output, tuple(kept))
    if rows is not None and reader.error is None:
        rows.end()


def _kept(record: Record, rows: OldRows, job: Job, *, may_retry: bool) -> Kept | None:
    """What is kept of the old shard for a record; None if its page is tried again."""
    row = rows.take(record)
    if row is None:
        return Kept(b"", rowless_outcome(record))
    return None if may_retry and is_retried(row, job) else Kept(row.line, row.outcome)
