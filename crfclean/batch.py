"""`Job`s -> `Result`s: read, clean and write each page; one bad page harms no other."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crfclean.blocks import MAX_DEPTH, MAX_NODES, SplitParams, split
from crfclean.bundle import write_atomically
from crfclean.comments import with_comments
from crfclean.decode import MAX_BYTES, decode
from crfclean.files import Job
from crfclean.measures import Measures
from crfclean.pipeline import run, split_params
from crfclean.sites import MAX_PAGES, PageNotes, SiteTagger, gather, page_notes
from crfclean.taggers.crf import CrfTagger
from crfclean.types import CrfcleanError, Document, Tagger
from crfclean.workers import map_in_order
from crfclean.writers import WRITERS

FAILED = "failed"
"""Status of a page that could not be read or written; the message says why."""

LOW_SCORE = "low-score"
"""Status of a page whose text was not written, since its score is too low."""

WITHOUT_TEXT = frozenset(["no-blocks", "nothing-kept"])
_REASONS = {
    "empty": "the file is empty",
    "binary": "binary data, no page",
    "not-html": "no HTML",
    "gzip-error": "damaged gzip data",
    "no-blocks": "the page shows no text",
    "nothing-kept": "no paragraph was kept",
}
TRUNCATIONS = {
    "bytes": f"only the first {MAX_BYTES >> 20} MB were read",
    "gzip": "damaged gzip data: only what stands before the damage was read",
    "depth": f"elements below {MAX_DEPTH} levels were dissolved; their text is kept",
    "nodes": f"only the first {MAX_NODES:,} elements were read",
}
"""What cut a page short -> what the user is told."""


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a page; `text` is what goes to standard output, `score` the document's.

    `trace` tells how a tagger of rules came to its labels, where that was asked for.
    """

    job: Job
    status: str
    message: str = ""
    truncated: str = ""
    text: str = ""
    score: float = 0.0
    trace: str = ""

    @property
    def failed(self) -> bool:
        """Whether the page was not cleaned at all (one without text or of low score was)."""
        return self.status not in WITHOUT_TEXT | {"ok", LOW_SCORE}


@dataclass(frozen=True, slots=True)
class BatchParams:
    """How a batch is cleaned.

    `split` None cuts pages as the tagger wants them. Pages whose score is below `min_score`
    (0..1) are not written. With `by_site` the pages of a directory speak for each other: they
    are read twice. `comments` is a mode of `comments.with_comments`, "" the tagger's own;
    `writer` takes the place of the format's, `trace` asks the tagger why (see `Result.trace`).
    """

    tagger: Tagger
    format: str = "txt"
    split: SplitParams | None = None
    min_score: float = 0.0
    by_site: bool = False
    comments: str = ""
    writer: Callable[[Document], str] | None = None
    trace: bool = False


def clean_batch(jobs: Sequence[Job], params: BatchParams, workers: int = 1) -> Iterator[Result]:
    """Do the jobs in `workers` processes; results come in the order of the jobs.

    By site they come site by site. Raises `CrfcleanError` where the model has no marginals.
    """
    if params.by_site:
        return _clean_sites(jobs, params, workers)
    return map_in_order(clean_job, jobs, params, min(workers, len(jobs)))


def _clean_sites(jobs: Sequence[Job], params: BatchParams, workers: int) -> Iterator[Result]:
    """Clean each directory's pages with what they have in common."""
    if not isinstance(params.tagger, CrfTagger):
        raise CrfcleanError("this model knows nothing of sites")
    sites: dict[Path | None, list[Job]] = {}
    for job in jobs:
        sites.setdefault(job.source.parent if job.source else None, []).append(job)
    for mine in sites.values():
        notes = map_in_order(_note_job, mine[:MAX_PAGES], params, min(workers, len(mine)))
        site = gather(one for one in notes if one is not None)
        tagger = SiteTagger(params.tagger, site)
        yield from clean_batch(mine, replace(params, tagger=tagger, by_site=False), workers)


def _note_job(job: Job, params: BatchParams) -> PageNotes | None:
    """What a page says of its site; nothing where it is not to be read, or only once."""
    if job.refused or job.source is None or not isinstance(params.tagger, CrfTagger):
        return None
    try:
        page = decode(_read(job))
    except OSError:
        return None
    blocks = Measures(split(page, params.split or split_params(params.tagger)))
    return page_notes(blocks, params.tagger.judge(blocks)[0])


def clean_job(job: Job, params: BatchParams) -> Result:
    """Read, clean, write one page; what goes wrong is in the result."""
    if job.refused:
        return Result(job, FAILED, job.refused)
    try:
        data = _read(job)
    except OSError as error:
        return Result(job, FAILED, f"cannot be read: {error.strerror}")
    document = run(decode(data), params.tagger, params.split)
    if params.comments:
        document = with_comments(document, params.tagger, params.comments)
    result = _result(job, document, params.min_score)
    if params.trace:
        result = replace(result, trace=params.tagger.trace(document.blocks))  # type: ignore[attr-defined]
    if result.failed or result.score < params.min_score:
        return result
    return _write(result, (params.writer or WRITERS[params.format])(document))


def _result(job: Job, document: Document, min_score: float) -> Result:
    """What is told of a document; one without text says so, whatever its score."""
    status, message = document.status, _REASONS.get(document.status, "")
    if status == "ok" and document.score < min_score:
        status, message = LOW_SCORE, f"its score {document.score:.4f} is below {min_score:g}"
    return Result(job, status, message, document.truncated, score=document.score)


def _read(job: Job) -> bytes:
    if job.source is None:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    with job.source.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


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
