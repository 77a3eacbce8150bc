"""Run the jobs of a command: pages that become texts, and the parts of a corpus, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from pathlib import Path
from typing import Any, NamedTuple

from crfclean.corpus.duplicates import Duplicates, open_duplicates
from crfclean.corpus.folder import Corpus, is_finished, open_corpus, remove_corpus
from crfclean.corpus.jobs import (
    DONE,
    FAILED,
    KEPT,
    LEFT_OUT,
    FirstProcess,
    Job,
    Lost,
    Operation,
    PageInput,
    Processes,
    Result,
    Task,
    TaskLimits,
    lost,
    page_input,
    process_pages,
)
from crfclean.corpus.outputs import Outputs, ResumeParams, open_outputs, parts_folder, run_options
from crfclean.corpus.parts import (
    Cleaned,
    Part,
    Report,
    WriteError,
    clean_part,
    tried_again,
)
from crfclean.corpus.records import STDIN, Record, is_url
from crfclean.corpus.sites import count_part, read_counts, repeated_texts, write_counts
from crfclean.io import naming_path
from crfclean.page.elements import MAX_BLOCKS
from crfclean.page.sources import Source, as_sources, read_page
from crfclean.pipeline import as_tagger, lost_document, run
from crfclean.types import CrfcleanError, Document, Page, Tagger, WorkerError


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
    from crfclean.corpus.pool import Pool  # imports multiprocessing

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


# run the jobs of a command: pages that become texts, and the parts of a corpus, in order

_PAGES_OF_MB = 64  # of a WARC file, about


@dataclass(frozen=True, slots=True)
class _Pages:
    """The subject of a task of pages with their own files."""

    inputs: tuple[PageInput, ...]

    def results(self, answer: Any, operation: Operation) -> Iterator[Result]:
        """Yield the result of every page: the worker's, or the reason why it is lost."""
        results: Sequence[Result] = answer
        if type(answer) is Lost:
            results = [lost(page, *answer, operation) for page in self.inputs]
        for page, result in zip(self.inputs, results, strict=True):
            yield replace(result, job=page.job)


@dataclass(frozen=True, slots=True)
class _PartOf:
    """The subject of a task of a corpus: a part, or its end (None)."""

    corpus: Corpus
    part: Part | None = None


class Broken(NamedTuple):
    """The answer for a part whose input cannot be read, or that cannot be written."""

    message: str


def work(item: Part | tuple[PageInput, ...], operation: Operation) -> Any:
    """Do an item of work: a part of a corpus, or pages with their own files."""
    if not isinstance(item, Part):
        return process_pages(item, operation)
    try:
        return count_part(item, operation) if item.is_counted else clean_part(item, operation)
    except WriteError as error:
        return Broken(str(error))
    except OSError as error:
        return Broken(f"cannot be read: {error.strerror or error}")


def job_groups(jobs: Iterable[Job], max_pages: int) -> Iterator[list[Job]]:
    """Yield groups of at most `max_pages` successive pages of a directory, and single corpora."""
    place = lambda job: (bool(job.shard), str(job.source.parent) if job.source else "")  # noqa: E731
    for (shard, _), group in groupby(jobs, key=place):
        members, size = list(group), 1 if shard else max_pages
        for start in range(0, len(members), size):
            yield members[start : start + size]


