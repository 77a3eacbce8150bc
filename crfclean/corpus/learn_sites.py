"""Learn what is known of sites from the pages of files and directories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from crfclean.corpus.clean import BatchParams, page_and_document
from crfclean.corpus.jobs import Job
from crfclean.corpus.listing import ListedFile, is_folder, list_files, listed_file
from crfclean.corpus.operation import PageInput
from crfclean.corpus.pool import Pool
from crfclean.corpus.record import Record
from crfclean.corpus.records import Fields, records_of
from crfclean.corpus.site_notes import (
    SiteFile,
    packed_notes,
    packed_record,
    site_file,
    unpacked_notes,
    unpacked_record,
)
from crfclean.corpus.targets import MISSING
from crfclean.corpus.tasks import Lost, Task
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import SiteRules
from crfclean.taggers.capabilities import Judges, need
from crfclean.types import CrfcleanError

LEAST_PAGES = 4  # of a site that is learned: as many as speak for each other in `SiteParams`
MAX_PAGES = 300  # of a site whose notes are kept: far fewer show its templates
MAX_EXAMPLES = 3  # pages of a site that are kept whole, if pages are asked for
MAX_EXAMPLE_SIZE = 1_000_000  # bytes or characters of such a page
_JOB = Job(None, None)
_KEPT = "kept"


@dataclass(frozen=True, slots=True)
class LearnedSite:
    """The rules of a site, and `examples` of the pages they were learned from."""

    rules: SiteRules
    examples: tuple[Record, ...] = ()


@dataclass(frozen=True, slots=True)
class LearnedSites:
    """How many sites were learned, and what was not learned from.

    `few` are sites with fewer than `LEAST_PAGES` distinct pages, with their number; `unread` counts
    pages that could not be read or have no text, `nameless` those of which no site is known,
    `beyond` those after the first `MAX_PAGES` of a site, `left_out` the files that hold no page.
    """

    sites: int = 0
    few: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    nameless: int = 0
    beyond: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class NotedPage:
    """A page of a site with a text: its notes, and itself if it is asked for, both packed."""

    site: str
    notes: bytes
    page: bytes = b""


Progress = Callable[[Iterator[NotedPage | None]], Iterator[NotedPage | None]]
"""A function that shows how far an iterator has come."""


def learn_sites(
    sources: Sequence[str | Path],
    operation: BatchParams,
    take: Callable[[LearnedSite], object],
    workers: int = 1,
    progress: Progress = iter,
) -> LearnedSites:
    """Learn the sites of the pages in directories and files.

    `take` receives the sites in the order of their names; what pages say stands in a temporary file
    until then. Sites have examples if `operation` sends pages. A page's site is the host of its
    URL, or of the address that it declares, or else the name of its directory.

    Raises `CrfcleanError` for a source that is missing or cannot be read, and for a tagger without
    marginals.
    """
    need(operation.tagger, Judges, "learn-site")
    counts, few = Counter[str](), dict[str, int]()
    with site_file() as notes, site_file() as examples:
        inputs = (PageInput(_JOB, record) for record in _records(sources, operation, counts))
        tasks = (Task(None, (page,), page.size) for page in inputs)
        with closing(Pool(workers, operation.limits)) as pool:
            answers = (answer for _, answer in pool.map(_noted, tasks, operation))
            pages = progress(None if isinstance(answer, Lost) else answer for answer in answers)
            for page in pages:
                counts[_kept(page, notes, examples)] += 1
        sites = notes.sites()
        for site in sites:
            rules = _learned(site, notes, operation)
            if rules.pages < LEAST_PAGES:
                few[site] = rules.pages
            else:
                take(LearnedSite(rules, tuple(map(unpacked_record, examples.values_of(site)))))
    del counts[_KEPT]
    return LearnedSites(len(sites) - len(few), few, **counts)


def _learned(site: str, notes: SiteFile, operation: BatchParams) -> SiteRules:
    pages = (unpacked_notes(site, packed) for packed in notes.values_of(site))
    return learn(site, pages, model=operation.model or "")


def _kept(page: NotedPage | None, notes: SiteFile, examples: SiteFile) -> str:
    """Keep what a page says; `_KEPT`, or why it is not learned from."""
    if page is None:
        return "unread"
    if not page.site:
        return "nameless"
    if notes.count(page.site) >= MAX_PAGES:
        return "beyond"
    notes.add(page.site, page.notes)
    if page.page and examples.count(page.site) < MAX_EXAMPLES:
        examples.add(page.site, page.page)
    return _KEPT


def _noted(inputs: tuple[PageInput, ...], operation: BatchParams) -> NotedPage | None:
    """What a page says of its site; None for a record without a page, and one without a text."""
    record = inputs[0].record and inputs[0].record.opened
    if record is None or record.problem:
        return None
    _, document = page_and_document(record, operation)
    notes = page_notes(document, record.folder)
    if not notes.texts:
        return None
    is_example = operation.sends_pages and record.size <= MAX_EXAMPLE_SIZE
    return NotedPage(notes.site, packed_notes(notes), packed_record(record) if is_example else b"")


def _records(
    sources: Sequence[str | Path], operation: BatchParams, counts: Counter[str]
) -> Iterator[Record]:
    """The records of all sources; files left out are counted.

    Raises `CrfcleanError` for what cannot be read.
    """
    for source in sources:
        for file in _files(Path(source), operation.fields):
            if file.left_out:
                counts["left_out"] += 1
                continue
            try:
                yield from records_of(
                    file.path,
                    file.kind,
                    operation.fields,
                    operation.limits.max_bytes,
                    opened=False,
                )
            except OSError as error:
                raise CrfcleanError(f"{file.path}: cannot be read: {error.strerror}") from error


def _files(source: Path, fields: Fields) -> Iterator[ListedFile]:
    if not source.exists():
        raise CrfcleanError(f"{source}: {MISSING}")
    if is_folder(source):
        yield from list_files(source, fields)
    else:
        yield listed_file(source, fields)
