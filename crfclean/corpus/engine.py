"""Run the jobs of a command: turn them into tasks, and write the results in the same order."""

from __future__ import annotations

import errno
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any

from crfclean.corpus.duplicates import Duplicates, open_duplicates
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import (
    DONE,
    FAILED,
    KEPT,
    LEFT_OUT,
    Operation,
    PageInput,
    Result,
    lost,
)
from crfclean.corpus.outputs import Earlier, open_outputs, run_options, shard_options
from crfclean.corpus.page_tasks import (
    ALL_ROWS,
    About,
    AboutEnd,
    AboutSlice,
    OpenShard,
    ShardReader,
    job_groups,
    needs_retry,
    page_task,
    result_task,
    slice_tasks,
)
from crfclean.corpus.records import Record, read_page
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.rows import TABLES, RowsError
from crfclean.corpus.shards import Pipe, Shard, remove_leftovers
from crfclean.corpus.slices import Kept, Packer, Sliced, work
from crfclean.corpus.targets import STDIN
from crfclean.corpus.tasks import FirstProcess, Lost, Processes, Task, TaskLimits
from crfclean.io import is_stream, naming_path
from crfclean.types import CrfcleanError

_NO_RECORD = Record("")
_FAR_END = sys.maxsize  # stands for the next record behind the last one


@dataclass(frozen=True, slots=True)
class _Retry:
    """A finished shard whose failed records are retried, among its `first` records.

    `before` counts the outcomes of these records; None for a shard that an earlier run finished.
    """

    job: Job
    first: int = ALL_ROWS
    before: Counter[str] | None = None


