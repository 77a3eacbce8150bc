"""The engine of a run: jobs become tasks, and their results are written in the same order."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias

from crfclean.corpus.duplicates import Duplicates, open_duplicates, remember_output
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import (
    DONE,
    FAILED,
    Operation,
    PageInput,
    Result,
    process_pages,
)
from crfclean.corpus.outputs import Earlier, open_outputs, run_options, shard_options
from crfclean.corpus.page_tasks import (
    ALL_ROWS,
    About,
    End,
    Kept,
    OpenShard,
    RecordReader,
    job_groups,
    needs_retry,
    page_task,
    result_task,
    shard_pages,
)
from crfclean.corpus.records import read_page
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.rows import RowsError
from crfclean.corpus.shards import Pipe, Shard, is_finished, remove_leftovers
from crfclean.corpus.tasks import FirstProcess, Processes, Task, TaskLimits
from crfclean.types import CrfcleanError

_Answer: TypeAlias = "Result | Kept | End"


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
    operation: Operation
    earlier: Earlier
    stop: Callable[[], bool]
    duplicates: Duplicates | None = None
    stopped: bool = False
    open: list[OpenShard] = field(default_factory=list)
    retries: list[_Retry] = field(default_factory=list)

    def clean(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """Do the jobs; results come in their order, those of pages tried again at the end."""
        groups = job_groups(jobs, self.operation.site_pages)
        tasks = chain.from_iterable(self._tasks(group) for group in groups)
        try:
            yield from self._results(tasks)
            retries, self.retries = self.retries, []
            again = (self._retry_tasks(retry) for retry in retries)
            yield from self._results(chain.from_iterable(again))
        finally:
            for output in list(self.open):
                self._close(output, output.shard.leave)

    def stops(self) -> bool:
        """Whether the run is to stop now, with work left."""
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def _results(self, tasks: Iterator[Task]) -> Iterator[Result]:
        for about, answer in self.pool.map(process_pages, tasks, self.operation):
            for page_input, answered in about.answers(answer, self.operation):
                result = self._compared(page_input, answered)
                if about.output is not None:
                    if isinstance(result, Kept) or not page_input.done:
                        yield from self._written(about.output, result)
                else:
                    yield Result(page_input.job, DONE) if page_input.done else result

    def _compared(self, page_input: PageInput, answer: Any) -> Any:
        if self.duplicates is None or not isinstance(answer, Result):
            return answer
        if answer.status == DONE:
            remember_output(self.duplicates, answer.job, self._opened(answer.job))
        return self.duplicates.settled(page_input, answer, self.operation)

    def _opened(self, job: Job) -> Shard | None:
        shards = (output.shard for output in self.open if output.job == job)
        return next((shard for shard in shards if isinstance(shard, Shard)), None)

    def _tasks(self, jobs: Sequence[Job]) -> Iterator[Task]:
        """The tasks of a shard, or the one task of some pages of a site."""
        if self.stops():
            return
        inputs = tuple(
            PageInput(job, done=True)
            if not job.refused and self.earlier.is_done(job)
            else self._input(job)
            for job in jobs
        )
        if all(page_input.done for page_input in inputs):
            yield from chain.from_iterable(map(self._done_tasks, jobs))
        elif jobs[0].shard and not jobs[0].refused:
            yield from self._shard_tasks(jobs[0])
        else:
            yield page_task(About(inputs))

    def _input(self, job: Job) -> PageInput:
        """The input of a job's task; standard input is read here."""
        is_stdin = job.source is None and not (job.shard or job.url or job.refused)
        data = read_page(None, self.operation.limits.max_bytes) if is_stdin else None
        return PageInput(job, data=data)

    def _done_tasks(self, job: Job) -> Iterator[Task]:
        """The task of a job that is done; the failed pages of a shard may be tried later."""
        if job.shard and job.target is not None:
            remove_leftovers(job.target)
            if self.earlier.params.retry_failed:
                self.retries.append(_Retry(job))
                return
        yield result_task(Result(job, DONE))

    def _retry_tasks(self, retry: _Retry) -> Iterator[Task]:
        job, needed = retry.job, False
        try:
            if not self.stops() and job.target is not None and is_finished(job.target):
                needed = needs_retry(job, self.operation, retry.first)
        except RowsError as error:
            yield result_task(Result(job, FAILED, str(error)))
            return
        if needed:
            yield from self._shard_tasks(job, retry)
        else:
            yield result_task(Result(job, DONE, before=retry.before or Counter()))

    def _shard_tasks(self, job: Job, retry: _Retry | None = None) -> Iterator[Task]:
        """The tasks of the records that are not done, then the end, unless the run is stopped."""
        reader = RecordReader(job, self.operation)
        try:
            shard = self._open_shard(job, reader, retry.first if retry else 0)
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
            yield from self._record_tasks(output, reader, reports=not (retry and retry.before))
        except RowsError as error:
            self._close(output, output.shard.abandon)
            yield result_task(Result(job, FAILED, str(error)))

    def _open_shard(self, job: Job, reader: RecordReader, retried: int) -> Shard | Pipe:
        """The shard that a job writes; raises `OSError`, and `CrfcleanError` as `Shard` does."""
        if job.target is None:
            return Pipe(sys.stdout.buffer, job.shard)
        if job.target.exists() and not job.target.is_file():
            if job.target.is_dir():
                raise IsADirectoryError(21, "Is a directory")
            return Pipe(job.target.open("wb", buffering=0), job.shard)
        options = shard_options(job, self.operation, reader.inputs)
        return Shard(job.target, job.shard, options, self.earlier.params, retried)

    def _record_tasks(
        self, output: OpenShard, reader: RecordReader, *, reports: bool
    ) -> Iterator[Task]:
        """The tasks of a shard; `reports` what is left out, unless this run has read it before."""
        for about in shard_pages(output, self.operation, reader):
            if self.stops() or output.closed:
                return
            yield page_task(about)
            yield from _left_out_tasks(reader) if reports else ()
        yield from _left_out_tasks(reader) if reports else ()
        if reader.error is not None:
            message = _reason(reader.error, "cannot be read")
            yield result_task(Result(output.job, FAILED, message))
            return
        yield Task(About((PageInput(output.job),), output), [End()], done=True)

    def _written(self, output: OpenShard, answer: _Answer) -> Iterator[Result]:
        """Write a record's line, or end the shard; an error also ends it."""
        if output.closed:
            return
        try:
            if isinstance(answer, End):
                self._close(output, output.shard.finish)
            else:
                output.shard.add(answer.line, answer.outcome)
        except OSError as error:
            if output.job.target is None:
                raise
            self._close(output, output.shard.drop)
            message = _reason(error, f"{output.job.target} cannot be written")
            yield Result(output.job, FAILED, message)
        else:
            yield from _reported(output, answer)

    def _close(self, output: OpenShard, close: Callable[[], None]) -> None:
        output.closed = True
        self.open = [other for other in self.open if other is not output]
        close()


