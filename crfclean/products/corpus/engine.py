"""Run the jobs of a command, in order: pages that become texts, and corpora."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crfclean.io import naming_path
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import (
    DONE,
    KEPT,
    Operation,
    PageInput,
    Result,
    lost,
    page_input,
    process_pages,
    result_task,
)
from crfclean.products.corpus.outputs import Outputs, open_outputs, run_options
from crfclean.products.corpus.params import ResumeParams, TaskLimits
from crfclean.products.corpus.records import STDIN, is_url
from crfclean.products.corpus.tasks import FirstProcess, Lost, Processes, Task
from crfclean.types import CrfcleanError

if TYPE_CHECKING:
    from crfclean.products.corpus.duplicates import Duplicates
    from crfclean.products.corpus.folder import Corpus


def do_item(item: Any, operation: Operation) -> Any:
    """Do an item of work: pages with their own files, or a part of a corpus."""
    if isinstance(item, tuple):
        return process_pages(item, operation)
    from crfclean.products.corpus.folder import do_part  # pages need none of it

    return do_part(item, operation)


def job_groups(jobs: Iterable[Job], max_pages: int) -> Iterator[list[Job]]:
    """Yield groups of at most `max_pages` successive pages of a directory, and single corpora."""

    def place(job: Job) -> tuple[bool, str]:
        return bool(job.shard), str(job.source.parent) if isinstance(job.source, Path) else ""

    for (shard, _), group in groupby(jobs, key=place):
        members, size = list(group), 1 if shard else max_pages
        for start in range(0, len(members), size):
            yield members[start : start + size]


@dataclass(slots=True)
class BatchRun:
    """The state of a run: its opened `corpora`, and whether it `stopped` with work left.

    If there are `duplicates`, they are left out. The subject of a task makes results of its answer.
    """

    pool: Processes
    operation: Operation
    outputs: Outputs
    stop: Callable[[], bool]
    duplicates: Duplicates | None = None
    stopped: bool = False
    corpora: dict[Job, Corpus | Result] = field(default_factory=dict)

    def clean(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """Do the jobs; results come in their order."""
        groups = job_groups(jobs, self.operation.site_pages)
        tasks = chain.from_iterable(self._tasks(group) for group in groups)
        try:
            if self.operation.by_site:
                self._count_sites(jobs)
            for results_of, answer in self.pool.map(do_item, tasks, self.operation):
                yield from results_of(answer)
        finally:
            for corpus in self.corpora.values():
                if not (isinstance(corpus, Result) or corpus.closed):
                    corpus.leave()

    def stops(self) -> bool:
        """Return whether the run must stop now, with work left."""
        self.stopped = self.stopped or self.stop()
        return self.stopped

    def _tasks(self, jobs: Sequence[Job]) -> Iterator[Task]:
        """Yield the tasks of a corpus, or the one task of some pages of a site."""
        if self.stops():
            return
        if not jobs[0].shard or jobs[0].refused:
            yield self._page_task(tuple(map(self._input, jobs)))
            return
        corpus = self._opened(jobs[0])
        if isinstance(corpus, Result):
            yield result_task(corpus)
        else:
            yield from corpus.tasks()

    # pages with their own files

    def _input(self, job: Job) -> PageInput:
        """Return the input of a job's task; standard input is read here."""
        with naming_path(STDIN, "cannot be read"):
            return page_input(job, self.operation.limits.max_bytes, self.outputs.kept(job))

    def _page_task(self, inputs: tuple[PageInput, ...]) -> Task:
        """Return the task of some pages; if it is lost, each page becomes a task."""
        results_of = partial(self._page_results, inputs)
        if all(page.kept for page in inputs):
            return Task(results_of, [page.kept_result for page in inputs], done=True)

        def instead(answer: object) -> list[Task]:
            is_lost = isinstance(answer, Lost) and len(inputs) > 1
            return [self._page_task((page,)) for page in inputs] if is_lost else []

        size = sum(page.record.size for page in inputs)
        return Task(results_of, inputs, size, pages=len(inputs), instead=instead)

    def _page_results(self, inputs: tuple[PageInput, ...], answer: Any) -> Iterator[Result]:
        """Yield the result of every page: the worker's, or the reason why it is lost."""
        results: Sequence[Result] = answer
        if type(answer) is Lost:
            results = [lost(page, *answer, self.operation) for page in inputs]
        for page, made in zip(inputs, results, strict=True):
            result = replace(made, job=page.job)
            if self.duplicates is None:
                yield result
                continue
            if result.status in {DONE, KEPT}:
                self.duplicates.remember_text(result.job)
            yield self.duplicates.settled(result)

    # corpora

    def _opened(self, job: Job) -> Corpus | Result:
        """Return the corpus that a job writes, or why there is none to write."""
        if job not in self.corpora:
            from crfclean.products.corpus.folder import open_corpus  # one page needs none of it

            self.corpora[job] = open_corpus(
                job, self.operation, self.outputs.params, self.duplicates, self.stops
            )
        return self.corpora[job]

    def _count_sites(self, jobs: Sequence[Job]) -> None:
        """Count the texts of all sites, before any page is cleaned.

        Raises `CrfcleanError`, also for texts, and for input that cannot be read twice.
        """
        jobs = [job for job in jobs if not job.refused]
        for job in jobs:
            if not job.shard:
                raise CrfcleanError("--by-site needs a corpus: name an OUT such as out.jsonl.gz")
            if any(source == STDIN or is_url(source) for source in job.inputs):
                raise CrfcleanError("--by-site reads all pages twice: it takes files alone")
        for corpus in map(self._opened, jobs):
            if not isinstance(corpus, Result):
                corpus.count_sites(self.pool)


# runs


def clean_batch(  # noqa: PLR0913
    jobs: Sequence[Job],
    operation: Operation,
    workers: int = 1,
    *,
    params: ResumeParams = ResumeParams(),
    stop: Callable[[], bool] = lambda: False,
    pool: Processes | None = None,
) -> Generator[Result]:
    """Do the jobs in `workers` processes, or in a `pool`; results come in the order of the jobs.

    `params` say what becomes of the work of an earlier run. Once `stop()` is true, no part is
    begun; those under way are finished, and the run can be resumed. Without workers (0), this
    process does all jobs, without limits of time and memory. Raises `CrfcleanError`, also if
    another run writes to the same output.
    """
    most = workers if any(job.shard for job in jobs) else min(workers, len(jobs))
    with (
        open_outputs(jobs, run_options(operation), params) as outputs,
        closing(pool or processes(most, operation.limits)) as opened,
    ):
        run = BatchRun(opened, operation, outputs, stop)
        if operation.signer is not None:
            from crfclean.products.corpus.duplicates import (
                open_duplicates,  # few runs compare texts
            )

            run.duplicates = open_duplicates(operation, params)
        shared = (
            job for number, job in enumerate(outputs.jobs) if job.shard or params.takes(number)
        )
        yield from run.clean(list(shared))
        if not run.stopped:
            outputs.finish()


def processes(workers: int, limits: TaskLimits) -> Processes:
    """Return a number of worker processes, or this process for 0."""
    if not workers:
        return FirstProcess()
    from crfclean.products.corpus.pool import (
        Pool,  # imports multiprocessing: one page does without it
    )

    return Pool(workers, limits)
