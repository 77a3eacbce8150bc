"""Cut the inputs of a corpus into parts: ranges of WARC files, rows of files, groups of pages.

A cut is the start of a gzip member that begins with a record, or in a plain file the start of a
record after an empty line. A page may contain such bytes. The reader of a range therefore returns
its end, and the range after a wrong cut is read again from there.
"""

from __future__ import annotations

import errno
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import IO, NamedTuple, TypeAlias

from crfclean import door
from crfclean.cli.paths import is_folder
from crfclean.io import digest
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import Operation, left_out_result
from crfclean.products.corpus.listing import ListedFile, list_files, listed_file
from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.records import (
    FOLDER,
    PAGE,
    STDIN,
    Record,
    is_url,
    page_of,
    parquet_input,
    records_of,
)
from crfclean.products.corpus.unpacked import GZIP, PACKINGS, Unpacked
from crfclean.types import CrfcleanError, Page

MAX_SIZES = 8  # longer ranges, of files without cuts, are read by one process, and shared out
_STEP = 2**16
_PACKED_HEAD = 256  # bytes of a gzip member that show how it begins
_RANGE_HEAD = b"WARC/1."
_PACKED_CUT = re.compile(re.escape(GZIP))
_PLAIN_CUT = re.compile(rb"(?<=\n\r\n)WARC/1\.|(?<=\n\n)WARC/1\.")
_OVERLAP = len(_RANGE_HEAD) + 3


class FileState(NamedTuple):
    """What differs if a file is written again, or replaced; `modified` is in ns."""

    device: int
    inode: int
    size: int
    modified: int


def file_state(file: Path | int) -> FileState:
    """Return the state of a file by its path or descriptor; raises `OSError`."""
    state = os.stat(file)  # noqa: PTH116
    return FileState(state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)


def check_unchanged(path: Path, before: FileState, descriptor: int | None = None) -> None:
    """Raise `OSError` if a file, open or not, is no longer the one that the run began to read."""
    if file_state(path if descriptor is None else descriptor) != before:
        raise OSError(errno.ESTALE, f"{path} changed while it was read: --resume repeats its parts")


class FileRange(NamedTuple):
    """The records of a WARC file that begin at the byte `start` or later, and before `stop`."""

    path: Path
    state: FileState
    start: int = 0
    stop: int | None = None


class Reading(NamedTuple):
    """How a file of several pages is read: names of fields, bytes of a page and of a part."""

    fields: Fields
    max_bytes: int
    size: int


class RangeReader:
    """Reads the records of a range; `end` is then the byte of the next record, or None."""

    def __init__(self, part: FileRange, max_bytes: int) -> None:
        self.end: int | None = None
        self.part, self._max_bytes = part, max_bytes

    def records(self) -> Iterator[Record]:
        """Yield the unopened records, as `read_warc` does; raises `OSError`."""
        from crfclean.products.corpus.warc import read_warc  # one page needs none

        path, state, start, stop = self.part
        with path.open("rb") as file:
            check_unchanged(path, state, file.fileno())
            file.seek(start)
            stream = Unpacked(file, start)
            yield from read_warc(stream, self._max_bytes, stop)
            self.end = stream.place if stream.fill(1) else None


def ranges_or_records(path: Path, max_bytes: int, size: int) -> Iterator[FileRange | Record]:
    """Yield ranges of a WARC file of about `size` bytes, and unopened records without cuts.

    Raises `OSError`.
    """
    state, start = file_state(path), 0
    while True:
        stop = _next_cut(path, start + size)
        part = FileRange(path, state, start, stop)
        if (state.size if stop is None else stop) - start <= MAX_SIZES * size:
            yield part
        else:
            reader = RangeReader(part, max_bytes)
            yield from reader.records()
            stop = reader.end
        if stop is None:
            return
        start = stop


