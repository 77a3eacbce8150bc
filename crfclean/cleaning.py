"""A `Job` or a `Record` -> its `Result`: read, cleaned, written; for one page, in any process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from crfclean.blocks import MAX_DEPTH, MAX_NODES, SplitParams, split
from crfclean.bundle import write_atomically
from crfclean.comments import with_comments
from crfclean.decode import MAX_BYTES, decode
from crfclean.files import Job
from crfclean.jsonwriter import to_row
from crfclean.measures import Measures
from crfclean.metadata.read import open_models
from crfclean.parts import USUAL, Show
from crfclean.pipeline import run, split_params
from crfclean.record import Record
from crfclean.records import Fields, fetched, read_page
from crfclean.sandbox import TaskLimits
from crfclean.sites import PageNotes, page_notes
from crfclean.taggers.crf import CrfTagger
from crfclean.types import Document, Page, Tagger, Tags, check_bounds, option
from crfclean.writers import WRITERS

FAILED = "failed"
"""Status of what could not be read or written; the message says why."""
_BARE = frozenset(["txt", "md", "html"])
"""Formats of texts without metadata."""

LOW_SCORE = "low-score"
"""Status of a page whose text was not written, since its score is too low."""

DONE = "done-before"
"""Status of what a run before has done."""

WITHOUT_TEXT = frozenset(["no-blocks", "nothing-kept"])
_REASONS = {
    "empty": "the file is empty",
    "binary": "binary data, no page",
    "not-html": "no HTML",
    "gzip-error": "damaged gzip data",
    "no-blocks": "the page shows no text",
    "nothing-kept": "no paragraph was kept",
}
_BOUNDS = {
    "max_seconds": (0.01, 10**6),
    "max_memory": (1, 10**7),
    "max_bytes": (1, 2**31),
    "max_blocks": (1, MAX_NODES),
}
TRUNCATIONS = {
    "bytes": "only its first bytes were read (--max-bytes)",
    "gzip": "damaged gzip data: only what stands before the damage was read",
    "depth": f"elements below {MAX_DEPTH} levels were dissolved; their text is kept",
    "nodes": f"only the first {MAX_NODES:,} elements were read",
}
"""What cut a page short -> what the user is told."""


@dataclass(frozen=True, slots=True)
class PageLimits(TaskLimits):
    """What a page may take and have. Raises `CrfcleanError` for a limit out of bounds."""

    max_bytes: int = option(MAX_BYTES, "bytes of a page that are read; the rest is cut off")
    max_blocks: int = option(50_000, "blocks of text that a page may have")

    def __post_init__(self) -> None:
        check_bounds(self, _BOUNDS)


@dataclass(frozen=True, slots=True)
class BatchParams:
    """How a batch is cleaned.

    `format` is that of texts. `split` None cuts pages as the tagger wants them. Pages whose
    score is below `min_score` (0..1) are not written. With `by_site` the pages of a directory
    speak for each other: they are read twice. `fields` are those of JSONL files. `comments` is a
    mode of `comments.with_comments`, "" the tagger's own; `show` is what the format writes,
    `writer` takes the place of the format's, `trace` asks the tagger why (see `Result.trace`).
    """

    tagger: Tagger
    format: str = "txt"
    split: SplitParams | None = None
    min_score: float = 0.0
    by_site: bool = False
    limits: PageLimits = PageLimits()
    fields: Fields = field(default_factory=Fields)
    comments: str = ""
    writer: Callable[[Document], str] | None = None
    trace: bool = False
    show: Show = USUAL

    def prepare(self, piece: Piece) -> None:
        """Open the models of metadata, if a piece gets some; once a process."""
        told = self.show.metadata and (piece.record is not None or self.format not in _BARE)
        if told or (self.show.front_matter and self.format == "md"):
            open_models()

    @property
    def model(self) -> str:
        """The fingerprint of the tagger: of its model and its decisions."""
        return str(getattr(self.tagger, "fingerprint", type(self.tagger).__name__))


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a page; `text` is what goes to standard output, `score` the document's.

    `record` is the id of a shard's page, `line` its line in the shard that is made; `before` are
    the outcomes of the pages that a run before has done. `pages` like this one may share it.
    `trace` tells how a tagger of rules came to its labels, where that was asked for.
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
    trace: str = ""

    @property
    def failed(self) -> bool:
        """Whether the page was not cleaned at all (one without text or of low score was)."""
        return self.status not in WITHOUT_TEXT | {"ok", LOW_SCORE, DONE}

    @property
    def name(self) -> str:
        """What messages call the page."""
        return f"{self.job.name}: {self.record}" if self.record else self.job.name

    @property
    def outcome(self) -> str:
        """What the page counts as: "ok", "without" text, "low-score", "failed" or done before."""
        if self.status in {"ok", LOW_SCORE, DONE}:
            return self.status
        return "failed" if self.failed else "without"


@dataclass(frozen=True, slots=True)
class Piece:
    """What a worker is given: a job with the bytes of standard input, or one record of a shard."""

    job: Job
    record: Record | None = None
    data: bytes | None = None


def clean_piece(piece: Piece, params: BatchParams) -> Result:
    """Clean a page, or a record of a shard; what goes wrong is in the result."""
    if piece.record is None:
        return clean_job(piece.job, params, piece.data)
    return clean_record(piece.job, piece.record, params)


def clean_job(job: Job, params: BatchParams, data: bytes | None = None) -> Result:
    """Read (unless there is `data`), clean and write one page."""
    if job.refused:
        return Result(job, FAILED, job.refused)
    record = fetched(job.url) if job.url else _read(job, data, params)
    if record.problem:
        return Result(job, FAILED, record.problem)
    document = _document(record, params)
    result = _result(job, document, params)
    if result.failed or result.score < params.min_score:
        return result
    if params.writer is not None:
        return _write(result, params.writer(document))
    return _write(result, WRITERS[params.format](document, params.show))


def _read(job: Job, data: bytes | None, params: BatchParams) -> Record:
    """The page of a job's file, unless its `data` are known."""
    try:
        known = read_page(job.source, params.limits.max_bytes) if data is None else data
    except OSError as error:
        return Record(job.name, problem=f"cannot be read: {error.strerror}")
    return Record(job.name, known)


