"""Group jobs and records by site, in their order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from urllib.parse import urlsplit

from crfclean.corpus.jobs import Job, pages_in
from crfclean.corpus.operation import Operation
from crfclean.corpus.record import Record
from crfclean.corpus.records import FOLDER, PAGE, fetch_record, records_of

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
        added = len(record.data)
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


def host(url: str | None) -> str:
    """The host of a URL, "" where there is none.

    >>> host("https://Forum.example:8443/t/1"), host("about:blank"), host(None)
    ('forum.example', '', '')
    """
    try:
        return urlsplit(url or "").hostname or ""
    except ValueError:
        return ""


class RecordReader:
    """Reads the records of a job's file, or of the `files` of its directory, which are listed once.

    Where a file cannot be read further, the records end, and `error` says why.
    """

    def __init__(self, job: Job, operation: Operation) -> None:
        self.error: OSError | None = None
        self._job, self._fields = job, operation.fields
        is_folder = job.kind == FOLDER and job.source is not None and not job.url
        self.files = list(pages_in(job.source, self._fields)) if is_folder and job.source else []
        self._max_bytes = operation.limits.max_bytes

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
        elif job.kind != FOLDER or job.source is None:
            for record in records_of(job.source, job.kind, self._fields, self._max_bytes):
                yield "", record
        else:
            for file in self.files:
                yield from self._file(file)

    def _file(self, file: Job) -> Iterator[tuple[str, Record]]:
        """The records of one file of a directory."""
        site = str(file.source.parent) if file.source and file.kind == PAGE else ""
        if file.refused:
            yield site, Record(file.name, problem=file.refused)
            return
        try:
            for record in records_of(file.source, file.kind, self._fields, self._max_bytes):
                yield site, record
        except OSError as error:
            yield site, Record(file.name, problem=f"cannot be read: {error.strerror or error}")
