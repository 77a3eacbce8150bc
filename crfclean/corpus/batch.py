"""Do the jobs of a run: pages go through worker processes, outputs are written in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from crfclean.corpus.clean import BatchParams, note_job
from crfclean.corpus.duplicates import open_duplicates
from crfclean.corpus.engine import BatchRun
from crfclean.corpus.jobs import Job, shard_job
from crfclean.corpus.operation import Operation, PageInput, Result
from crfclean.corpus.outputs import Earlier, open_outputs
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.run_options import run_options
from crfclean.corpus.tasks import FirstProcess, Lost, Processes, Task
from crfclean.site import MAX_PAGES, PageNotes, SiteTagger, gather
from crfclean.taggers.capabilities import Judges, need
from crfclean.types import CrfcleanError


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
    with (
        open_outputs(jobs, run_options(operation), params) as outputs,
        closing(_processes(jobs, operation, workers)) as pool,
    ):
        duplicates = open_duplicates(operation, jobs, retry=params.retry_failed)
        run = BatchRun(pool, outputs.earlier, stop, duplicates)
        yield from run.clean(outputs.jobs, operation)
        if not run.stopped:
            yield from outputs.finish()


def clean_part(
    jobs: Sequence[Job], operation: Operation, earlier: Earlier, workers: int = 1
) -> Iterator[Result]:
    """Do some jobs of a run whose `Outputs` another process has opened.

    Raises `CrfcleanError` if duplicates are to be left out, which needs all jobs in their order.
    """
    if operation.signer is not None:
        raise CrfcleanError("--deduplicate compares all pages, on one machine")
    with closing(_processes(jobs, operation, workers)) as pool:
        yield from BatchRun(pool, earlier, lambda: False).clean(jobs, operation)


def clean_sites(
    jobs: Sequence[Job],
    operation: BatchParams,
    workers: int = 1,
    *,
    params: ResumeParams = ResumeParams(),
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[Result]:
    """Clean each directory's pages as one site: what repeats across them is evidence.

    Results come site by site; the pages are read twice. Raises `CrfcleanError` as `clean_batch`
    does, and for a tagger without marginals.
    """
    need(operation.tagger, Judges, "--group-by site")
    if not _pages_only(jobs):
        raise CrfcleanError("--group-by takes pages in directories, no WARC or JSONL files")
    with (
        open_outputs(jobs, {**run_options(operation), "group_by": "site"}, params) as outputs,
        closing(_processes(jobs, operation, workers)) as pool,
    ):
        duplicates = open_duplicates(operation, jobs, retry=params.retry_failed)
        run = BatchRun(pool, outputs.earlier, stop, duplicates)
        yield from _clean_sites(outputs.jobs, operation, run)
        if not run.stopped:
            yield from outputs.finish()


def clean_shard(
    source: str | Path,
    target: str | Path,
    operation: Operation,
    workers: int = 1,
    *,
    params: ResumeParams = ResumeParams(),
) -> Counter[str]:
    """Clean one input shard (WARC, JSONL, a page, a directory) into one output shard.

    Returns counts of `Result.outcome`, earlier runs that it resumes included. The target gets its
    name when it is complete; its ending is its format. Raises `CrfcleanError`.
    """
    job = shard_job(Path(source), Path(target), operation.fields)
    counts = Counter[str]()
    for result in clean_batch([job], operation, workers, params=params):
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


def _clean_sites(jobs: Sequence[Job], operation: BatchParams, run: BatchRun) -> Iterator[Result]:
    """Clean the pages of each directory with the notes on all of them."""
    sites: dict[Path | None, list[Job]] = {}
    for job in jobs:
        sites.setdefault(job.source.parent if job.source else None, []).append(job)
    for site_jobs in sites.values():
        if run.stops():
            return
        tasks = (Task(None, (PageInput(job),)) for job in site_jobs[:MAX_PAGES] if not run.stops())
        notes = (note for _, note in run.pool.map(_note, tasks, operation))
        site = gather(note for note in notes if note is not None and not isinstance(note, Lost))
        sure = replace(operation, tagger=SiteTagger(operation.tagger, site))
        yield from run.clean(site_jobs, sure)


def _note(inputs: tuple[PageInput, ...], operation: BatchParams) -> PageNotes | None:
    """The evidence that a page has on its site."""
    return note_job(inputs[0], operation)