@dataclass(slots=True)
class BatchRun:
    """The state of a run: its open shards, the row groups and retries to do, whether it `stopped`.

    If there are `duplicates`, they are left out.
    """

    pool: Processes
    operation: Operation
    earlier: Earlier
    stop: Callable[[], bool]
    duplicates: Duplicates | None = None
    stopped: bool = False
    open: list[OpenShard] = field(default_factory=list)
    groups: list[Task] = field(default_factory=list)
    retries: list[_Retry] = field(default_factory=list)

    def clean(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """Do the jobs; results come in their order, results of retried pages at the end."""
        groups = job_groups(jobs, self.operation.site_pages)
        tasks = chain.from_iterable(self._tasks(group) for group in groups)
        try:
            yield from self._results(self._with_groups(tasks))
            while self.groups or self.retries:
                retries, self.retries = ([], self.retries) if self.groups else (self.retries, [])
                again = chain.from_iterable(self._retry_tasks(retry) for retry in retries)
                yield from self._results(self._with_groups(again))
        finally:
            for output in list(self.open):
                self._close(output, output.shard.leave)

    def _with_groups(self, tasks: Iterator[Task]) -> Iterator[Task]:
        """Yield the tasks, each after the row groups of shards that have ended."""
        for task in chain(tasks, [None]):
            while self.groups:
                yield self.groups.pop(0)
            if task is not None:
                yield task

    def stops(self) -> bool:
        """Return whether the run must stop now, with work left."""
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def _results(self, tasks: Iterable[Task]) -> Iterator[Result]:
        for about, answer in self.pool.map(work, tasks, self.operation):
            if isinstance(about, About):
                for page_input, result in about.answers(answer, self.operation):
                    yield self._kept(self._compared(page_input, result))
            elif not about.output.closed:
                yield from self._written(about, answer)

    def _compared(self, page_input: PageInput, result: Result) -> Result:
        if self.duplicates is None:
            return result
        if result.status == DONE:
            self.duplicates.remember_output(result.job, self._opened(result.job))
        return self.duplicates.settled(page_input, result, self.operation)

    def _kept(self, result: Result) -> Result:
        """Return the result of a text that was not replaced, if that is what it is."""
        job, earlier = result.job, self.earlier
        if result.status != DONE or earlier.is_done(job) or not earlier.is_foreign(job):
            return result
        message = f"{job.target} was changed after the last run: --overwrite replaces it"
        return replace(result, status=KEPT, message=message)

    def _opened(self, job: Job) -> Shard | None:
        shards = (output.shard for output in self.open if output.job == job)
        return next((shard for shard in shards if isinstance(shard, Shard)), None)

    def _tasks(self, jobs: Sequence[Job]) -> Iterator[Task]:
        """Yield the tasks of a shard, or the one task of some pages of a site."""
        if self.stops():
            return
        inputs = tuple(
            PageInput(job, done=True)
            if not job.refused and (self.earlier.is_done(job) or self.earlier.is_foreign(job))
            else self._input(job)
            for job in jobs
        )
        if all(page_input.done for page_input in inputs):
            yield from chain.from_iterable(map(self._done_tasks, jobs))
        elif jobs[0].shard and not jobs[0].refused:
            yield from self._shard_tasks(jobs[0])
        else:
            yield page_task(inputs)

    def _input(self, job: Job) -> PageInput:
        """Return the input of a job's task; standard input is read here."""
        if job.source or job.shard or job.url or job.refused:
            return PageInput(job)
        with naming_path(STDIN, "cannot be read"):
            return PageInput(job, data=read_page(None, self.operation.limits.max_bytes))

    def _done_tasks(self, job: Job) -> Iterator[Task]:
        """Yield the task of a finished job; the failed pages of a shard may be retried later."""
        if job.shard and job.target is not None:
            remove_leftovers(job.target)
            if self.earlier.params.retry_failed:
                self.retries.append(_Retry(job))
                return
        yield result_task(Result(job, DONE))

    def _retry_tasks(self, retry: _Retry) -> Iterator[Task]:
        job = retry.job
        try:
            needed = not self.stops() and needs_retry(job, self.operation, retry.first)
        except RowsError as error:
            yield result_task(Result(job, FAILED, str(error)))
            return
        if needed:
            yield from self._shard_tasks(job, retry)
        else:
            yield result_task(Result(job, DONE, before=retry.before or Counter()))

    def _shard_tasks(self, job: Job, retry: _Retry | None = None) -> Iterator[Task]:
        """Yield the tasks of the unfinished slices, then the end unless the run is stopped."""
        reader = ShardReader(job, self.operation)
        try:
            shard = self._open_shard(job, reader, retry)
        except OSError as error:
            message = _reason(error, f"{job.target} cannot be written")
            yield result_task(Result(job, FAILED, message))
            return
        done = shard.state.records
        output = OpenShard(job, shard, reader, done, before=retry.before if retry else None)
        self.open.append(output)
        for reason, count in shard.state.left_out.items():
            earlier = f"{count} of an earlier run"
            yield result_task(Result(job, LEFT_OUT, reason, record=earlier, pages=count))
        if output.done:
            before = Counter(shard.state.counts)
            if self.earlier.params.retry_failed and not shard.retried:
                self.retries.append(_Retry(job, output.done, before))
            else:
                yield result_task(Result(job, DONE, before=before))
        try:
            reports = not (retry and retry.before)
            yield from self._slice_tasks(output, reports=reports)
        except RowsError as error:
            self._close(output, output.shard.abandon)
            yield result_task(Result(job, FAILED, str(error)))

    def _open_shard(self, job: Job, reader: ShardReader, retry: _Retry | None) -> Shard | Pipe:
        """Open the shard that a job writes; raises `OSError`, and the errors of `Shard`."""
        if job.target is None:
            return Pipe(sys.stdout.buffer)
        if is_stream(job.target):
            if job.shard in TABLES:
                raise OSError(errno.ESPIPE, f"{job.shard} needs a file")
            return Pipe(job.target.open("wb", buffering=0))
        options = shard_options(job, self.operation, reader.inputs)
        first = retry.first if retry else 0
        return Shard(job.target, job.shard, options, self.earlier.params, first)

    def _slice_tasks(self, output: OpenShard, *, reports: bool) -> Iterator[Task]:
        """Yield the tasks of a shard; if `reports`, also the records that are left out."""
        for task in slice_tasks(output, self.operation):
            if self.stops() or output.closed:
                return
            yield task
            yield from _left_out_tasks(output) if reports else ()
        yield from _left_out_tasks(output) if reports else ()
        if output.reader.error is not None:
            message = _reason(output.reader.error, "cannot be read")
            yield result_task(Result(output.job, FAILED, message))
            return
        yield Task(AboutEnd(output), b"", done=True)

    def _written(self, about: AboutSlice | AboutEnd, answer: Any) -> Iterator[Result]:
        """Write a slice, or end the shard; an error also ends it."""
        output, job = about.output, about.output.job
        try:
            if isinstance(about, AboutEnd):
                yield from self._ended(about, answer)
            else:
                yield from self._sliced(about, answer)
        except OSError as error:
            if job.target is None:
                raise
            self._close(output, output.shard.drop)
            yield Result(job, FAILED, _reason(error, f"{job.target} cannot be written"))

    def _sliced(self, about: AboutSlice, answer: Sliced | Lost) -> Iterator[Result]:
        """Write the answer of a slice; collect the answers of a lost slice's parts before."""
        output = about.output
        if isinstance(answer, Lost):
            if about.record is None:  # its file cannot be read again
                yield self._unread(output, answer.message)
                return
            page_input = PageInput(output.job, about.record)
            answer = Sliced([lost(page_input, *answer, self.operation)], None, about.end)
        if answer.packed is None:
            output.sliced += map(partial(self._settled, output), answer.results)
            if not about.is_last:
                return
            answer, output.sliced = answer._replace(results=output.sliced), []
        results = [  # workers of records do not get the job
            replace(result, job=output.job) if isinstance(result, Result) else result
            for result in answer.results
        ]
        packed, end = _packed(answer, output.job.shard), about.end or answer.end
        is_cut_right = about.stop in {None, end}
        state = output.shard.state
        state.slices, state.at = about.number + 1, 0 if is_cut_right else end or _FAR_END
        made = [result for result in results if isinstance(result, Result)]
        state.left_out.update(result.message for result in made if result.outcome == LEFT_OUT)
        outcomes = Counter(result.outcome for result in results if result.outcome != LEFT_OUT)
        output.shard.add(packed, outcomes)
        for result in results:
            if isinstance(result, Result):
                yield replace(result, line=b"")
            else:
                output.kept[result.outcome] += 1

    def _settled(self, output: OpenShard, result: Result | Kept) -> Result | Kept:
        if self.duplicates is None or isinstance(result, Kept):
            return result
        page_input = PageInput(output.job, _NO_RECORD)
        return self._compared(page_input, replace(result, job=output.job))

    def _ended(self, about: AboutEnd, answer: bytes | Lost) -> Iterator[Result]:
        """End a shard whose slices are written: now, or when its last row group is packed."""
        output = about.output
        if isinstance(answer, Lost):
            raise OSError(0, answer.message)
        if about.left is None and (changed := output.reader.changed()):
            yield self._unread(output, changed)
            return
        groups = output.shard.seal() if about.left is None else []
        for number, group in enumerate(groups, 1):
            end, size = AboutEnd(output, len(groups) - number), group.stop - group.start
            self.groups.append(Task(end, group, size, pages=max(group.rows, 1)))
        if about.left is not None:
            output.shard.join(answer)
        if groups or about.left:
            return
        self._close(output, output.shard.publish)
        state = output.shard.state
        if not (state.records or output.left_out or state.left_out):
            yield Result(output.job, FAILED, "no pages in it")
        elif output.shard.retried:
            yield Result(output.job, DONE, before=output.done_before)

    def _unread(self, output: OpenShard, reason: str) -> Result:
        """Leave a shard whose input cannot be read to its end; return the failure."""
        self._close(output, output.shard.leave)
        return Result(output.job, FAILED, f"cannot be read: {reason}")

    def _close(self, output: OpenShard, close: Callable[[], object]) -> None:
        output.closed = True
        self.open = [other for other in self.open if other is not output]
        close()


def _left_out_tasks(output: OpenShard) -> Iterator[Task]:
    """Return the tasks of the records that a reader has left out since the last call."""
    left_out, output.reader.left_out = output.reader.left_out, []
    output.left_out += len(left_out)
    return map(result_task, left_out)


def _packed(answer: Sliced, ending: str) -> bytes:
    if answer.packed is not None:
        return answer.packed
    packer = Packer(ending)
    for result in answer.results:
        packer.add(result.line)
    return packer.finish()


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
) -> Generator[Result]:
    """Do the jobs in `workers` processes; results come in the order of the jobs.

    `params` say what becomes of the work of an earlier run. Once `stop()` is true, no page is
    begun; pages under way are finished, and the run can be resumed. Without workers (0), this
    process does all jobs, without limits of time and memory. Raises `CrfcleanError`, also if
    another run writes to the same output.
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

    Raises `CrfcleanError` for `--deduplicate`, which needs all jobs in their order.
    """
    if operation.signer is not None:
        raise CrfcleanError("--deduplicate compares all pages, on one machine")
    with closing(processes(1, operation.limits)) as pool:
        yield from BatchRun(pool, operation, earlier, lambda: False).clean(jobs)


def processes(workers: int, limits: TaskLimits) -> Processes:
    """Return a number of worker processes, or this process for 0."""
    if not workers:
        return FirstProcess()
    from crfclean.corpus.pool import Pool  # imports multiprocessing: one page does without it

    return Pool(workers, limits)
