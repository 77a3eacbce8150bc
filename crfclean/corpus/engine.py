"""The engine of a run: its tasks in order, and their results written in the same order."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from crfclean.corpus.duplicates import Duplicates, remember_output
from crfclean.corpus.jobs import Job
from crfclean.corpus.members import pack
from crfclean.corpus.operation import (
    DONE,
    FAILED,
    Operation,
    PageInput,
    Result,
    left_out_result,
    process_pages,
)
from crfclean.corpus.outputs import Earlier
from crfclean.corpus.page_tasks import (
    About,
    End,
    Kept,
    OpenShard,
    Packing,
    TaskQueue,
    end_task,
    packing_task,
    page_task,
    result_task,
    shard_pages,
)
from crfclean.corpus.records import read_page
from crfclean.corpus.retry import ALL_ROWS, RowsError, needs_retry
from crfclean.corpus.run_options import shard_options
from crfclean.corpus.shards import Pipe, Shard, is_finished, remove_leftovers
from crfclean.corpus.site_groups import RecordReader, job_groups
from crfclean.corpus.tasks import Lost, Processes, Task


@dataclass(frozen=True, slots=True)
class _Retry:
    """A shard of whose `first` records the failed are tried again; `before` counts them.

    `before` is None for a shard that an earlier run has finished.
    """

    job: Job
    first: int = ALL_ROWS
    before: Counter[str] | None = None


@dataclass(slots=True)
class BatchRun:
    """The state of a run: the shards that are open, those to retry, whether it was `stopped`.

    `duplicates` are left out, if any are to be.
    """

    pool: Processes
    earlier: Earlier
    stop: Callable[[], bool]
    duplicates: Duplicates | None = None
    stopped: bool = False
    open: list[OpenShard] = field(default_factory=list)
    retries: list[_Retry] = field(default_factory=list)
    queue: TaskQueue = field(default_factory=lambda: TaskQueue(iter(())))

    def clean(self, jobs: Sequence[Job], operation: Operation) -> Iterator[Result]:
        """Do the jobs; results come in their order, those of pages tried again at the end."""
        groups = job_groups(jobs, operation.site_pages)
        tasks = chain.from_iterable(self._tasks(group, operation) for group in groups)
        try:
            yield from self._results(tasks, operation)
            retries, self.retries = self.retries, []
            again = (self._retry_tasks(retry, operation) for retry in retries)
            yield from self._results(chain.from_iterable(again), operation)
        finally:
            for output in list(self.open):
                self._close(output, output.shard.leave)

    def stops(self) -> bool:
        """Whether the run is to stop now, with work left."""
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def _results(self, tasks: Iterator[Task], operation: Operation) -> Iterator[Result]:
        """The results of tasks, as they are written."""
        self.queue = TaskQueue(tasks)
        for about, answer in self.pool.map(process_pages, self.queue, operation):
            if isinstance(about, Packing):
                packed = pack(about.member.bytes) if type(answer) is Lost else answer
                write = partial(about.shard.write, about.member, packed)
                yield from self._tried(about.output, write)
                continue
            for page_input, answered in about.answers(answer, operation):
                result = self._compared(page_input, answered, operation)
                if about.output is not None:
                    if isinstance(result, Kept) or not page_input.done:
                        yield from self._written(about.output, result)
                else:
                    yield Result(page_input.job, DONE) if page_input.done else result

    def _compared(self, page_input: PageInput, answer: Any, operation: Operation) -> Any:
        """A result that is no duplicate of an earlier one; other answers as they are."""
        if self.duplicates is None or not isinstance(answer, Result):
            return answer
        if answer.status == DONE:
            remember_output(self.duplicates, answer.job, self._opened(answer.job))
        return self.duplicates.settled(page_input, answer, operation)

    def _opened(self, job: Job) -> Shard | None:
        """The unfinished shard of a job that is continued."""
        shards = (output.shard for output in self.open if output.job == job)
        return next((shard for shard in shards if isinstance(shard, Shard)), None)

    def _tasks(self, jobs: Sequence[Job], operation: Operation) -> Iterator[Task]:
        """The tasks of a shard, or the one task of some pages of a site."""
        if self.stops():
            return
        inputs = tuple(self._input_of(job, operation) for job in jobs)
        if all(page_input.done for page_input in inputs):
            yield from chain.from_iterable(map(self._done_tasks, jobs))
        elif jobs[0].shard and not jobs[0].refused:
            yield from self._shard_tasks(jobs[0], operation)
        else:
            yield page_task(About(inputs))

    def _input_of(self, job: Job, operation: Operation) -> PageInput:
        """The input of a job's task; standard input is read here."""
        if not job.refused and self.earlier.is_done(job):
            return PageInput(job, done=True)
        if job.source is None and not (job.shard or job.url or job.refused):
            return PageInput(job, data=read_page(None, operation.limits.max_bytes))
        return PageInput(job)

    def _done_tasks(self, job: Job) -> Iterator[Task]:
        """The task of a job that is done; the failed pages of a shard may be tried later."""
        if job.shard and job.target is not None:
            remove_leftovers(job.target)
            if self.earlier.params.retry_failed:
                self.retries.append(_Retry(job))
                return
        yield result_task(Result(job, DONE))

    def _retry_tasks(self, retry: _Retry, operation: Operation) -> Iterator[Task]:
        """The tasks of a finished shard of which failed pages are tried again."""
        job, needed = retry.job, False
        try:
            if not self.stops() and job.target is not None and is_finished(job.target):
                needed = needs_retry(job, operation, retry.first)
        except RowsError as error:
            yield result_task(Result(job, FAILED, str(error)))
            return
        if needed:
            yield from self._shard_tasks(job, operation, retry)
        else:
            yield result_task(Result(job, DONE, before=retry.before or Counter()))

    def _shard_tasks(
        self, job: Job, operation: Operation, retry: _Retry | None = None
    ) -> Iterator[Task]:
        """The tasks of the records that are not done, then the end, unless the run is stopped."""
        reader = RecordReader(job, operation)
        try:
            shard = self._open_shard(job, operation, reader, retry.first if retry else 0)
        except OSError as error:
            message = _reason(error, f"{job.target} cannot be written")
            yield result_task(Result(job, FAILED, message))
            return
        output = OpenShard(job, shard, shard.state.records, before=retry.before if retry else None)
        self.open.append(output)
        if output.done:
            before = Counter(shard.state.counts)
            if self.earlier.params.retry_failed and not shard.retried:
                self.retries.append(_Retry(job, output.done, before))
            else:
                yield result_task(Result(job, DONE, before=before))
        try:
            yield from self._record_tasks(output, operation, reader)
        except RowsError as error:
            self._close(output, output.shard.abandon)
            yield result_task(Result(job, FAILED, str(error)))

    def _open_shard(
        self, job: Job, operation: Operation, reader: RecordReader, retried: int
    ) -> Shard | Pipe:
        """The shard that a job writes; raises `OSError`, and `CrfcleanError` as `Shard` does."""
        if job.target is None:
            return Pipe(sys.stdout.buffer, job.shard)
        if job.target.exists() and not job.target.is_file():
            if job.target.is_dir():
                raise IsADirectoryError(21, "Is a directory")
            return Pipe(job.target.open("wb", buffering=0), job.shard)
        options = shard_options(job, operation, reader.inputs)
        return Shard(job.target, job.shard, options, self.earlier.params, retried)

    def _record_tasks(
        self, output: OpenShard, operation: Operation, reader: RecordReader
    ) -> Iterator[Task]:
        """The tasks of a shard's pages, and of its end."""
        for about in shard_pages(output, operation, reader):
            if self.stops() or output.closed:
                return
            yield page_task(about)
        yield from (result_task(left_out_result(file)) for file in reader.left_out)
        if reader.error is not None:
            message = _reason(reader.error, "cannot be read")
            yield result_task(Result(output.job, FAILED, message))
            return
        yield end_task(output)

    def _written(self, output: OpenShard, answer: Result | Kept | End) -> Iterator[Result]:
        """Write a record's line, or end the shard; an error in writing also ends it."""
        if isinstance(answer, End):
            write = partial(self._close, output, output.shard.finish)
        else:
            write = partial(self._add, output, answer)
        yield from self._tried(output, write, answer)

    def _tried(
        self,
        output: OpenShard,
        write: Callable[[], None],
        answer: Result | Kept | End | None = None,
    ) -> Iterator[Result]:
        """Write to an open shard, and report an answer; an error ends the shard."""
        if output.closed:
            return
        try:
            write()
        except OSError as error:
            if output.job.target is None:
                raise
            self._close(output, output.shard.drop)
            message = _reason(error, f"{output.job.target} cannot be written")
            yield Result(output.job, FAILED, message)
            return
        if answer is not None:
            yield from _reported(output, answer)

    def _add(self, output: OpenShard, answer: Result | Kept) -> None:
        """Write a record's line; a member that it fills is packed by a worker."""
        shard = output.shard
        if not isinstance(shard, Shard):
            shard.add(answer.line, answer.outcome)
        elif member := shard.fill(answer.line, answer.outcome):
            self.queue.urgent.append(packing_task(output, shard, member))

    def _close(self, output: OpenShard, close: Callable[[], None]) -> None:
        output.closed = True
        self.open = [other for other in self.open if other is not output]
        close()


def _reported(output: OpenShard, answer: Result | Kept | End) -> Iterator[Result]:
    """The result of what was written: of a page, or of a shard without pages or with old ones."""
    if isinstance(answer, Result):
        yield replace(answer, line=b"")
    elif isinstance(answer, Kept):
        output.kept[answer.outcome] += 1
    elif not output.shard.state.records:
        yield Result(output.job, FAILED, "no pages in it")
    elif output.shard.retried:
        yield Result(output.job, DONE, before=output.done_before)


def _reason(error: OSError, before: str) -> str:
    """Why an output cannot be written, or an input not be read."""
    return f"{before}: {error.strerror or error}"
