"""`Job`s -> `Result`s: all pages through one pool of workers, the outputs written in order."""

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

from crfclean._version import __version__
from crfclean.cleaning import DONE, FAILED, BatchParams, Piece, Result, clean_piece, lost, note_job
from crfclean.files import Job, pages_in, shard_job
from crfclean.record import Record
from crfclean.records import FOLDER, fetched, read_page, records_of
from crfclean.sandbox import Lost
from crfclean.shards import Pipe, Shard, is_done
from crfclean.sites import MAX_PAGES, SiteTagger, gather
from crfclean.supervise import Pool, Task
from crfclean.taggers.crf import CrfTagger
from crfclean.types import CrfcleanError


def clean_batch(
    jobs: Sequence[Job],
    params: BatchParams,
    workers: int = 1,
    *,
    resume: bool = False,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Do the jobs in `workers` processes; results come in the order of the jobs.

    By site they come site by site. With `resume` what a run before has done stays. Once `stop`
    says so no page is begun; those under way are finished, and shards can be gone on with.
    Raises `CrfcleanError` where the model has no marginals.
    """
    most = min(workers, len(jobs)) if _pages_only(jobs) else workers
    with closing(Pool(most, params.limits)) as pool:
        run = _Run(pool, resume, stop)
        yield from _clean_sites(jobs, params, run) if params.by_site else run.clean(jobs, params)


def clean_shard(
    source: str | Path,
    target: str | Path,
    params: BatchParams,
    workers: int = 1,
    *,
    resume: bool = False,
) -> Counter[str]:
    """One input shard (WARC, JSONL, a page, a directory) -> one output shard, and its outcomes.

    The counts are of `Result.outcome`, with the pages of the runs that it goes on with. The
    target takes its name when it is whole; its ending is its format. Raises `CrfcleanError`.
    """
    job = shard_job(Path(source), Path(target), params.fields)
    counts = Counter[str]()
    for result in clean_batch([job], params, workers, resume=resume):
        counts.update(result.before or [result.outcome])
    return counts


def _pages_only(jobs: Sequence[Job]) -> bool:
    return not any(job.shard for job in jobs)


def _clean_sites(jobs: Sequence[Job], params: BatchParams, run: _Run) -> Iterator[Result]:
    """Clean each directory's pages with what they have in common."""
    if not isinstance(params.tagger, CrfTagger):
        raise CrfcleanError("this model knows nothing of sites")
    if not _pages_only(jobs):
        raise CrfcleanError("--group-by takes pages in directories, no WARC or JSONL files")
    sites: dict[Path | None, list[Job]] = {}
    for job in jobs:
        sites.setdefault(job.source.parent if job.source else None, []).append(job)
    for mine in sites.values():
        tasks = (Task(None, Piece(job)) for job in mine[:MAX_PAGES] if not run.stop())
        notes = (note for _, note in run.pool.map(note_job, tasks, params))
        site = gather(one for one in notes if one is not None and not isinstance(one, Lost))
        yield from run.clean(mine, replace(params, tagger=SiteTagger(params.tagger, site)))


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

    pool: Pool
    resume: bool
    stop: Callable[[], bool]
    open: list[_Output] = field(default_factory=list)

    def clean(self, jobs: Sequence[Job], params: BatchParams) -> Iterator[Result]:
        """The results of the jobs, in their order."""
        tasks = chain.from_iterable(self._tasks(job, params) for job in jobs)
        try:
            for (piece, output), answer in self.pool.map(clean_piece, tasks, params):
                result = _known(piece, answer, params)
                yield from [result] if output is None else self._written(output, result)
        finally:
            for output in list(self.open):
                self._close(output, output.shard.leave)

    def _tasks(self, job: Job, params: BatchParams) -> Iterator[Task]:
        """The tasks of a job: one of a page, one for every record of a shard."""
        if self.stop():
            return
        piece = Piece(job)
        if self.resume and job.target is not None and is_done(job.target):
            yield Task((piece, None), Result(job, DONE), done=True)
        elif job.shard and not job.refused:
            yield from self._shard_tasks(job, params)
        elif job.source is None and not job.url and not job.refused:
            data = read_page(None, params.limits.max_bytes)
            yield Task((piece, None), replace(piece, data=data), len(data))
        else:
            yield Task((piece, None), piece)

    def _shard_tasks(self, job: Job, params: BatchParams) -> Iterator[Task]:
        """A task for every record that is not done, and the end, unless the run is stopped."""
        try:
            output = _Output(job, _opened(job, params, resume=self.resume))
        except OSError as error:
            message = f"{job.target} cannot be written: {error.strerror}"
            yield Task((Piece(job), None), Result(job, FAILED, message), done=True)
            return
        self.open.append(output)
        before = output.shard.state
        done = before.records
        if done:
            known = Result(job, DONE, before=Counter(before.counts))
            yield Task((Piece(job), None), known, done=True)
        try:
            for number, record in enumerate(_records(job, params)):
                if self.stop() or output.closed:
                    return
                if number >= done:
                    about = Piece(job, replace(record, data=b""))
                    yield Task((about, output), Piece(job, record), len(record.data))
        except OSError as error:
            message = f"cannot be read: {error.strerror or error}"
            yield Task((Piece(job), None), Result(job, FAILED, message), done=True)
            return
        yield Task((Piece(job), output), _End(), done=True)

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


def _known(piece: Piece, answer: Any, params: BatchParams) -> Any:
    """The worker's answer, or the result of what it has lost."""
    return lost(piece, answer.status, answer.message, params) if type(answer) is Lost else answer


def _records(job: Job, params: BatchParams) -> Iterator[Record]:
    """The records of a job's file, or of all files of its directory."""
    most = params.limits.max_bytes
    if job.url:
        yield fetched(job.url)
        return
    if job.kind != FOLDER or job.source is None:
        yield from records_of(job.source, job.kind, params.fields, most)
        return
    for one in pages_in(job.source, params.fields):
        if one.refused:
            yield Record(one.name, problem=one.refused)
            continue
        try:
            yield from records_of(one.source, one.kind, params.fields, most)
        except OSError as error:
            yield Record(one.name, problem=f"cannot be read: {error.strerror or error}")


def _opened(job: Job, params: BatchParams, *, resume: bool) -> Shard | Pipe:
    """The shard that a job writes; raises `OSError`."""
    if job.target is None:
        return Pipe(sys.stdout.buffer, job.shard)
    if job.target.exists() and not job.target.is_file():
        if job.target.is_dir():
            raise IsADirectoryError(21, "Is a directory")
        return Pipe(job.target.open("wb", buffering=0), job.shard)
    return Shard(job.target, job.shard, _options(job, params), resume=resume)


def _options(job: Job, params: BatchParams) -> dict[str, Any]:
    """What a shard depends on: a run with others cannot go on with its part."""
    whole = job.source is not None and job.source.is_file()
    return {
        "source": os.path.abspath(job.source) if job.source else "-",  # noqa: PTH100
        "bytes": job.source.stat().st_size if whole and job.source else 0,
        "version": __version__,
        "model": params.model,
        "elements": params.split.elements if params.split else None,
        "min_score": params.min_score,
        "comments": params.comments,
        "limits": asdict(params.limits),
        "fields": asdict(params.fields),
        "show": asdict(params.show),
    }