@dataclass(slots=True)
class BatchRun:
    """The state of a run: its open corpora, and whether it `stopped` with work left.

    If there are `duplicates`, they are left out.
    """

    pool: Processes
    operation: Operation
    outputs: Outputs
    stop: Callable[[], bool]
    duplicates: Duplicates | None = None
    stopped: bool = False
    open: list[Corpus] = field(default_factory=list)
    counted: dict[Job, Corpus | Result] = field(default_factory=dict)

    def clean(self, jobs: Sequence[Job]) -> Iterator[Result]:
        """Do the jobs; results come in their order."""
        groups = job_groups(jobs, self.operation.site_pages)
        tasks = chain.from_iterable(self._tasks(group) for group in groups)
        try:
            if self.operation.by_site:
                self._count_sites(jobs)
            for about, answer in self.pool.map(work, tasks, self.operation):
                if isinstance(about, _Pages):
                    for result in about.results(answer, self.operation):
                        yield self._compared(result)
                elif not about.corpus.closed:
                    yield from self._of_corpus(about, answer)
        finally:
            for corpus in self.open:
                if not corpus.closed:
                    corpus.leave()

    def stops(self) -> bool:
        """Return whether the run must stop now, with work left."""
        self.stopped = self.stopped or self.stop()
        return self.stopped

    # pages with their own files

    def _tasks(self, jobs: Sequence[Job]) -> Iterator[Task]:
        """Yield the tasks of a corpus, or the one task of some pages of a site."""
        if self.stops():
            return
        if jobs[0].shard and not jobs[0].refused:
            yield from self._corpus_tasks(jobs[0])
        else:
            yield page_task(tuple(map(self._input, jobs)))

    def _input(self, job: Job) -> PageInput:
        """Return the input of a job's task; standard input is read here."""
        with naming_path(STDIN, "cannot be read"):
            return page_input(job, self.operation.limits.max_bytes, self.outputs.kept(job))

    def _compared(self, result: Result) -> Result:
        if self.duplicates is None:
            return result
        if result.status in {DONE, KEPT} and not result.job.shard:
            self.duplicates.remember_text(result.job)
        return self.duplicates.settled(result)

    # corpora

    def _corpus_tasks(self, job: Job) -> Iterator[Task]:
        """Yield the tasks of the parts, then that of the end unless the run is stopped."""
        corpus, params = self.counted.get(job) or self._opened(job), self.outputs.params
        if isinstance(corpus, Result):
            yield result_task(corpus)
            return
        yield from map(result_task, corpus.reader.left_out)
        corpus.left_out.update(result.message for result in corpus.reader.left_out)
        for number, piece in enumerate(corpus.reader.pieces()):
            if self.stops() or corpus.closed:
                return
            if params.takes(number):
                yield _task_of_part(corpus, corpus.part(number, piece))
        if not self.stops():
            yield Task(_PartOf(corpus), None, done=True)

    def _opened(self, job: Job) -> Corpus | Result:
        """Open the corpus that a job writes, unless it is done or cannot be written."""
        params = self.outputs.params
        try:
            if job.target is not None and params.continues and is_finished(job):
                remove_corpus(parts_folder(job.target))
                return Result(job, DONE)
            corpus = open_corpus(job, self.operation, params)
        except OSError as error:
            return Result(job, FAILED, _reason(error, f"{job.target} cannot be written"))
        self.open.append(corpus)
        return corpus

    def _count_sites(self, jobs: Sequence[Job]) -> None:
        """Count the texts of all sites, before any page is cleaned; raises `CrfcleanError`."""
        _check_by_site(jobs)
        for job in jobs:
            if not job.refused:
                corpus = self.counted[job] = self._opened(job)
                if isinstance(corpus, Corpus):
                    self._count(corpus)

    def _count(self, corpus: Corpus) -> None:
        """Count the texts of a corpus.

        Raises `CrfcleanError` for parts that cannot be read, or that other runs have not counted.
        """
        parts = list[Part]()
        for part, answer in self.pool.map(work, self._counts(corpus, parts), self.operation):
            if isinstance(answer, Broken):
                raise CrfcleanError(answer.message)
            if isinstance(answer, Lost):  # again and again: nothing else is known of it
                write_counts(part, {})
        texts = None if self.stops() else repeated_texts(map(read_counts, parts))
        if texts is None and not self.stopped:
            raise CrfcleanError(
                f"{corpus.place}: other shares have not counted their texts yet: repeat the "
                "command when they have"
            )
        corpus.sites = texts or {}

    def _counts(self, corpus: Corpus, parts: list[Part]) -> Iterator[Task]:
        """Yield the tasks that count parts; note all parts, also those of other runs."""
        for number, piece in enumerate(corpus.reader.pieces()):
            if self.stops():
                return
            part = corpus.uncounted(number, piece)
            parts.append(replace(part, records=(), range=None))
            if self.outputs.params.takes(number) and read_counts(part) is None:
                yield part_task(parts[-1], part)

    def _of_corpus(self, about: _PartOf, answer: Any) -> Iterator[Result]:
        """Take the answer of a part, or end the corpus; an error leaves it for another run."""
        corpus, part = about.corpus, about.part
        try:
            if part is None:
                yield from self._ended(corpus)
            elif isinstance(answer, Report):
                yield from self._done_before(corpus, part, answer)
            elif isinstance(answer, Cleaned):
                yield from self._cleaned(corpus, part, answer)
            elif isinstance(answer, Lost):  # as its worker was, again and again
                corpus.broken = True
                yield Result(corpus.job, FAILED, f"part {part.number}: {answer.message}")
            else:
                corpus.leave()
                yield Result(corpus.job, FAILED, answer.message)
        except WriteError as error:
            corpus.leave()
            yield Result(corpus.job, FAILED, str(error))
        except OSError as error:
            corpus.leave()
            if corpus.job.target is None:
                raise
            yield Result(corpus.job, FAILED, _reason(error, f"{corpus.place} cannot be written"))

    def _done_before(self, corpus: Corpus, part: Part, report: Report) -> Iterator[Result]:
        if self.duplicates is not None:
            self.duplicates.remember_part(corpus.job, report)
        corpus.add(part, report)
        for reason, count in report.left_out.items():
            earlier = f"{count} of an earlier run"
            yield Result(corpus.job, LEFT_OUT, reason, record=earlier, pages=count)
        if report.counts:
            yield Result(corpus.job, DONE, before=Counter(report.counts))

    def _cleaned(self, corpus: Corpus, part: Part, answer: Cleaned) -> Iterator[Result]:
        results, report = [replace(each, job=corpus.job) for each in answer.results], answer.report
        if self.duplicates is not None:
            results, report = self.duplicates.compared(part, results, report, self.operation)
        corpus.add(part, report)
        yield from results

    def _ended(self, corpus: Corpus) -> Iterator[Result]:
        error, params = corpus.reader.error, self.outputs.params
        problem = (error.strerror or str(error)) if error else corpus.reader.changed()
        if problem or corpus.broken or params.is_shared:
            corpus.leave()
        else:
            corpus.finish()
        if problem:
            yield Result(corpus.job, FAILED, f"cannot be read: {problem}")
        elif not (corpus.counts or corpus.left_out or corpus.broken or params.is_shared):
            yield Result(corpus.job, FAILED, "no pages in it")


