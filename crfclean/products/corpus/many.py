"""Clean many pages from Python, in this process or in others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.sources import Source, as_sources, read_page
from crfclean.pipeline import as_tagger, lost_document, run
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.tasks import FirstProcess, Lost, Processes, Task
from crfclean.types import Document, Page, Tagger, WorkerError


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
