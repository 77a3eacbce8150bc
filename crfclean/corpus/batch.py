"""`Job`s -> `Result`s: all pages through the same processes, the outputs written in order."""

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
from crfclean.corpus.operation import DONE, FAILED, Operation, Piece, Result, do_pieces, lost
from crfclean.corpus.records import read_page
from crfclean.corpus.shards import Pipe, Shard, is_done
from crfclean.corpus.site_groups import RecordReader, job_groups, record_groups
from crfclean.corpus.tasks import FirstProcess, Lost, Processes, Task
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

    With `resume` what a run before has done stays. Once `stop` says so no page is begun; those
    under way are finished, and shards can be gone on with. Without workers (0) all is done in this
    process, where limits of time and memory don't hold. Raises `CrfcleanError`.
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
    """`clean_batch` with what each directory's pages have in common; results come site by site.

    The pages are read twice. Raises `CrfcleanError` where the model has no marginals.
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
    """One input shard (WARC, JSONL, a page, a directory) -> one output shard, and its outcomes.

    The counts are of `Result.outcome`, with the pages of the runs that it goes on with. The
    target takes its name when it is whole; its ending is its format. Raises `CrfcleanError`.
    """
    job = shard_job(Path(source), Path(target), operation.fields)
    counts = Counter[str]()
    for result in clean_batch([job], operation, workers, resume=resume):
        counts.update(result.before or [result.outcome])
    return counts


def _processes(jobs: Sequence[Job], operation: Operation, workers: int) -> Processes:
    """What does the tasks: at most a worker for each page, or this process."""
    if not workers:
        return FirstProcess()
    from crfclean.corpus.pool import Pool  # needed by many pages alone: it imports multiprocessing

    most = min(workers, len(jobs)) if _pages_only(jobs) else workers
    return Pool(most, operation.limits)


def _pages_only(jobs: Sequence[Job]) -> bool:
    return not any(job.shard for job in jobs)


def _clean_sites(jobs: Sequence[Job], params: BatchParams, run: _Run) -> Iterator[Result]:
    """Clean each directory's pages with what they have in common."""
    need(params.tagger, Judges, "--group-by site")
    if not _pages_only(jobs):
        raise CrfcleanError("--group-by takes pages in directories, no WARC or JSONL files")
    sites: dict[Path | None, list[Job]] = {}
    for job in jobs:
        sites.setdefault(job.source.parent if job.source else None, []).append(job)
    for mine in sites.values():
        tasks = (Task(None, (Piece(job),)) for job in mine[:MAX_PAGES] if not run.stop())
        notes = (note for _, note in run.pool.map(_note, tasks, params))
        site = gather(one for one in notes if one is not None and not isinstance(one, Lost))
        yield from run.clean(mine, replace(params, tagger=SiteTagger(params.tagger, site)))


def _note(pieces: tuple[Piece, ...], params: BatchParams) -> PageNotes | None:
    """What a page says of its site."""
    return note_job(pieces[0], params)


@dataclass(slots=True, eq=False)
class _Output:
    """The shard of a job while it is written; `closed` when nothing more can be."""

    job: Job
    shard: Shard | Pipe
    closed: bool = False


class _End:
    """Stands behind the last record of a shard."""