def _left_out_tasks(reader: RecordReader) -> Iterator[Task]:
    """The tasks of what a reader has left out since it was asked last."""
    left_out, reader.left_out = reader.left_out, []
    return map(result_task, left_out)


def _reported(output: OpenShard, answer: _Answer) -> Iterator[Result]:
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
    return f"{before}: {error.strerror or error}"


# runs


def clean_batch(
    jobs: Sequence[Job],
    operation: Operation,
    workers: int = 1,
    *,
    params: ResumeParams = ResumeParams(),
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Do the jobs in `workers` processes; results come in the order of the jobs.

    `params` say what becomes of the work of an earlier run. Once `stop()` is true no page is
    started; those under way are finished, and the run can be resumed. Without workers (0) all is
    done in this process, where limits of time and memory are not enforced. Raises `CrfcleanError`,
    also if another run writes to the same output.
    """
    most = workers if any(job.shard for job in jobs) else min(workers, len(jobs))
    with (
        open_outputs(jobs, run_options(operation), params) as outputs,
        closing(processes(most, operation.limits)) as pool,
    ):
        duplicates = open_duplicates(operation, jobs, retry=params.retry_failed)
        run = BatchRun(pool, operation, outputs.earlier, stop, duplicates)
        yield from run.clean(outputs.jobs)
        if not run.stopped:
            yield from outputs.finish()


def clean_part(jobs: Sequence[Job], operation: Operation, earlier: Earlier) -> Iterator[Result]:
    """Do some jobs of a run whose `Outputs` another process has opened.

    Raises `CrfcleanError` if duplicates are to be left out, which needs all jobs in their order.
    """
    if operation.signer is not None:
        raise CrfcleanError("--deduplicate compares all pages, on one machine")
    with closing(processes(1, operation.limits)) as pool:
        yield from BatchRun(pool, operation, earlier, lambda: False).clean(jobs)


def processes(workers: int, limits: TaskLimits) -> Processes:
    """So many worker processes; without any (0) this process."""
    if not workers:
        return FirstProcess()
    from crfclean.corpus.pool import Pool  # imports multiprocessing: one page does without it

    return Pool(workers, limits)
