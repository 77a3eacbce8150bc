"""Read pages, process them by an `Operation`, and write them, all in one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

from crfclean.document.columns import AddedColumns
from crfclean.document.page_text import FAILED, LOW_SCORE, outcome_of
from crfclean.io import write_atomically
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.listing import ListedFile
from crfclean.products.corpus.params import Fields, PageLimits
from crfclean.products.corpus.records import Record, page_of
from crfclean.products.corpus.tasks import Task
from crfclean.products.corpus.texts import text_form

FILTERED = "filtered"
"""Status of a page that is not written because `PageFilter` refuses it."""

DUPLICATE = "duplicate"
"""Status of a page that is not written because an earlier page has its text; see `Duplicates`."""

UNWRITTEN = frozenset([LOW_SCORE, FILTERED, DUPLICATE])
"""Statuses of pages that have a text, but are not written."""

JOINED = "joined"
"""Status of a page whose content is in the output of another page, which its message names."""

DONE = "done-before"
"""Status of a job that an earlier run has done."""

KEPT = "kept"
"""Status of a page whose text is not replaced, because no run has written it as it is now."""

LEFT_OUT = "left-out"
"""Status of a file of a directory that is no page; the message says why."""


def result_outcome(status: str) -> str:
    """Return the outcome of a status: that of a page, or the status of one that is not written."""
    if status in {FILTERED, DUPLICATE, JOINED, DONE, KEPT, LEFT_OUT}:
        return status
    return outcome_of(status)


class Operation(Protocol):
    """The work of a command on pages; it travels to the worker processes.

    `fields` name the fields of JSONL and Parquet files. One task reads at most `site_pages` pages
    of a site; 1 reads each page by itself. `options` are JSON values: everything that the rows
    depend on besides the pages. A shard can be resumed only with equal options.
    """

    @property
    def limits(self) -> PageLimits:
        """The limits of a page."""

    @property
    def fields(self) -> Fields:
        """The names of the fields that are read from JSONL and Parquet files."""

    @property
    def site_pages(self) -> int:
        """The largest number of pages of a site that are read together."""

    @property
    def signer(self) -> object:
        """The `duplicates.Signer` of texts; None if duplicates are kept."""

    @property
    def by_site(self) -> bool:
        """True if texts that many pages of a site have count against themselves."""

    def site_texts(self, record: Record) -> tuple[str, Sequence[int]]:
        """Return a page's title and the keys of its texts, if pages are judged `by_site`."""

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that rows depend on."""

    @property
    def columns(self) -> AddedColumns:
        """The columns that rows have besides those of `columns.ROW_COLUMNS`."""

    def prepare(self, item: Any) -> None:
        """Open the models that an item of `engine.do_item` needs, before a page's time begins."""

    def make(self, inputs: Sequence[PageInput]) -> Sequence[Result]:
        """Process pages, which are opened and have no problem; return the results to write."""

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """Return the line of a record whose page was lost."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a page; `score` is the score of its document.

    `text` goes to the page's own file. After that file is written, `text` is the text for standard
    output, or None. `record` is the id of a page of a shard, `line` its line in the output shard.
    `before` counts the outcomes of pages that an earlier run has done. One result may stand for
    several equal `pages`. `items` counts the extracted items, such as posts of a forum;
    `empty_items` counts the items without words of their own. `where` is the place of the page's
    content (see `Presence`), "" if unknown. A page with a `signature` is compared with earlier
    pages before it is written. It is not `remembered` if the limit of remembered pages is reached.
    `encoding_guessed` is True for a page whose encoding was guessed, `repeats` for one that lost
    texts which many pages of its site have. `file` is the file of the record, "" if it is the job's
    or unknown. `unmatched` are the selectors that name no element of the page. `rows` counts its
    rows in a part that is written: 0 or 1.
    """

    job: Job
    status: str
    message: str = ""
    truncated: str = ""
    text: str | None = None
    score: float = 0.0
    record: str = ""
    line: bytes = field(default=b"", repr=False)
    pages: int = 1
    before: Counter[str] = field(default_factory=Counter)
    items: int = 0
    where: str = field(default="", compare=False)
    empty_items: int = 0
    signature: bytes = field(default=b"", repr=False)
    remembered: bool = True
    encoding_guessed: bool = field(default=False, compare=False)
    repeats: bool = field(default=False, compare=False)
    file: str = field(default="", compare=False)
    unmatched: tuple[str, ...] = field(default=(), compare=False)
    rows: int = field(default=0, compare=False)

    @property
    def failed(self) -> bool:
        """True if the page could not be processed; False if it has no text or is not wanted."""
        return self.outcome == FAILED

    @property
    def name(self) -> str:
        """The name of the page in messages."""
        file = self.file or self.job.name
        return f"{file}: {self.record}" if self.record else file

    @property
    def outcome(self) -> str:
        """The outcome that the page counts as; see `result_outcome`."""
        return result_outcome(self.status)


