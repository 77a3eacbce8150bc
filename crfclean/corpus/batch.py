"""Do the jobs of a run: pages go through worker processes, outputs are written in order."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from crfclean.corpus.clean import BatchParams, note_job
from crfclean.corpus.jobs import Job, shard_job
from crfclean.corpus.operation import (
    DONE,
    FAILED,
    Operation,
    PageInput,
    Result,
    left_out_result,
    lost,
    process_pages,
)
from crfclean.corpus.records import read_page
from crfclean.corpus.shards import Pipe, Shard, is_done
from crfclean.corpus.site_groups import RecordReader, job_groups, record_groups
from crfclean.corpus.tasks import FirstProcess, Lost, Processes, Task
from crfclean.io import digest_of
from crfclean.site import MAX_PAGES, PageNotes, SiteTagger, gather
from crfclean.taggers.capabilities import Judges, need
from crfclean.types import CrfcleanError


def clean_batch(
    jobs: Sequence[Job],
    operation: Operation,
    workers: int = 1,
    *,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Do the jobs in `workers` processes; results come in the order of the jobs.

    With `resume` the work of an earlier run is kept. Once `stop()` is true no page is started;
    those under way are finished, and shards can be resumed. Without workers (0) all is done in
    this process, where limits of time and memory are not enforced. Raises `CrfcleanError`.
    """
    with closing(_processes(jobs, operation, workers)) as pool:
        yield from _Run(pool, resume, stop).clean(jobs, operation)


