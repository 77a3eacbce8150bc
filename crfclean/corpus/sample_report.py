"""Write a sample of a run's pages as HTML: a file for each page, and an index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from crfclean.corpus.clean import BatchParams, page_and_document
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import PageInput
from crfclean.corpus.sample import Sample, SampledPage
from crfclean.corpus.tasks import FirstProcess, Lost, Processes, Task
from crfclean.io import write_atomically
from crfclean.types import CrfcleanError
from crfclean.view.overlay import IndexRow, index_html, view_html, view_of

_NO_JOB = Job(None, None)


@dataclass(frozen=True, slots=True)
class PageFile:
    """The file of a page, with the numbers of its blocks."""

    html: str
    kept: int
    blocks: int


def write_report(folder: Path, sample: Sample, params: BatchParams, workers: int = 0) -> None:
    """Write the pages of a sample and their index, `index.html`; older ones are replaced.

    Without workers (0) the pages are read in this process. Raises `CrfcleanError` where a file
    cannot be written.
    """
    with closing(_processes(workers, params)) as pool:
        writer = _Writer(folder, params, pool)
        sections = {
            "Least sure": tuple(writer.rows("unsure", sample.least_sure)),
            "Surest": tuple(writer.rows("sure", sample.surest)),
        }
    note = f"{sample.too_large:,} larger than 2 MB are left out. " if sample.too_large else ""
    _write(folder / "index.html", index_html(sections, sample.pages, note))


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes pages to a folder."""

    folder: Path
    params: BatchParams
    pool: Processes

    def rows(self, stem: str, pages: Sequence[SampledPage]) -> Iterator[IndexRow]:
        """Write pages as `stem-01.html` and so on; their rows of the index."""
        tasks = (Task(page, (PageInput(_NO_JOB, page.unpacked()),)) for page in pages)
        answers = self.pool.map(page_file, tasks, self.params)
        for number, (page, answer) in enumerate(answers, 1):
            if isinstance(answer, Lost):
                yield IndexRow(page.name, page.score, problem=answer.message)
                continue
            name = f"{stem}-{number:02}.html"
            _write(self.folder / name, answer.html)
            yield IndexRow(page.name, page.score, name, answer.kept, answer.blocks)


def page_file(inputs: tuple[PageInput, ...], params: BatchParams) -> PageFile:
    """Clean a page again, for its file; it is the one record of the inputs."""
    (record,) = (page_input.record for page_input in inputs if page_input.record is not None)
    page, document = page_and_document(record, params)
    view = view_of(page, document, params.tagger)
    return PageFile(view_html(view), view["kept"], view["total"])


def _processes(workers: int, params: BatchParams) -> Processes:
    """Worker processes, or this one."""
    if not workers:
        return FirstProcess()
    from crfclean.corpus.pool import Pool  # imports multiprocessing: one page does without it

    return Pool(workers, params.limits)


def _write(path: Path, html: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, html.encode("utf-8", "replace"))
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be written: {error.strerror}") from error