def clean_record(job: Job, record: Record, params: BatchParams) -> Result:
    """Clean one record of a shard; the result has its line, if it is to have one."""
    if record.problem:
        return lost(Piece(job, record), FAILED, record.problem, params)
    document = _document(record, params)
    result = replace(_result(job, document, params), record=record.id)
    if result.status == LOW_SCORE:
        return result
    return replace(result, line=_line(record, document, result.message, params))


def lost(piece: Piece, status: str, message: str, params: BatchParams) -> Result:
    """The result of what was lost; a record of which something is known still has its line."""
    record = piece.record
    if record is None or not record.id:
        return Result(piece.job, status, message)
    blocks = split(Page("", record.url, status=status))
    tags = Tags(np.zeros(0, np.int32), np.zeros((0, 3)), 0.0)
    line = _line(record, Document(record.url, blocks, tags, status), message, params)
    return Result(piece.job, status, message, record=record.id, line=line)


def note_job(piece: Piece, params: BatchParams) -> PageNotes | None:
    """What a page says of its site; nothing where it is not to be read, or only once."""
    job, tagger = piece.job, params.tagger
    if job.refused or job.source is None or not isinstance(tagger, CrfTagger):
        return None
    try:
        data = read_page(job.source, params.limits.max_bytes)
    except OSError:
        return None
    page = decode(data, max_bytes=params.limits.max_bytes)
    blocks = split(page, params.split or split_params(tagger))
    if len(blocks) > params.limits.max_blocks:
        return None
    measures = Measures(blocks)
    return page_notes(measures, tagger.judge(measures)[0])


def _document(record: Record, params: BatchParams) -> Document:
    limits = params.limits
    page = decode(record.data, record.url, record.charset, limits.max_bytes)
    document = run(page, params.tagger, params.split, limits.max_blocks)
    return with_comments(document, params.tagger, params.comments) if params.comments else document


def _line(record: Record, document: Document, message: str, params: BatchParams) -> bytes:
    more = {"id": record.id, "date": record.date, "message": message, "model": params.model}
    return to_row(document, params.show, **more, truncated=record.truncated)


def _result(job: Job, document: Document, params: BatchParams) -> Result:
    """What is told of a document; one without text says so, whatever its score."""
    status, message = document.status, _REASONS.get(document.status, "")
    if status == "over-blocks":
        message = f"more than {params.limits.max_blocks:,} blocks of text"
    if status == "ok" and document.score < params.min_score:
        message = f"its score {document.score:.4f} is below {params.min_score:g}"
        status = LOW_SCORE
    trace = params.tagger.trace(document.blocks) if params.trace else ""  # type: ignore[attr-defined]
    return Result(job, status, message, document.truncated, score=document.score, trace=trace)


def _write(result: Result, text: str) -> Result:
    job = result.job
    if job.target is None:
        return replace(result, text=text)
    try:
        job.target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(job.target, text.encode("utf-8", "replace"))
    except OSError as error:
        return Result(job, FAILED, f"{job.target} cannot be written: {error.strerror}")
    return result
