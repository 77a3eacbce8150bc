"""Process the slices of a shard: pages that a worker reads, processes and packs together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import (
    Operation,
    PageInput,
    Result,
    left_out_record,
    process_pages,
)
from crfclean.corpus.ranges import FileRange, RangeReader
from crfclean.corpus.records import Record
from crfclean.corpus.rows import PACKERS, RowGroup, check_ending
from crfclean.corpus.tasks import start_clock
from crfclean.page.urls import host

_NO_JOB = Job(None, None)

SLICE_RECORDS = 64  # a kill costs each worker no more work than this
SLICE_BYTES = 8 * 2**20  # bytes of records that a slice holds in memory
_PARTS = 64  # parts of a lost range
MEMBER_BYTES = 4 * 2**20  # bytes of rows that are packed together


class Kept(NamedTuple):
    """A record's line of the old shard, empty for a record without a line, and its outcome."""

    line: bytes
    outcome: str


@dataclass(frozen=True, slots=True)
class Group:
    """Pages of one site that are read together; some keep their line of an old shard."""

    records: tuple[Record, ...]
    kept: tuple[Kept | None, ...] = ()


@dataclass(frozen=True, slots=True)
class Slice:
    """Consecutive pages of a shard: groups of records, or the records of a range of a file.

    `ending` is the ending of the shard; `packed` is True if the worker packs the rows. In a range,
    the records `first` to `last` count (exclusive; None: all that follow).
    """

    ending: str
    groups: tuple[Group, ...] = ()
    range: FileRange | None = None
    packed: bool = True
    first: int = 0
    last: int | None = None

    @property
    def size(self) -> int:
        """The bytes (or characters) that the slice or its answer carries."""
        if self.range is not None:
            return (self.range.stop or self.range.start) - self.range.start
        return sum(record.size for group in self.groups for record in group.records)


class Sliced(NamedTuple):
    """The results of a slice in their order, without their lines if the lines are `packed`.

    `end` is the byte where the next record begins in the file of a range, None for no record.
    """

    results: list[Result | Kept]
    packed: bytes | None = None
    end: int | None = None


Work: TypeAlias = "tuple[PageInput, ...] | Slice | RowGroup"
"""The work of a worker: pages of their own files, a slice of a shard, or a row group."""


def work(item: Work, operation: Operation) -> Any:
    """Do an item of work; return a list of results, `Sliced`, or the bytes of a row group."""
    if isinstance(item, Slice):
        return _process_slice(item, operation)
    return item.packed() if isinstance(item, RowGroup) else process_pages(item, operation)


class Packer:
    """Packs lines in members as they come, so that memory does not hold all rows unpacked."""

    def __init__(self, ending: str) -> None:
        check_ending(ending)  # loads what packs, outside of any page's time
        self._pack = PACKERS[ending]
        self._members = list[bytes]()
        self._lines = list[bytes]()
        self._size = 0

    def add(self, line: bytes) -> None:
        """Add a line, empty for a record without a line."""
        self._lines.append(line)
        self._size += len(line)
        if self._size >= MEMBER_BYTES:
            self._end_member()

    def finish(self) -> bytes:
        """Return all members."""
        if self._size:
            self._end_member()
        return b"".join(self._members)

    def _end_member(self) -> None:
        self._members.append(self._pack(b"".join(self._lines)))
        self._lines, self._size = [], 0


class Part(NamedTuple):
    """A part of a lost slice; a part with one record has that record, without the page."""

    piece: Slice
    record: Record | None = None


def parts_of(piece: Slice, max_bytes: int) -> tuple[list[Part], int | None]:
    """Return the parts of a lost slice, down to single records, and the end of its range.

    A slice without records has no parts. Raises `OSError`.
    """
    whole = replace(piece, packed=False)
    if piece.range is not None:
        return _parts_of_range(whole, RangeReader(piece.range, max_bytes))
    groups = piece.groups
    if len(groups) == 1:
        (group,) = groups
        kept = group.kept or (None,) * len(group.records)
        groups = tuple(
            Group((record,), (line,)) for record, line in zip(group.records, kept, strict=True)
        )
    return [
        Part(replace(whole, groups=(group,)), group.records[0] if len(group.records) == 1 else None)
        for group in groups
    ], None


def _parts_of_range(whole: Slice, reader: RangeReader) -> tuple[list[Part], int | None]:
    """Return up to `_PARTS` parts; each part reads its range again, to save memory."""
    unopened = islice(reader.records(opened=False), whole.first, whole.last)
    file = str(reader.part.path)
    records = [replace(record, read=None, length=0, file=file) for record in unopened]
    step = -(-len(records) // _PARTS)
    parts = []
    for start in range(0, len(records), step or 1):
        first, last = whole.first + start, whole.first + min(start + step, len(records))
        only = records[start] if last - first == 1 else None
        parts.append(Part(replace(whole, first=first, last=last), only))
    return parts, reader.end


def record_groups(records: Iterable[tuple[str, Record]], max_pages: int) -> Iterator[list[Record]]:
    """Yield groups of consecutive records of one site: at most `max_pages` and `SLICE_BYTES`.

    A record without a site is a group by itself. Groups depend only on the records.
    """
    group, size, last = list[Record](), 0, ""
    for site, record in records:
        added = record.size
        if group and (not site or site != last or size + added > SLICE_BYTES):
            yield group
            group, size = [], 0
        group.append(record)
        size, last = size + added, site
        if len(group) == max_pages:
            yield group
            group, size = [], 0
    if group:
        yield group


def _process_slice(piece: Slice, operation: Operation) -> Sliced:
    results, packer = list[Result | Kept](), Packer(piece.ending)
    reader = piece.range and RangeReader(piece.range, operation.limits.max_bytes)
    groups = piece.groups if reader is None else _groups_of(piece, reader, operation, results)
    for group in groups:
        start_clock(len(group.records))
        for result in _process_group(group, piece.ending, operation):
            if piece.packed:
                packer.add(result.line)
                result = _without_line(result)  # noqa: PLW2901
            results.append(result)
    end = None if reader is None else reader.end
    return Sliced(results, packer.finish() if piece.packed else None, end)


def _groups_of(
    piece: Slice, reader: RangeReader, operation: Operation, results: list[Result | Kept]
) -> Iterator[Group]:
    """Yield the groups of a range's records; add records that are left out to `results`."""
    file = str(reader.part.path)

    def records() -> Iterator[tuple[str, Record]]:
        for unopened in islice(reader.records(opened=False), piece.first, piece.last):
            record = replace(unopened.opened, file=file)
            if record.left_out:
                results.append(left_out_record(_NO_JOB, record))
            else:
                yield host(record.url), record

    for group in record_groups(records(), operation.site_pages):
        yield Group(tuple(group))


def _process_group(group: Group, ending: str, operation: Operation) -> Iterator[Result | Kept]:
    """Yield the results of a group; pages with a kept line are read because others need them."""
    kept = group.kept or (None,) * len(group.records)
    if all(kept):
        yield from filter(None, kept)
        return
    job = Job(None, None, shard=ending)
    inputs = tuple(PageInput(job, record) for record in group.records)
    for result, line in zip(process_pages(inputs, operation), kept, strict=True):
        yield line or result


def _without_line(result: Result | Kept) -> Result | Kept:
    return result._replace(line=b"") if isinstance(result, Kept) else replace(result, line=b"")
