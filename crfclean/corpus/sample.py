"""A sample of the pages of a run, and the report that shows it as HTML."""

from __future__ import annotations

from bisect import insort
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from crfclean.corpus.clean import BatchParams, page_and_document
from crfclean.corpus.engine import processes
from crfclean.corpus.jobs import Job, Lost, PageInput, Processes, Result, Task
from crfclean.corpus.records import Record
from crfclean.document.overlay import IndexRow, index_html, view_html, view_of
from crfclean.io import digest, naming_path, write_text

REPORT_PAGES = 20
MAX_PAGE_BYTES = 2_000_000  # larger pages are not sampled; few are


@dataclass(frozen=True, slots=True, order=True)
class SampledPage:
    """A page with its score; equal scores are ordered by a digest of the name."""

    score: float
    order: str
    name: str
    record: Record = field(repr=False, compare=False)


@dataclass(slots=True)
class Sample:
    """At most `size` pages of a run; `pages` counts all that have a text.

    `low` and `high` have the pages of the lowest and the highest scores, from low to high.
    """

    size: int = REPORT_PAGES
    pages: int = 0
    too_large: int = 0
    low: list[SampledPage] = field(default_factory=list)
    high: list[SampledPage] = field(default_factory=list)

    def noted(self, results: Iterator[Result]) -> Generator[Result]:
        """Sample the pages of the results, and yield the results without them."""
        for result in results:
            if result.page is None:
                yield result
            else:
                self._note(result, result.page)
                yield replace(result, page=None)

    @property
    def least_sure(self) -> list[SampledPage]:
        """The pages of the lowest scores, the lowest first."""
        count = self.size // 2 if self.pages > self.size else len(self.low) // 2
        return self.low[:count]

    @property
    def surest(self) -> list[SampledPage]:
        """The pages of the highest scores, the highest first; none is among the least sure."""
        count = min(self.size, len(self.high)) - len(self.least_sure)
        return self.high[::-1][:count]

    def _note(self, result: Result, record: Record) -> None:
        self.pages += 1
        if len(record.data) > MAX_PAGE_BYTES:
            self.too_large += 1
            return
        key = (result.score, digest(result.name))
        keeps_low = len(self.low) < self.size or key < _key(self.low[-1])
        keeps_high = len(self.high) < self.size or key > _key(self.high[0])
        if keeps_low or keeps_high:
            page = SampledPage(*key, result.name, record)
            if keeps_low:
                insort(self.low, page)
                del self.low[self.size :]
            if keeps_high:
                insort(self.high, page)
                del self.high[: -self.size]


def _key(page: SampledPage) -> tuple[float, str]:
    return page.score, page.order


# the report

INDEX, UNSURE, SURE = "index.html", "unsure", "sure"

_NO_JOB = Job(None, None)


def report_names() -> Iterator[str]:
    """Yield the names of all files that a report may have."""
    yield INDEX
    for kind in (UNSURE, SURE):
        yield from (_name(kind, number) for number in range(1, REPORT_PAGES + 1))


def _name(kind: str, number: int) -> str:
    return f"{kind}-{number:02}.html"


def write_report(folder: Path, sample: Sample, params: BatchParams, workers: int = 0) -> None:
    """Write the pages of a sample and their index, `index.html`; replace older files.

    Without workers (0), this process reads the pages. Raises `CrfcleanError` if a file cannot be
    written.
    """
    with closing(processes(workers, params.limits)) as pool:
        sections = {
            "Lowest scores": tuple(_rows(folder / UNSURE, sample.least_sure, params, pool)),
            "Highest scores": tuple(_rows(folder / SURE, sample.surest, params, pool)),
        }
    note = f"{sample.too_large:,} larger than 2 MB are left out. " if sample.too_large else ""
    _write(folder / INDEX, index_html(sections, sample.pages, note))


def _rows(
    path: Path, pages: Sequence[SampledPage], params: BatchParams, pool: Processes
) -> Iterator[IndexRow]:
    """Write pages as `path-01.html` and so on; yield their rows of the index."""
    tasks = (Task(page, (PageInput(_NO_JOB, page.record),)) for page in pages)
    for number, (page, answer) in enumerate(pool.map(page_file, tasks, params), 1):
        if isinstance(answer, Lost):
            yield IndexRow(page.name, page.score, problem=answer.message)
            continue
        html, kept, blocks = answer
        name = _name(path.name, number)
        _write(path.with_name(name), html)
        yield IndexRow(page.name, page.score, name, kept, blocks)


def page_file(inputs: tuple[PageInput, ...], params: BatchParams) -> tuple[str, int, int]:
    """Clean a page again; return its HTML, and the numbers of kept blocks and of all blocks."""
    record = inputs[0].record or Record("")
    page, document = page_and_document(record, params)
    view = view_of(page, document, params.tagger)
    return view_html(view), view["kept"], view["total"]


def _write(path: Path, html: str) -> None:
    with naming_path(path, "cannot be written"):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, html)