def _next_cut(path: Path, begin: int) -> int | None:
    """Return the first cut at or after a byte of a file; each byte is searched once.

    Files packed by zstd or xz have none: the frames of zstd may need the dictionary before them.
    """
    with path.open("rb") as file:
        magic = file.read(max(map(len, PACKINGS)))
        packed = magic.startswith(GZIP)
        if not packed and magic.startswith(tuple(PACKINGS)):
            return None
        pattern = _PACKED_CUT if packed else _PLAIN_CUT
        tail, position = b"", begin
        file.seek(begin)
        while part := file.read(_STEP):
            data, before = tail + part, position - len(tail)
            position += len(part)
            for match in pattern.finditer(data):
                place = before + match.start()
                if not packed or _begins_record(file, place):
                    return place
            tail = data[-_OVERLAP:]
            file.seek(position)
    return None


def _begins_record(file: IO[bytes], place: int) -> bool:
    file.seek(place)
    with suppress(zlib.error):
        return (
            zlib.decompressobj(31).decompress(file.read(_PACKED_HEAD), len(_RANGE_HEAD))
            == _RANGE_HEAD
        )
    return False


# cut the inputs of a corpus into parts: ranges of WARC files, rows of files, groups of pages
#
# The cuts depend only on the inputs, so any number of workers or machines makes the same parts.

LEAST_PARTS = 64  # that a file, or a directory of pages, has at least, if they do not get too small
PART_BYTES = (2**20, 16 * 2**20)  # of a file: a kill costs each worker its work on one part
PART_PAGES = (16, 512)  # files of pages
_HEAD = 2**16  # bytes of a file that tell whether it is the same

_Entry: TypeAlias = "ListedFile | str"


class PartInput(NamedTuple):
    """The input of a part: its name and state, and its pages as `parts.CorpusPart` has them."""

    input: str
    records: tuple[Record, ...] = ()
    range: FileRange | None = None


