"""Clean many pages from Python, in this process or in others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias, Unpack, overload

from crfclean.decision.rules import CutChoice, Kinds
from crfclean.document.formats import extracted_from, format_name, shown_by
from crfclean.document.parts import Show
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.sources import Source, as_page, as_sources
from crfclean.pipeline import CleanOptions, CleanParams, clean_params, lost_document, run, tagged
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.corpus.tasks import FirstProcess, Lost, Processes, Task, start_clock
from crfclean.types import (
    CommentMode,
    Convention,
    CrfcleanError,
    Document,
    Format,
    Page,
    Switches,
    Tagger,
    WorkerError,
)
from crfclean.types.choices import AUTO

ROW: Final = "row"
"""The form of a page that is a dictionary, as in `Document.to_dict`."""

_Model: TypeAlias = "Tagger | str | Path"
_GROUP_PAGES = 8  # of a message to a worker: this process then spends half as long on each
_GROUP_BYTES = 2**18  # of a message, beyond its last page


class ManyOptions(CleanOptions, Switches, total=False):
    """The keywords of `run_many` that do not change what it yields."""

    max_seconds: float | None
    max_memory: int | None
    tagger: _Model | None


@overload
def run_many(
    pages: Iterable[Source],
    model: _Model = "default",
    workers: int = 1,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    format: None = None,
    **options: Unpack[ManyOptions],
) -> Iterator[Document]: ...


@overload
def run_many(
    pages: Iterable[Source],
    model: _Model = "default",
    workers: int = 1,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    format: Literal["row"],
    **options: Unpack[ManyOptions],
) -> Iterator[dict[str, Any]]: ...


@overload
def run_many(
    pages: Iterable[Source],
    model: _Model = "default",
    workers: int = 1,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    format: Format,
    **options: Unpack[ManyOptions],
) -> Iterator[str]: ...


def run_many(  # noqa: PLR0913
    pages: Iterable[Source],
    model: Tagger | str | Path = "default",
    workers: int = 1,
    max_blocks: int | None = MAX_BLOCKS,
    *,
    format: Format | Literal["row"] | None = None,  # noqa: A002 - the word of the command line
    as_: Convention = AUTO,
    keep: Kinds | None = None,
    also: Kinds | None = None,
    without: Kinds | None = None,
    precision: float | None = None,
    threshold: float | None = None,
    within: str | None = None,
    drop: str | None = None,
    comments: CommentMode | None = None,
    max_seconds: float | None = None,
    max_memory: int | None = None,
    tagger: Tagger | str | Path | None = None,
    **switches: Unpack[Switches],
) -> Iterator[Any]:
    """Clean many pages in order, in `workers` processes; lazy, in bounded memory.

    `pages` may be an iterator; each page is any source that `extract` takes, such as HTML or a
    `Path`. `model`, `max_blocks` and the choices are those of `clean`; `tagger` is another name of
    `model`.

    `format` is what the iterator yields:

    - None, the default: a `Document` for each page.
    - "txt", "md" or another format of `extract`: its text. The `switches` are those of `write`.
    - "row": the dictionary of `Document.to_dict`, with the same switches.

    Texts and rows are made by the processes, so that several workers pay. A document is about as
    large as its page, and this process must unpack it: name a format if you need no document.

    Several workers, or one with a limit, are processes of their own. There a page may take
    `max_seconds` of CPU time (by default 60) and `max_memory` megabytes (by default 2,048; Linux
    alone). A page that takes more, or that ends its process, gives an empty document whose `status`
    and `message` say so, or its text or row; the others go on. A script calls this below
    `if __name__ == "__main__":`, because each process imports it.

    A bad page gives an empty document. Raises `CrfcleanError` for a file that cannot be read and
    for a path or URL in place of a page, after the pages before it; at once for a wrong choice or
    limit. Raises `ModelError` for a bad model, `TypeError` for anything but pages, `WorkerError` if
    no process can start.

    >>> list(run_many(["<p>Rain in the north.</p>", "<html>"], format="txt"))
    ['Rain in the north.', '']
    """
    choice = CutChoice(as_, keep, also, without, threshold, precision, within, drop)
    sources = as_sources(pages)
    chosen: dict[str, Any] = {"max_seconds": max_seconds, "max_memory": max_memory}
    limits = {name: limit for name, limit in chosen.items() if limit is not None}
    form = format_name(format) if format not in (None, ROW) else format
    if switches and not form:
        raise CrfcleanError(f"{next(iter(switches))} needs a format, as in format='md'")
    params = clean_params(tagger or model, choice, comments, max_blocks)
    made = _Made(params, form, shown_by(switches))
    if workers <= 1 and not limits:
        return _results(sources, made, FirstProcess())
    from crfclean.products.corpus.pool import Pool  # imports multiprocessing

    return _results(sources, made, Pool(workers, TaskLimits(**limits)))


@dataclass(frozen=True, slots=True)
class _Made:
    """What is made of a page: a document (None), a row, or a text in a format."""

    params: CleanParams
    form: str | None
    show: Show

    def of_page(self, page: Page) -> Any:
        make = tagged if self.form == "txt" else run  # a text has neither presence nor kinds
        return self.of_document(self.params.document(page, make))

    def of_document(self, document: Document) -> Any:
        if self.form is None:
            return document
        if self.form == ROW:
            from crfclean.document.json import to_dict

            return to_dict(document, self.show)
        return extracted_from(document, self.form, self.show)


def _results(sources: Iterable[Source], made: _Made, processes: Processes) -> Iterator[Any]:
    grouped = made.form is not None and not isinstance(processes, FirstProcess)
    groups = _groups(sources, _GROUP_PAGES if grouped else 1)
    with closing(processes):
        try:
            for urls, answers in processes.map(_make_all, map(_task, groups), made):
                if isinstance(answers, Lost):  # a group of one page
                    yield made.of_document(lost_document(urls[0], *answers))
                    continue
                for answer in answers:
                    if isinstance(answer, CrfcleanError):
                        raise answer
                    yield answer
        except WorkerError as error:
            hint = 'a script calls run_many below `if __name__ == "__main__":`'
            raise WorkerError(f"{error}; {hint}") from error


def _groups(sources: Iterable[Source], most: int) -> Iterator[list[Source]]:
    """Yield groups of successive pages, small ones together."""
    group: list[Source] = []
    size = 0
    for source in sources:
        group.append(source)
        size += _size(source)
        if len(group) >= most or size >= _GROUP_BYTES:
            yield group
            group, size = [], 0
    if group:
        yield group


def _task(group: list[Source]) -> Task:
    """Return the task of a group; if it is lost, each of its pages becomes a task."""

    def instead(answer: object) -> list[Task]:
        is_lost = isinstance(answer, Lost) and len(group) > 1
        return [_task([source]) for source in group] if is_lost else []

    urls = [source.url if isinstance(source, Page) else None for source in group]
    return Task(urls, group, sum(map(_size, group)), pages=len(group), instead=instead)


def _make_all(group: list[Source], made: _Made) -> list[Any]:
    return [_make(source, made) for source in group]


def _make(source: Source, made: _Made) -> Any:
    """Make a page within its own time; a wrong page gives its error, which is raised in order."""
    start_clock(1)
    try:
        return made.of_page(as_page(source))
    except CrfcleanError as error:
        return error


def _size(source: Source) -> int:
    """Return the bytes or characters that are sent to a worker."""
    html = source.html if isinstance(source, Page) else source
    return len(html) if isinstance(html, str | bytes) else 0
