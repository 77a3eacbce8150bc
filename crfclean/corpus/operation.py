"""Pieces -> `Result`s: pages are read, made into something by an `Operation`, and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from crfclean.corpus.jobs import Job
from crfclean.corpus.limits import PageLimits
from crfclean.corpus.record import Record
from crfclean.corpus.records import Fields, fetched, read_page
from crfclean.io import (
    write_atomically,
)

OK = "ok"

FAILED = "failed"
"""Status of what could not be read or written; the message says why."""

LOW_SCORE = "low-score"
"""Status of a page whose text was not written, since its score is too low."""

DONE = "done-before"
"""Status of what a run before has done."""

OVER_BLOCKS = "over-blocks"
"""Status of a page with more blocks than the limits allow."""

WITHOUT_TEXT = frozenset(["no-blocks", "nothing-kept", "no-posts"])
"""Statuses of pages in which nothing was found."""


@dataclass(frozen=True, slots=True)
class Made:
    """What an operation made of a page, and how it is written.

    `status`, `message`, `truncated`, `score`, `items` and `trace` are those of `Result`. `text`
    gives the text of a page's own file, None where none is written; `row` the line of a record.
    """

    status: str
    message: str
    text: Callable[[], str] | None
    row: Callable[[Record], bytes]
    truncated: str = ""
    score: float = 0.0
    items: int = 0
    trace: str = ""


class Operation(Protocol):
    """What a command makes of pages; it travels to the worker processes.

    `fields` are those of JSONL files. At most `site_pages` pages of a site are read together, in
    one task; 1: each by itself. What its rows depend on, beside the pages, stands in `options`, as
    JSON has it: a shard is gone on with by equal ones alone.
    """

    @property
    def limits(self) -> PageLimits:
        """What a page may take."""
        ...

    @property
    def fields(self) -> Fields:
        """The names of what is read from JSONL files."""
        ...

    @property
    def site_pages(self) -> int:
        """How many pages of a site are read together at most."""
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """What rows depend on."""
        ...

    def prepare(self, pieces: tuple[Piece, ...]) -> None:
        """Open the models that pieces need; this counts for no page's time."""
        ...

    def make(self, records: Sequence[Record], *, retried: bool = False) -> Sequence[Made]:
        """What becomes of each page; records have pages. `retried`: others of its site are lost."""
        ...

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """The line of a record whose page was lost."""
        ...


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a page; `text` is what goes to standard output, `score` the document's.

    `record` is the id of a shard's page, `line` its line in the shard that is made; `before` are
    the outcomes of the pages that a run before has done. `pages` like this one may share it.
    `items` counts what was found in it (posts of a forum). `trace` tells how a tagger of rules came
    to its labels, where that was asked for.
    """

    job: Job
    status: str
    message: str = ""
    truncated: str = ""
    text: str = ""
    score: float = 0.0
    record: str = ""
    line: bytes = field(default=b"", repr=False)
    pages: int = 1
    before: Counter[str] = field(default_factory=Counter)
    items: int = 0
    trace: str = ""

    @property
    def failed(self) -> bool:
        """Whether nothing was made of the page (one without text or of low score was read)."""
        return self.status not in WITHOUT_TEXT | {OK, LOW_SCORE, DONE}

    @property
    def name(self) -> str:
        """What messages call the page."""
        return f"{self.job.name}: {self.record}" if self.record else self.job.name

    @property
    def outcome(self) -> str:
        """What the page counts as: "ok", "without" text, "low-score", "failed" or done before."""
        if self.status in {OK, LOW_SCORE, DONE}:
            return self.status
        return "failed" if self.failed else "without"


@dataclass(frozen=True, slots=True)
class Piece:
    """What a worker is given: a job with the bytes of standard input, or one record of a shard.

    One that is `done` is read for the sake of its site's others alone. `retried` is one whose
    site's task was lost: it is now a task by itself.
    """

    job: Job
    record: Record | None = None
    data: bytes | None = None
    done: bool = False
    retried: bool = False

    @property
    def size(self) -> int:
        """Bytes (or characters) of the page, as far as they are here."""
        return len(self.data or b"") + (len(self.record.data) if self.record else 0)

    @property
    def bare(self) -> Piece:
        """The piece without its page."""
        record = self.record and replace(self.record, data=b"")
        return replace(self, record=record, data=None)


def do_pieces(pieces: tuple[Piece, ...], operation: Operation) -> list[Result]:
    """Read, make and write some pages together, a result each; what goes wrong is in it."""
    records = [_read(piece, operation.limits) for piece in pieces]
    sound = [record for record in records if not record.problem]
    made = iter(operation.make(sound, retried=any(piece.retried for piece in pieces)))
    return [
        lost(piece, FAILED, record.problem, operation)
        if record.problem
        else _result(piece, record, next(made))
        for piece, record in zip(pieces, records, strict=True)
    ]


def lost(piece: Piece, status: str, message: str, operation: Operation) -> Result:
    """The result of what was lost; a record of which something is known still has its line."""
    record = piece.record
    if record is None or not record.id:
        return Result(piece.job, status, message)
    line = operation.lost_row(record, status, message)
    return Result(piece.job, status, message, record=record.id, line=line)


def _read(piece: Piece, limits: PageLimits) -> Record:
    """The page of a piece; why there is none is its problem."""
    job = piece.job
    if piece.record is not None:
        return piece.record
    if job.refused:
        return Record(job.name, problem=job.refused)
    if job.url:
        return fetched(job.url)
    try:
        data = read_page(job.source, limits.max_bytes) if piece.data is None else piece.data
    except OSError as error:
        return Record(job.name, problem=f"cannot be read: {error.strerror}")
    return Record(job.name, data)


def _result(piece: Piece, record: Record, made: Made) -> Result:
    """Write what was made of a page, unless a run before has done so."""
    result = Result(
        piece.job,
        made.status,
        made.message,
        made.truncated,
        score=made.score,
        items=made.items,
        trace=made.trace,
    )
    if piece.done:
        return Result(piece.job, DONE)
    if piece.record is not None:
        line = b"" if made.status == LOW_SCORE else made.row(record)
        return replace(result, record=record.id, line=line)
    if result.failed or made.text is None:
        return result
    return _written(result, made.text())


def _written(result: Result, text: str) -> Result:
    job = result.job
    if job.target is None:
        return replace(result, text=text)
    try:
        job.target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(job.target, text.encode("utf-8", "replace"))
    except OSError as error:
        return Result(job, FAILED, f"{job.target} cannot be written: {error.strerror}")
    return result