def clean_sites(
    jobs: Sequence[Job],
    params: BatchParams,
    workers: int = 1,
    *,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Clean each directory's pages as one site: what repeats across them is evidence.

    Results come site by site; the pages are read twice. Raises `CrfcleanError` for a tagger
    without marginals.
    """
    with closing(_processes(jobs, params, workers)) as pool:
        yield from _clean_sites(jobs, params, _Run(pool, resume, stop))


def clean_shard(
    source: str | Path,
    target: str | Path,
    operation: Operation,
    workers: int = 1,
    *,
    resume: bool = False,
) -> Counter[str]:
    """Clean one input shard (WARC, JSONL, a page, a directory) into one output shard.

    Returns counts of `Result.outcome`, earlier runs that it resumes included. The target gets its
    name when it is complete; its ending is its format. Raises `CrfcleanError`.
    """
    job = shard_job(Path(source), Path(target), operation.fields)
    counts = Counter[str]()
    for result in clean_batch([job], operation, workers, resume=resume):
        counts.update(result.before or [result.outcome])
    return counts


def _processes(jobs: Sequence[Job], operation: Operation, workers: int) -> Processes:
    """The processes that do the tasks: at most one a page, or this process."""
    if not workers:
        return FirstProcess()
    from crfclean.corpus.pool import Pool  # imports multiprocessing: one page does without it

    count = min(workers, len(jobs)) if _pages_only(jobs) else workers
    return Pool(count, operation.limits)


def _pages_only(jobs: Sequence[Job]) -> bool:
    return not any(job.shard for job in jobs)


def _clean_sites(jobs: Sequence[Job], params: BatchParams, run: _Run) -> Iterator[Result]:
    """Clean the pages of each directory with the notes on all of them."""
    need(params.tagger, Judges, "--group-by site")
    if not _pages_only(jobs):
        raise CrfcleanError("--group-by takes pages in directories, no WARC or JSONL files")
    sites: dict[Path | None, list[Job]] = {}
    for job in jobs:
        sites.setdefault(job.source.parent if job.source else None, []).append(job)
    for site_jobs in sites.values():
        tasks = (Task(None, (PageInput(job),)) for job in site_jobs[:MAX_PAGES] if not run.stop())
        notes = (note for _, note in run.pool.map(_note, tasks, params))
        site = gather(note for note in notes if note is not None and not isinstance(note, Lost))
        yield from run.clean(site_jobs, replace(params, tagger=SiteTagger(params.tagger, site)))


def _note(inputs: tuple[PageInput, ...], params: BatchParams) -> PageNotes | None:
    """The evidence that a page has on its site."""
    return note_job(inputs[0], params)


@dataclass(slots=True, eq=False)
class _Output:
    """The shard of a job while it is written; `closed` once nothing more is written."""

    job: Job
    shard: Shard | Pipe
    closed: bool = False


class _End:
    """The end of a shard, behind its last record."""


@dataclass(slots=True)
class _Run:
    """The state of one call of `clean_batch`: the shards that are open."""

    pool: Processes
    resume: bool
    stop: Callable[[], bool]
    open: list[_Output] = field(default_factory=list)

    def clean(self, jobs: Sequence[Job], operation: Operation) -> Iterator[Result]:
        """Do the jobs; results come in their order."""
        groups = job_groups(jobs, operation.site_pages)
        tasks = chain.from_iterable(self._tasks(group, operation) for group in groups)
        try:
            for (inputs, output), answer in self.pool.map(process_pages, tasks, operation):
                results = _results(inputs, answer, operation)
                for page_input, result in zip(inputs, results, strict=True):
                    if output is None:
                        yield Result(page_input.job, DONE) if page_input.done else result
                    elif not page_input.done:
                        yield from self._written(output, result)
        finally:
            for output in list(self.open):
                self._close(output, output.shard.leave)

    def _tasks(self, jobs: Sequence[Job], operation: Operation) -> Iterator[Task]:
        """The tasks of a shard, or the one task of some pages of a site."""
        if self.stop():
            return
        inputs = tuple(self._input_of(job, operation) for job in jobs)
        if all(page_input.done for page_input in inputs):
            yield from (_result_task(Result(job, DONE)) for job in jobs)
        elif jobs[0].shard and not jobs[0].refused:
            yield from self._shard_tasks(jobs[0], operation)
        else:
            yield _task(inputs, None)

    def _input_of(self, job: Job, operation: Operation) -> PageInput:
        """The input of a job's task; standard input is read here."""
        if self.resume and job.target is not None and is_done(job.target):
            return PageInput(job, done=True)
        if job.source is None and not (job.shard or job.url or job.refused):
            return PageInput(job, data=read_page(None, operation.limits.max_bytes))
        return PageInput(job)

    def _shard_tasks(self, job: Job, operation: Operation) -> Iterator[Task]:
        """The tasks of the records that are not done, then the end, unless the run is stopped."""
        try:
            output = _Output(job, _open_shard(job, operation, resume=self.resume))
        except OSError as error:
            yield _result_task(
                Result(job, FAILED, f"{job.target} cannot be written: {error.strerror}")
            )
            return
        self.open.append(output)
        done = output.shard.state.records
        if done:
            yield _result_task(Result(job, DONE, before=Counter(output.shard.state.counts)))
        reader, number, page_job = RecordReader(job, operation), 0, replace(job, sources=())
        for group in record_groups(reader.records(), operation.site_pages):
            if self.stop() or output.closed:
                return
            inputs = tuple(
                PageInput(page_job, record, done=place < done)
                for place, record in enumerate(group, number)
            )
            number += len(group)
            if number > done:
                yield _task(inputs, output)
        yield from (_result_task(left_out_result(file)) for file in reader.left_out)
        if reader.error is not None:
            reason = reader.error.strerror or reader.error
            yield _result_task(Result(job, FAILED, f"cannot be read: {reason}"))
            return
        yield Task(((PageInput(job),), output), [_End()], done=True)

    def _written(self, output: _Output, answer: Result | _End) -> Iterator[Result]:
        """Write a record's line, or end the shard; an error in writing also ends it."""
        if output.closed:
            return
        try:
            if isinstance(answer, _End):
                empty = not output.shard.state.records
                self._close(output, output.shard.finish)
                if empty:
                    yield Result(output.job, FAILED, "no pages in it")
                return
            output.shard.add(answer.line, answer.outcome)
        except OSError as error:
            if output.job.target is None:
                raise
            self._close(output, output.shard.drop)
            message = f"{output.job.target} cannot be written: {error.strerror}"
            yield Result(output.job, FAILED, message)
            return
        yield replace(answer, line=b"")

    def _close(self, output: _Output, close: Callable[[], None]) -> None:
        output.closed = True
        self.open = [other for other in self.open if other is not output]
        close()


def _task(inputs: tuple[PageInput, ...], output: _Output | None) -> Task:
    """The task of some pages; if it is lost, each page becomes a task of its own."""
    about = (tuple(page_input.bare for page_input in inputs), output)
    parts = (
        tuple(_single_task(page_input, output) for page_input in inputs) if len(inputs) > 1 else ()
    )
    size = sum(page_input.size for page_input in inputs)
    return Task(about, inputs, size, pages=len(inputs), parts=parts)


def _single_task(page_input: PageInput, output: _Output | None) -> Task:
    """The task of one page of a lost task."""
    if not page_input.done:
        return _task((replace(page_input, retried=True),), output)
    return Task(((page_input.bare,), output), [Result(page_input.job, DONE)], done=True)


def _result_task(result: Result) -> Task:
    """The task of a result that is known already, at its place in the order."""
    return Task(((PageInput(result.job),), None), [result], done=True)


def _results(inputs: Sequence[PageInput], answer: Any, operation: Operation) -> Sequence[Any]:
    """The worker's answer, or results that say why there is none."""
    if type(answer) is not Lost:
        results: Sequence[Any] = answer
        return results
    return [lost(page_input, answer.status, answer.message, operation) for page_input in inputs]


def _open_shard(job: Job, operation: Operation, *, resume: bool) -> Shard | Pipe:
    """The shard that a job writes; raises `OSError`."""
    if job.target is None:
        return Pipe(sys.stdout.buffer, job.shard)
    if job.target.exists() and not job.target.is_file():
        if job.target.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        return Pipe(job.target.open("wb", buffering=0), job.shard)
    return Shard(job.target, job.shard, _options(job, operation), resume=resume)


def _options(job: Job, operation: Operation) -> dict[str, Any]:
    """The options that a shard depends on: only a run with equal ones can resume it."""
    is_file = job.source is not None and job.source.is_file()
    return {
        "source": os.path.abspath(job.source) if job.source else "-",  # noqa: PTH100
        "sources": digest_of([os.path.abspath(source) for source in job.sources]),  # noqa: PTH100
        "bytes": job.source.stat().st_size if is_file and job.source else 0,
        **operation.options,
        "limits": asdict(operation.limits),
        "fields": asdict(operation.fields),
    }