class CorpusReader:
    """Reads the inputs of a job: files, URLs and "-", listed once.

    If a file cannot be read further, the pieces end, and `error` has the reason. `left_out` has the
    results of files of directories that are no pages.
    """

    def __init__(self, job: Job, operation: Operation) -> None:
        self.error: OSError | None = None
        self._states = dict[Path, FileState]()
        self._fields, self._max_bytes = operation.fields, operation.limits.max_bytes
        self._is_single = job.kind != FOLDER
        listed = list(listed_inputs(job, self._fields))
        self._inputs = [each for each in listed if isinstance(each, str) or not each.left_out]
        files = (each for each in listed if not isinstance(each, str) and each.left_out)
        self.left_out = [left_out_result(file) for file in files]

    def pieces(self) -> Iterator[PartInput]:
        """Yield the inputs of all parts, in order."""
        try:
            for has_many, entries in groupby(self._inputs, _has_many):
                if has_many:
                    for entry in entries:
                        yield from self._corpus(entry)
                else:
                    yield from self._pages(entries)
        except OSError as error:
            self.error = error

    def changed(self) -> str:
        """Return which file of several records has changed since its reading began, "" for none."""
        try:
            for path, state in self._states.items():
                check_unchanged(path, state)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def _corpus(self, entry: _Entry) -> Iterator[PartInput]:
        """Yield the pieces of a file of records; one of many that cannot be read is a record."""
        file = entry if isinstance(entry, ListedFile) else listed_file(Path(entry))
        try:
            yield from self._file(file)
        except OSError as error:
            if self._is_single:
                raise
            problem = f"cannot be read: {error.strerror or error}"
            yield PartInput(problem, (Record(str(file.path), problem=problem),))

    def _file(self, file: ListedFile) -> Iterator[PartInput]:
        path = file.path
        state = self._states[path] = file_state(path)
        with path.open("rb") as stream:
            name = digest(str(path), f"{state.size} {state.modified}", stream.read(_HEAD))
        size = _between(PART_BYTES, state.size // LEAST_PARTS)
        pieces = self._ranges_or_records(file, size)
        records, number, held = list[Record](), 0, 0
        for piece in pieces:
            if records and (held >= size or isinstance(piece, FileRange)):
                yield PartInput(f"{name} {number}", tuple(records))
                number, records, held = number + len(records), [], 0
            if isinstance(piece, FileRange):
                yield PartInput(f"{name} {piece.start} {piece.stop}", range=piece)
            else:
                records.append(piece._replace(file=str(path)))
                held += piece.size
        if records:
            yield PartInput(f"{name} {number}", tuple(records))

    def _ranges_or_records(self, file: ListedFile, size: int) -> Iterable[FileRange | Record]:
        read = door.find("inputs", file.kind)
        values = read(file.path, Reading(self._fields, self._max_bytes, size))
        return (_record(file, number, value) for number, value in enumerate(values, 1))

    def _pages(self, entries: Iterable[_Entry]) -> Iterator[PartInput]:
        """Yield groups of pages with files or URLs of their own."""
        most = _between(PART_PAGES, len(self._inputs) // LEAST_PARTS)
        names, records, size = list[str](), list[Record](), 0
        for entry in entries:
            name, record = self._page(entry)
            names.append(name)
            records.append(record)
            size += record.size
            if len(records) >= most or size >= PART_BYTES[1]:
                yield PartInput("\n".join(names), tuple(records))
                names, records, size = [], [], 0
        if records:
            yield PartInput("\n".join(names), tuple(records))

    def _page(self, entry: _Entry) -> tuple[str, Record]:
        """Return the name and state of a page, and its unopened record."""
        if isinstance(entry, str):
            return entry, page_of(entry, self._max_bytes)
        name, problem, path = str(entry.path), entry.refused, entry.path
        if not problem:
            try:
                state = path.stat()
            except OSError as error:
                if self._is_single:
                    raise
                problem = f"cannot be read: {error.strerror or error}"
            else:
                length, page = min(state.st_size, self._max_bytes), page_of(path, self._max_bytes)
                page = page._replace(length=length, place=str(path.parent))
                return f"{name} {state.st_size} {state.st_mtime_ns}", page
        return f"{name} {problem}", Record(name, problem=problem, place=str(path.parent))


def listed_inputs(job: Job, fields: Fields) -> Iterator[_Entry]:
    """Yield the files, URLs and "-" that a job reads, and what it leaves out of directories."""
    if job.kind != FOLDER:
        yield job.source if isinstance(job.source, str) else ListedFile(job.source, job.kind)
        return
    for source in job.inputs:
        if source == STDIN or is_url(source):
            yield source
        elif is_folder(Path(source)):
            yield from list_files(Path(source), fields)
        else:
            yield listed_file(Path(source), fields)


def warc_pages(path: Path, how: Reading) -> Iterator[FileRange | Record]:
    """Read a WARC file: the input format `warc`."""
    return ranges_or_records(path, how.max_bytes, how.size)


def wacz_pages(path: Path, how: Reading) -> Iterator[Record]:
    """Read a WACZ file: the input format `wacz`."""
    from crfclean.products.corpus.wacz import read_wacz  # most runs need none

    return read_wacz(path, how.max_bytes)


def jsonl_pages(path: Path, how: Reading) -> Iterator[Record]:
    """Read a JSONL file: the input format `jsonl`."""
    return records_of(path, how.fields, how.max_bytes)


def parquet_pages(path: Path, how: Reading) -> Iterator[Record]:
    """Read a Parquet file: the input format `parquet`."""
    records: Iterator[Record] = parquet_input().read_parquet(path, how.fields, how.max_bytes)
    return records


def _record(file: ListedFile, number: int, value: object) -> FileRange | Record:
    """Return the record of what an input format yields; raises `CrfcleanError` for no page.

    Other packages yield pages, whose names are their numbers.
    """
    if isinstance(value, FileRange | Record):
        return value
    if isinstance(value, Page):
        return Record(str(number), value.html, value.url)
    if isinstance(value, str | bytes):
        return Record(str(number), value)
    raise CrfcleanError(
        f"{file.path}: the input format {file.kind!r} of {door.origin('inputs', file.kind)} gave "
        f"{type(value).__name__} {number}, which is no page"
    )


def _has_many(entry: _Entry) -> bool:
    return isinstance(entry, ListedFile) and not entry.refused and entry.kind != PAGE


def _between(bounds: tuple[int, int], value: int) -> int:
    return min(max(value, bounds[0]), bounds[1])