class PageInput(NamedTuple):
    """The input of a worker: a page, unopened perhaps, and its job, which says if it is a row.

    A page whose text is `kept` (`DONE` or `KEPT`) is read only because others of its site need it.
    """

    job: Job
    record: Record
    kept: str = ""

    @property
    def kept_result(self) -> Result:
        """The result of a page whose text is kept."""
        changed = f"{self.job.target} was changed after the last run: --overwrite replaces it"
        return Result(self.job, self.kept, changed if self.kept == KEPT else "")


def page_input(job: Job, max_bytes: int, kept: str = "") -> PageInput:
    """Return the input of a page that becomes a text; raises `OSError` for standard input."""
    if job.refused:
        return PageInput(job, Record(job.name, problem=job.refused), kept)
    return PageInput(job, page_of(job.source, max_bytes), kept)


def left_out_result(file: ListedFile) -> Result:
    """Return the result of a file that is no page."""
    return Result(Job(file.path, None), LEFT_OUT, file.left_out)


def result_task(result: Result) -> Task:
    """Return the task of a known result, which keeps its place in the order."""
    return Task(lambda _: [result], None, done=True)


def process_pages(inputs: tuple[PageInput, ...], operation: Operation) -> list[Result]:
    """Read, process and write pages together; return a result for each, also for failures."""
    opened = [each._replace(record=each.record.opened) for each in inputs]
    sound = (each for each in opened if not (each.record.problem or each.record.left_out))
    made = iter(operation.make(list(sound)))
    return [_result(each, made, operation) for each in opened]


def _result(given: PageInput, made: Iterator[Result], operation: Operation) -> Result:
    """Return the result of an opened page: the next one that was made, if it has no problem."""
    record = given.record
    if record.left_out:
        return Result(given.job, LEFT_OUT, record.left_out, record=record.id, file=record.file)
    if record.problem:
        return lost(given, FAILED, record.problem, operation)
    return replace(_written(given, next(made)), file=record.file)


def lost(given: PageInput, status: str, message: str, operation: Operation) -> Result:
    """Return the result of a lost page; a row with an id still gets its line."""
    job, record = given.job, given.record
    if not job.shard:
        return Result(job, status, message)
    if not record.id:  # not opened before it was lost
        record = record.opened
    has_row = record.id and not text_form(job.shard)
    line = operation.lost_row(record, status, message) if has_row else b""
    return Result(job, status, message, record=record.id, line=line, file=record.file)


def _written(given: PageInput, result: Result) -> Result:
    """Write the text of a page, unless an earlier run did, or the text must be compared first."""
    if given.kept:
        return given.kept_result
    return result if result.signature else write_result(result)


def write_result(result: Result) -> Result:
    """Write the text to the page's own file; keep it in the result for standard output."""
    job = result.job
    if result.text is None or job.target is None:
        return result
    try:
        write_atomically(job.target, result.text.encode("utf-8", "replace"))
    except OSError as error:
        return Result(job, FAILED, f"{job.target} cannot be written: {error.strerror}")
    return replace(result, text=None)
