"""Group jobs and records by site, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from crfclean.corpus.jobs import Job
from crfclean.corpus.listing import ListedFile, is_folder, list_files, listed_file
from crfclean.corpus.operation import Operation
from crfclean.corpus.record import Record
from crfclean.corpus.records import FOLDER, PAGE, Fields, fetch_record, records_of
from crfclean.corpus.targets import STDIN, is_url
from crfclean.page.urls import host

MAX_GROUP_BYTES = 16 * 2**20  # of records that are read together: they are held in memory


def job_groups(jobs: Sequence[Job], max_pages: int) -> Iterator[list[Job]]:
    """Groups of consecutive pages of one directory, at most `max_pages`; a shard by itself."""
    for (shard, _), group in groupby(jobs, key=_place):
        members, size = list(group), 1 if shard else max_pages
        for start in range(0, len(members), size):
            yield members[start : start + size]


def _place(job: Job) -> tuple[bool, str]:
    return bool(job.shard), str(job.source.parent) if job.source else ""


def record_groups(records: Iterable[tuple[str, Record]], max_pages: int) -> Iterator[list[Record]]:
    """Groups of consecutive records of one site: at most `max_pages`, `MAX_GROUP_BYTES` together.

    A record without a site is a group by itself. Groups depend on the records alone.
    """
    group, size, last = list[Record](), 0, ""
    for site, record in records:
        added = record.size
        if group and (not site or site != last or size + added > MAX_GROUP_BYTES):
            yield group
            group, size = [], 0
        group.append(record)
        size, last = size + added, site
        if len(group) == max_pages:
            yield group
            group, size = [], 0
    if group:
        yield group


class RecordReader:
    """Reads the records of a job's file, of all files of its directory, or of all its sources.

    What is read of directories and sources is listed once, as `inputs`: files, URLs and "-".

    Where a file cannot be read further, the records end, and `error` says why. `left_out` are the
    files of directories that are no pages.
    """

    def __init__(self, job: Job, operation: Operation) -> None:
        self.error: OSError | None = None
        self._job, self._fields = job, operation.fields
        self._max_bytes = operation.limits.max_bytes
        self._opened = operation.site_pages > 1  # their sites are asked for; workers can open them
        listed = list(_listed(job, self._fields)) if job.kind == FOLDER else []
        self.inputs = [entry for entry in listed if isinstance(entry, str) or not entry.left_out]
        self.left_out = [entry for entry in listed if not isinstance(entry, str) and entry.left_out]

    def records(self) -> Iterator[tuple[str, Record]]:
        """Every record with its site: the host of its URL, or the directory of its page."""
        try:
            for site, record in self._records():
                yield site or host(record.url), record
        except OSError as error:
            self.error = error

    def _records(self) -> Iterator[tuple[str, Record]]:
        job = self._job
        if job.url:
            yield "", fetch_record(job.url)
        elif job.kind != FOLDER:
            for record in self._read(job.source, job.kind):
                yield "", record
        for entry in self.inputs:
            if not isinstance(entry, str):
                yield from self._file(entry)
            elif is_url(entry):
                yield "", fetch_record(entry)
            else:
                for record in self._read(None, PAGE):
                    yield "", record

    def _read(self, path: Path | None, kind: str) -> Iterator[Record]:
        return records_of(path, kind, self._fields, self._max_bytes, opened=self._opened)

    def _file(self, file: ListedFile) -> Iterator[tuple[str, Record]]:
        """The records of one file."""
        name, path = str(file.path), file.path
        site = str(path.parent) if file.kind == PAGE else ""
        if file.refused:
            yield site, Record(name, problem=file.refused)
            return
        try:
            for record in self._read(path, file.kind):
                yield site, record
        except OSError as error:
            yield site, Record(name, problem=f"cannot be read: {error.strerror or error}")


def _listed(job: Job, fields: Fields) -> Iterator[ListedFile | str]:
    """The files of a job's directory or sources, with URLs and standard input as they are named."""
    for source in job.sources or ([str(job.source)] if job.source else []):
        if source == STDIN or is_url(source):
            yield source
        elif is_folder(Path(source)):
            yield from list_files(Path(source), fields)
        else:
            yield listed_file(Path(source), fields)
