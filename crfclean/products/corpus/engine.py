"""Run the jobs of a command, in order: pages that become texts, and corpora."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain, groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from crfclean.io import naming_path
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.sources import Source, as_sources, read_page
from crfclean.pipeline import as_tagger, lost_document, run
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
from crfclean.types import CrfcleanError, Document, Page, Tagger, WorkerError

if TYPE_CHECKING:
    from crfclean.products.corpus.duplicates import Duplicates
    from crfclean.products.corpus.folder import Corpus


class _Params(NamedTuple):
    tagger: Tagger
    max_blocks: int | None


def run_many(  # noqa: PLR0913
    pages: Iterable[Source],
    tagger: Tagger | str | Path = "default",
    workers: int = 1,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    max_seconds: float | None = None,
    max_memory: int | None = None,
) -> Iterator[Document]:
    """Clean many pages in order, in `workers` processes; lazy, in bounded memory.

    `pages` may be an iterator; each page is any source that `extract` takes, such as HTML or a
    `Path`. `tagger` and `max_blocks` are as in `clean`. A bad page gives an empty document, and so
    does a path or URL in place of a page: a crawl may have a page that is only a URL.

    Several workers, or one with a limit, are processes of their own. There a page may take
    `max_seconds` of CPU time (by default 60) and `max_memory` megabytes (by default 2,048; Linux
    alone). A page that takes more, or that ends its process, gives an empty document whose `status`
    and `message` say so; the others go on. A script calls this below `if __name__ == "__main__":`,
    because each process imports it.

    Raises `CrfcleanError` for a file that cannot be read and a limit out of bounds, `ModelError`
    for a bad model, `TypeError` for anything but pages, `WorkerError` if no process can start.

    >>> [document.text for document in run_many(["<p>Rain in the north.</p>", "https://a.example"])]
    ['Rain in the north.', '']
    """
    sources = as_sources(pages)
    chosen: dict[str, Any] = {"max_seconds": max_seconds, "max_memory": max_memory}
    limits = {name: limit for name, limit in chosen.items() if limit is not None}
    params = _Params(as_tagger(tagger), max_blocks)
    if workers <= 1 and not limits:
        return _documents(sources, params, FirstProcess())
    from crfclean.products.corpus.pool import Pool  # imports multiprocessing

    return _documents(sources, params, Pool(workers, TaskLimits(**limits)))


def _documents(
    sources: Iterable[Source], params: _Params, processes: Processes
) -> Iterator[Document]:
    tasks = (Task(_url(source), source, _size(source)) for source in sources)
    with closing(processes):
        try:
            for url, answer in processes.map(_document, tasks, params):
                yield lost_document(url, *answer) if isinstance(answer, Lost) else answer
        except WorkerError as error:
            hint = 'a script calls run_many below `if __name__ == "__main__":`'
            raise WorkerError(f"{error}; {hint}") from error


def _document(source: Source, params: _Params) -> Document:
    return run(read_page(source), params.tagger, params.max_blocks)


def _url(source: Source) -> str | None:
    return source.url if isinstance(source, Page) else None


def _size(source: Source) -> int:
    """Return the bytes or characters that are sent to a worker."""
    html = source.html if isinstance(source, Page) else source
    return len(html) if isinstance(html, str | bytes) else 0


# run the jobs of a command: pages that become texts, and corpora


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
