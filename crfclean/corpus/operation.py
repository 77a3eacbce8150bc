"""Read pages, process them by an `Operation`, and write them, all in one process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from crfclean.corpus.jobs import Job, PageLimits
from crfclean.corpus.records import Fields, Record, fetch_record, read_source
from crfclean.io import write_atomically

if TYPE_CHECKING:
    from crfclean.corpus.duplicates import Signer
    from crfclean.corpus.listing import ListedFile

OK = "ok"

FAILED = "failed"
"""Status of a page that could not be read or written; the message says why."""

LOW_SCORE = "low-score"
"""Status of a page that is not written because its score is too low."""

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

OVER_BLOCKS = "over-blocks"
"""Status of a page with more blocks than the limits allow."""

WITHOUT_TEXT = frozenset(["no-blocks", "nothing-kept", "below-precision", "no-posts"])
"""Statuses of pages in which nothing was found."""


def outcome_of(status: str) -> str:
    """Return the outcome of a status: "ok", "without" text, "failed", or one of seven statuses.

    They are `LOW_SCORE`, `FILTERED`, `DUPLICATE`, `JOINED`, `DONE`, `KEPT` and `LEFT_OUT`.
    """
    if status in UNWRITTEN | {OK, JOINED, DONE, KEPT, LEFT_OUT}:
        return status
    return "without" if status in WITHOUT_TEXT else FAILED


class Operation(Protocol):
    """The work of a command on pages; it travels to the worker processes.

    `fields` name the fields of JSONL files. One task reads at most `site_pages` pages of a site; 1
    reads each page by itself. `options` are JSON values: everything that the rows depend on besides
    the pages. A shard can be resumed only with equal options.
    """

    @property
    def limits(self) -> PageLimits:
        """The limits of a page."""

    @property
    def fields(self) -> Fields:
        """The names of the fields that are read from JSONL files."""

    @property
    def site_pages(self) -> int:
        """The largest number of pages of a site that are read together."""

    @property
    def signer(self) -> Signer | None:
        """The maker of signatures of texts; None if duplicates are kept."""

    @property
    def by_site(self) -> bool:
        """True if texts that many pages of a site have count against themselves."""

    def text_keys(self, record: Record) -> Sequence[int]:
        """Return the keys of the texts of a page's blocks, if pages are judged `by_site`."""

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that rows depend on."""

    def prepare(self, item: Any) -> None:
        """Open the models that an item of `engine.work` needs, before the time of a page begins."""

    def make(self, inputs: Sequence[PageInput], records: Sequence[Record]) -> Sequence[Result]:
        """Process pages, given as records without problems; return the results to write."""

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
    content (see `Presence`), "" if unknown. `page` is the page itself, if the operation sends it. A
    page with a `signature` is compared with earlier pages before it is written. It is not
    `remembered` if the limit of remembered pages is reached. `encoding_guessed` is True for a page
    whose encoding was guessed. `file` is the file of the record, "" if it is the job's or unknown.
    `unmatched` are the selectors that name no element of the page. `rows` counts its rows in a part
    that is written: 0 or 1.
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
    page: Record | None = field(default=None, repr=False, compare=False)
    signature: bytes = field(default=b"", repr=False)
    remembered: bool = True
    encoding_guessed: bool = field(default=False, compare=False)
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
        """The outcome that the page counts as; see `outcome_of`."""
        return outcome_of(self.status)


@dataclass(frozen=True, slots=True)
class PageInput:
    """The input of a worker: a job, with the bytes of standard input, or one record of a shard.

    A page that is `done` is read only because other pages of its site need it.
    """

    job: Job
    record: Record | None = None
    data: bytes | None = None
    done: bool = False

    @property
    def size(self) -> int:
        """Bytes (or characters) of the page that the input carries."""
        return len(self.data or b"") + (self.record.size if self.record else 0)


def left_out_result(file: ListedFile) -> Result:
    """Return the result of a file that is no page."""
    return Result(Job(file.path, None), LEFT_OUT, file.left_out)


def left_out_record(job: Job, record: Record) -> Result:
    """Return the result of a record that is no page."""
    return Result(job, LEFT_OUT, record.left_out, record=record.id, file=record.file)


def process_pages(inputs: tuple[PageInput, ...], operation: Operation) -> list[Result]:
    """Read, process and write pages together; return a result for each, also for failures."""
    records = [_read(page_input, operation.limits) for page_input in inputs]
    pairs = list(zip(inputs, records, strict=True))
    sound = [pair for pair in pairs if not (pair[1].problem or pair[1].left_out)]
    made = iter(operation.make([each for each, _ in sound], [record for _, record in sound]))
    results = []
    for page_input, record in pairs:
        if record.left_out:
            result = left_out_record(page_input.job, record)
        elif record.problem:
            result = lost(page_input, FAILED, record.problem, operation)
        else:
            result = replace(_written(page_input, next(made)), file=record.file)
        results.append(result)
    return results


def lost(page_input: PageInput, status: str, message: str, operation: Operation) -> Result:
    """Return the result of a lost page; a record with an id still gets its line."""
    record = page_input.record
    if record is not None and not record.id:  # not opened before it was lost
        record = record.opened
    if record is None:
        return Result(page_input.job, status, message)
    line = operation.lost_row(record, status, message) if record.id else b""
    return Result(page_input.job, status, message, record=record.id, line=line, file=record.file)


def _read(page_input: PageInput, limits: PageLimits) -> Record:
    """Read the page of an input; its `problem` says why there is no page."""
    job, data = page_input.job, page_input.data
    if page_input.record is not None:
        return page_input.record.opened
    if job.refused:
        return Record(job.name, problem=job.refused)
    if job.url:
        return fetch_record(job.url)
    try:
        return Record(job.name, read_source(job.source, limits.max_bytes) if data is None else data)
    except OSError as error:
        return Record(job.name, problem=f"cannot be read: {error.strerror}")


def _written(page_input: PageInput, result: Result) -> Result:
    """Write the text of a page, unless an earlier run did, or the text must be compared first."""
    if page_input.done:
        return Result(page_input.job, DONE)
    return result if result.signature else write_text(result)


def write_text(result: Result) -> Result:
    """Write the text to the page's own file; keep it in the result for standard output."""
    job = result.job
    if result.text is None or job.target is None:
        return result
    try:
        write_atomically(job.target, result.text.encode("utf-8", "replace"))
    except OSError as error:
        return Result(job, FAILED, f"{job.target} cannot be written: {error.strerror}")
    return replace(result, text=None)
