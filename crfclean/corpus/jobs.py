"""Jobs: what is read, of which kind it is, and where its text goes."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from crfclean.corpus.endings import PACKERS, check_ending
from crfclean.corpus.listing import ListedFile, listed_file
from crfclean.corpus.pickled import pickled_by_fields
from crfclean.corpus.records import FOLDER, PAGE, Fields
from crfclean.corpus.targets import MISSING, STDIN, shard_ending
from crfclean.types import CrfcleanError


class Folders(NamedTuple):
    """What tells the INs of a run apart, and the directory OUT with their outputs.

    Jobs carry it to other processes, so it has not all the INs.
    """

    source: str
    target: Path


@pickled_by_fields
@dataclass(frozen=True, slots=True)
class Job:
    """One page or one shard to clean; `source` None is standard input, `target` None output.

    `kind` is that of `records.file_kind`, or `FOLDER`; `shard` the ending of the output shard, ""
    where a page becomes a text. `refused` says why the job will not be done. A page that is to be
    fetched has a `url` and no `source`; a shard of many inputs (paths, URLs, "-") has `sources`.
    `folders` are those of its run, if it has any.
    """

    source: Path | None
    target: Path | None
    refused: str = ""
    kind: str = PAGE
    shard: str = ""
    url: str = ""
    sources: tuple[str, ...] = ()
    folders: Folders | None = None

    @property
    def name(self) -> str:
        """What messages call the page."""
        return str(self.source or self.url or (self.kind == FOLDER and self.target) or STDIN)


class Paths(NamedTuple):
    """The INs of a command (paths, URLs, "-") and its OUT; `listed`: a list has named INs.

    One IN that a list has named is still one of many: OUT is a directory, or one shard.
    """

    sources: tuple[str, ...]
    target: str
    listed: bool = False


class JobPlan(NamedTuple):
    """The jobs of a command, and the files of its directories that are left out.

    What is left out of a directory that becomes one shard is known when it is read.
    """

    jobs: tuple[Job, ...]
    left_out: tuple[ListedFile, ...] = ()


def shard_job(source: Path, target: Path, fields: Fields = Fields()) -> Job:
    """The job of one input shard (or page, or directory) that becomes one output shard.

    Raises `CrfcleanError` for a target that does not end as shards do, or a missing source.
    """
    if not source.exists():
        raise CrfcleanError(f"{source}: {MISSING}")
    ending = shard_ending(target)
    if not ending:
        raise CrfcleanError(f"{target}: ends in none of {' '.join(PACKERS)}")
    check_ending(ending)
    kind = FOLDER if source.is_dir() else listed_file(source, fields).kind
    return Job(source, target, "", kind, ending)


def refuse_clashes(jobs: Sequence[Job]) -> Iterator[Job]:
    """The jobs, refused where an earlier one writes the same file, on Windows and macOS, too.

    Names that differ only in case, or in how Unicode composes their letters, are the same there.
    """
    seen: dict[str, Job] = {}
    for job in jobs:
        earlier = seen.setdefault(_folded(job.target), job) if job.target is not None else job
        yield job if earlier is job else _clashing(job, earlier)


def _folded(path: Path) -> str:
    """A path as file systems see it that ignore case and Unicode's forms."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())


def _clashing(job: Job, earlier: Job) -> Job:
    """A job that is refused because of an earlier one."""
    refused = f"would write the same {job.target} as {earlier.name}"
    if job.target != earlier.target:
        refused = f"would write the same file as {earlier.name} where names ignore case"
    return Job(job.source or (None if job.url else Path(job.name)), None, refused, url=job.url)
