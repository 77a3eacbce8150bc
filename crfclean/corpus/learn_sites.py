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
from crfclean.corpus.targets import MISSING
from crfclean.corpus.tasks import Lost, Task
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import PageNotes, SiteRules
from crfclean.taggers.capabilities import Judges, need
from crfclean.types import CrfcleanError

LEAST_PAGES = 4  # of a site that is learned: as many as speak for each other in `SiteParams`
MAX_PAGES = 300  # of a site whose notes are kept, about 20 kB each: far fewer show its templates
_JOB = Job(None, None)


@dataclass(frozen=True, slots=True)
class LearnedSites:
    """The rules of sites by name, and what was not learned from.

    `few` are sites with fewer than `LEAST_PAGES` distinct pages, with their number; `unread` counts
    pages that could not be read or have no text, `nameless` those of which no site is known,
    `beyond` those after the first `MAX_PAGES` of a site, `left_out` the files that hold no page.
    """

    rules: Sequence[SiteRules] = ()
    few: dict[str, int] = field(default_factory=dict)
    unread: int = 0
    nameless: int = 0
    beyond: int = 0
    left_out: int = 0


def learn_sites(
    sources: Sequence[str | Path],
    operation: BatchParams,
    workers: int = 1,
    learned: str = "",
    progress: Callable[[Iterator[PageNotes | None]], Iterator[PageNotes | None]] = iter,
) -> LearnedSites:
    """Learn the sites of the pages in directories and files; `learned` is the date that files get.

    A page's site is the host of its URL, or of the address that it declares, or else the name of
    its directory. Raises `CrfcleanError` for a source that is missing or cannot be read, and for a
    tagger without marginals.
    """
    need(operation.tagger, Judges, "learn-site")
    sites, counts = dict[str, list[PageNotes]](), Counter[str]()
    inputs = (PageInput(_JOB, record) for record in _records(sources, operation, counts))
    tasks = (Task(None, (page,), page.size) for page in inputs)
    with closing(Pool(workers, operation.limits)) as pool:
        answers = (answer for _, answer in pool.map(_notes, tasks, operation))
        for notes in progress(None if isinstance(answer, Lost) else answer for answer in answers):
            if notes is None or not notes.texts:
                counts["unread"] += 1
            elif not notes.site:
                counts["nameless"] += 1
            elif len(pages := sites.setdefault(notes.site, [])) < MAX_PAGES:
                pages.append(notes)
            else:
                counts["beyond"] += 1
    every = [
        learn(site, pages, learned, operation.model or "") for site, pages in sorted(sites.items())
    ]
    few = {rules.site: rules.pages for rules in every if rules.pages < LEAST_PAGES}
    return LearnedSites([rules for rules in every if rules.site not in few], few, **counts)


def _notes(inputs: tuple[PageInput, ...], operation: BatchParams) -> PageNotes | None:
    """What a page says of its site; None for a record without a page."""
    record = inputs[0].record and inputs[0].record.opened
    if record is None or record.problem:
        return None
    _, document = page_and_document(record, operation)
    return page_notes(document, record.folder)


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
