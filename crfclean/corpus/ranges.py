"""Cut WARC files where records begin, so that several processes can read one file.

A cut is the start of a gzip member that begins with a record, or in a plain file the start of a
record after an empty line. A page may contain such bytes. The reader of a range therefore returns
its end, and the range after a wrong cut is read again from there.
"""

from __future__ import annotations

import errno
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

from crfclean.corpus.records import Record
from crfclean.corpus.streams import GZIP, Unpacked

MAX_SIZES = 8  # longer ranges, of files without cuts, are read by one process, and shared out
_STEP = 2**16
_PACKED_HEAD = 256  # bytes of a gzip member that show how it begins
_HEAD = b"WARC/1."
_PACKED_CUT = re.compile(re.escape(GZIP))
_PLAIN_CUT = re.compile(rb"(?<=\n\r\n)WARC/1\.|(?<=\n\n)WARC/1\.")
_OVERLAP = len(_HEAD) + 3


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


class RangeReader:
    """Reads the records of a range; `end` is then the byte of the next record, or None."""

    def __init__(self, part: FileRange, max_bytes: int) -> None:
        self.end: int | None = None
        self.part, self._max_bytes = part, max_bytes

    def records(self, *, opened: bool = True) -> Iterator[Record]:
        """Yield the records, as `records.records_of` does; raises `OSError`."""
        from crfclean.corpus.warc import read_warc  # one page needs none

        path, state, start, stop = self.part
        with path.open("rb") as file:
            check_unchanged(path, state, file.fileno())
            file.seek(start)
            stream = Unpacked(file, start)
            yield from read_warc(stream, self._max_bytes, stop, opened=opened)
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
            yield from reader.records(opened=False)
            stop = reader.end
        if stop is None:
            return
        start = stop


def _next_cut(path: Path, begin: int) -> int | None:
    """Return the first cut at or after a byte of a file; each byte is searched once."""
    with path.open("rb") as file:
        packed = file.read(len(GZIP)) == GZIP
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
        return zlib.decompressobj(31).decompress(file.read(_PACKED_HEAD), len(_HEAD)) == _HEAD
    return False
