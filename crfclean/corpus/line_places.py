"""Find where the lines of a plain file stand, so that the processes that need them read them.

A line goes through no pipe, and the process that finds its end keeps none of its bytes.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from functools import partial
from io import BufferedReader
from pathlib import Path
from typing import IO, NamedTuple

from crfclean.corpus.streams import is_packed
from crfclean.types import CrfcleanError

STEP = 2**18  # bytes read at once
_FILLED = re.compile(rb"[^ \t\n\r\x0b\x0c]")


class LinePlace(NamedTuple):
    """Where a line stands: its file, known by device and number, too, and its bytes there.

    `ended` is whether it has a line end, which is one of its `size` bytes.
    """

    path: Path
    device: int
    inode: int
    offset: int
    size: int
    ended: bool

    def read(self) -> bytes:
        """The line; raises `CrfcleanError` if the file is gone, or is not what it was."""
        try:
            with self.path.open("rb") as file:
                status = os.fstat(file.fileno())
                file.seek(self.offset)
                line = file.read(self.size)
        except OSError as error:
            raise self._error(f"cannot be read: {error.strerror}") from error
        is_same = (status.st_dev, status.st_ino) == (self.device, self.inode)
        end = line.find(b"\n")
        if not is_same or len(line) < self.size or (end + 1 or self.size + 1) != self._end:
            raise self._error("was changed while it was read")
        return line

    @property
    def _end(self) -> int:
        """Bytes up to the first line end, with it; one more than all if there is none."""
        return self.size if self.ended else self.size + 1

    def _error(self, what: str) -> CrfcleanError:
        return CrfcleanError(f"{self.path}: {what}, at byte {self.offset:,}: resume the run")


class Line(NamedTuple):
    """A line of a file: where it stands, whether it is `blank`, and whether it is `too_long`."""

    place: LinePlace
    blank: bool
    too_long: bool


def has_places(file: IO[bytes]) -> bool:
    """Whether lines of a file can be read by their places: it is a file on disk, and not packed."""
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        return False
    packed = is_packed(file.read(STEP))
    file.seek(0)
    return not packed


def line_places(path: Path, file: BufferedReader, max_line: int) -> Iterator[Line]:
    """Every line of an open file, from its start; raises `OSError`.

    A line is too long if its end is not among its first `max_line` bytes.
    """
    status, buffer = os.fstat(file.fileno()), bytearray(STEP)
    place = partial(LinePlace, path, status.st_dev, status.st_ino)
    offset, size, filled = 0, 0, False
    while count := file.readinto(buffer):
        start = 0
        while start < count:
            end = buffer.find(b"\n", start, count) + 1
            stop = end or count
            filled = filled or _FILLED.search(buffer, start, stop) is not None
            size += stop - start
            start = stop
            if end:
                yield Line(place(offset, size, ended=True), not filled, size > max_line)
                offset, size, filled = offset + size, 0, False
    if size:
        yield Line(place(offset, size, ended=False), not filled, size >= max_line)