@dataclass(slots=True)
class _Run:
    """One call of `clean_batch`, with the shards that are open."""

    pool: Processes
    resume: bool
    stop: Callable[[], bool]
    open: list[_Output] = field(default_factory=list)

    def clean(self, jobs: Sequence[Job], operation: Operation) -> Iterator[Result]:
        """The results of the jobs, in their order."""
        groups = job_groups(jobs, operation.site_pages)
        tasks = chain.from_iterable(self._tasks(group, operation) for group in groups)
        try:
            for (pieces, output), answer in self.pool.map(do_pieces, tasks, operation):
                results = _results(pieces, answer, operation)
                for piece, result in zip(pieces, results, strict=True):
                    if output is None:
                        yield Result(piece.job, DONE) if piece.done else result
                    elif not piece.done:
                        yield from self._written(output, result)
        finally:
            for output in list(self.open):
                self._close(output, output.shard.leave)

    def _tasks(self, jobs: Sequence[Job], operation: Operation) -> Iterator[Task]:
        """The tasks of a shard, or the one of some pages of a site."""
        if self.stop():
            return
        pieces = tuple(self._piece(job, operation) for job in jobs)
        if all(piece.done for piece in pieces):
            yield from (_known(Result(job, DONE)) for job in jobs)
        elif jobs[0].shard and not jobs[0].refused:
            yield from self._shard_tasks(jobs[0], operation)
        else:
            yield _task(pieces, None)

    def _piece(self, job: Job, operation: Operation) -> Piece:
        """The piece of a job; standard input is read here."""
        if self.resume and job.target is not None and is_done(job.target):
            return Piece(job, done=True)
        if job.source is None and not (job.shard or job.url or job.refused):
            return Piece(job, data=read_page(None, operation.limits.max_bytes))
        return Piece(job)

    def _shard_tasks(self, job: Job, operation: Operation) -> Iterator[Task]:
        """The tasks of the records that are not done, and the end, unless the run is stopped."""
        try:
            output = _Output(job, _opened(job, operation, resume=self.resume))
        except OSError as error:
            yield _known(Result(job, FAILED, f"{job.target} cannot be written: {error.strerror}"))
            return
        self.open.append(output)
        done = output.shard.state.records
        if done:
            yield _known(Result(job, DONE, before=Counter(output.shard.state.counts)))
        reader, number = RecordReader(job, operation), 0
        for group in record_groups(reader.records(), operation.site_pages):
            if self.stop() or output.closed:
                return
            pieces = tuple(
                Piece(job, record, done=place < done) for place, record in enumerate(group, number)
            )
            number += len(group)
            if number > done:
                yield _task(pieces, output)
        if reader.error is not None:
            reason = reader.error.strerror or reader.error
            yield _known(Result(job, FAILED, f"cannot be read: {reason}"))
            return
        yield Task(((Piece(job),), output), [_End()], done=True)

    def _written(self, output: _Output, answer: Result | _End) -> Iterator[Result]:
        """Write a record's line, or end the shard; what cannot be written ends it, too."""
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

    def _close(self, output: _Output, how: Callable[[], None]) -> None:
        output.closed = True
        self.open = [one for one in self.open if one is not output]
        how()


def _task(pieces: tuple[Piece, ...], output: _Output | None) -> Task:
    """The task of some pages; where it is lost each page becomes a task by itself."""
    about = (tuple(piece.bare for piece in pieces), output)
    parts = tuple(_part(piece, output) for piece in pieces) if len(pieces) > 1 else ()
    size = sum(piece.size for piece in pieces)
    return Task(about, pieces, size, pages=len(pieces), parts=parts)


def _part(piece: Piece, output: _Output | None) -> Task:
    """The task of one page of a lost task."""
    if not piece.done:
        return _task((replace(piece, retried=True),), output)
    return Task(((piece.bare,), output), [Result(piece.job, DONE)], done=True)


def _known(result: Result) -> Task:
    """A result that needs no process, at its place in the order."""
    return Task(((Piece(result.job),), None), [result], done=True)


def _results(pieces: Sequence[Piece], answer: Any, operation: Operation) -> Sequence[Any]:
    """The worker's answer, or the results of what it has lost."""
    if type(answer) is not Lost:
        results: Sequence[Any] = answer
        return results
    return [lost(piece, answer.status, answer.message, operation) for piece in pieces]


def _opened(job: Job, operation: Operation, *, resume: bool) -> Shard | Pipe:
    """The shard that a job writes; raises `OSError`."""
    if job.target is None:
        return Pipe(sys.stdout.buffer, job.shard)
    if job.target.exists() and not job.target.is_file():
        if job.target.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        return Pipe(job.target.open("wb", buffering=0), job.shard)
    return Shard(job.target, job.shard, _options(job, operation), resume=resume)


def _options(job: Job, operation: Operation) -> dict[str, Any]:
    """What a shard depends on: a run with others cannot go on with its part."""
    whole = job.source is not None and job.source.is_file()
    return {
        "source": os.path.abspath(job.source) if job.source else "-",  # noqa: PTH100
        "bytes": job.source.stat().st_size if whole and job.source else 0,
        **operation.options,
        "limits": asdict(operation.limits),
        "fields": asdict(operation.fields),
    }