def _check_by_site(jobs: Iterable[Job]) -> None:
    """Raise `CrfcleanError` for texts, and for input that cannot be read twice."""
    for job in jobs:
        if not job.refused and not job.shard:
            raise CrfcleanError("--by-site needs a corpus: name an OUT such as out.jsonl.gz")
        if any(source == STDIN or is_url(source) for source in job.inputs):
            raise CrfcleanError("--by-site reads all pages twice: it takes files alone")


def page_task(inputs: tuple[PageInput, ...]) -> Task:
    """Return the task of some pages; if it is lost, each page becomes a task."""
    if all(page.kept for page in inputs):
        return Task(_Pages(inputs), [page.kept_result for page in inputs], done=True)

    def instead(answer: object) -> list[Task]:
        is_lost = isinstance(answer, Lost) and len(inputs) > 1
        return [page_task((page,)) for page in inputs] if is_lost else []

    size = sum(page.record.size for page in inputs)
    return Task(_Pages(inputs), inputs, size, pages=len(inputs), instead=instead)


def result_task(result: Result) -> Task:
    """Return the task of a known result, which keeps its place in the order."""
    return Task(_Pages((PageInput(result.job, Record("")),)), [result], done=True)


def _task_of_part(corpus: Corpus, part: Part) -> Task:
    """Return the task of a part, done if an earlier run has done it."""
    report, about = corpus.done(part), _PartOf(corpus, replace(part, records=()))
    task = part_task(about, part)

    def instead(answer: object) -> Iterable[Task]:
        right = None if corpus.closed else corpus.moved(part, report)
        return [part_task(about, right)] if right else task.instead(answer)

    if report is not None:
        return Task(about, report, done=True, instead=instead)
    return replace(task, instead=instead)


def part_task(about: Any, part: Part) -> Task:
    """Return the task that cleans a part; if its worker is lost, another goes on with it."""
    pages, span = len(part.records) or 1, part.range
    if span is not None:
        pages += ((span.stop or span.state.size) - span.start) * _PAGES_OF_MB // 2**20

    def instead(answer: object) -> list[Task]:
        again = tried_again(part, answer) if isinstance(answer, Lost) else []
        return [part_task(about, more) for more in again]

    return Task(about, part, part.size, pages=pages, instead=instead)


def _reason(error: OSError, before: str) -> str:
    return f"{before}: {error.strerror or error}"


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
        duplicates = open_duplicates(operation, params)
        run = BatchRun(opened, operation, outputs, stop, duplicates)
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
    from crfclean.corpus.pool import Pool  # imports multiprocessing: one page does without it

    return Pool(workers, limits)
