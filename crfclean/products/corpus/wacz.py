"""Read the pages of a WACZ archive: a zip with WARC files, as Webrecorder and Browsertrix write it.

https://specs.webrecorder.net/wacz/latest/
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipExtFile, ZipFile, ZipInfo

from crfclean.products.corpus.records import Record
from crfclean.products.corpus.unpacked import PACKINGS, STEP, Unpacked
from crfclean.products.corpus.warc import read_warc

MAX_DIRECTORY = 2**22  # bytes that list the entries of a zip: 40,000 of them, in 30 MB of memory
MAX_RATIO = 4  # of a packed WARC file that the zip packs again: more is a bomb in a bomb
_WARC_NAME = re.compile(r"archive/.+\.warc(?:\.\w+)?", re.IGNORECASE | re.DOTALL)
_NESTED_NAME = re.compile(r".+\.wacz", re.IGNORECASE | re.DOTALL)
_IS_ENCRYPTED = 1  # bit of the flags of an entry
_DAMAGED = (
    BadZipFile,
    EOFError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What `zipfile` raises for damaged data; `NotImplementedError` is a `RuntimeError`."""


class _File(io.FileIO):
    """A file of which no read is long: `zipfile` reads the list of a zip's entries at once.

    Raises `BadZipFile` also for places before its start, which a damaged list may have.
    """

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > MAX_DIRECTORY:
            raise BadZipFile("its list of entries is too long")
        return super().read(size) or b""

    def seek(self, place: int, whence: int = io.SEEK_SET, /) -> int:
        try:
            return super().seek(place, whence)
        except OSError as error:
            raise BadZipFile("its list of entries is damaged") from error


def read_wacz(path: Path, max_bytes: int) -> Iterator[Record]:
    """Yield the unopened records of all WARC files in an archive, as `read_warc` does.

    A WARC file that cannot be read further gives a record with a `problem`, and the next one is
    read. Raises `OSError`, also for a damaged zip.
    """
    with _File(path) as file:
        try:
            archive = ZipFile(file)
            entries = _warc_files(archive, path.stat().st_size)
        except _DAMAGED as error:
            raise OSError(0, f"a damaged or incomplete zip archive: {error}"[:200]) from error
        for entry in entries:
            try:
                yield from _records(archive, entry, max_bytes)
            except _DAMAGED as error:
                yield Record("", problem=f"{entry.filename} cannot be read: {error}"[:200])


def _warc_files(archive: ZipFile, size: int) -> list[ZipInfo]:
    """Return the entries of WARC files; raises `OSError` if there are none."""
    entries = [entry for entry in archive.infolist() if _WARC_NAME.fullmatch(entry.filename)]
    if not entries and any(_NESTED_NAME.fullmatch(name) for name in archive.namelist()):
        raise OSError(0, "it has WACZ files in it: unzip it")
    if not entries:
        raise OSError(0, "it has no WARC files in its folder archive/")
    if sum(entry.compress_size for entry in entries) > size:
        raise BadZipFile("its entries overlap")  # 40,000 names of the same bytes
    return entries


def _records(archive: ZipFile, entry: ZipInfo, max_bytes: int) -> Iterator[Record]:
    if entry.flag_bits & _IS_ENCRYPTED:
        raise ValueError("it is encrypted")
    if entry.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise ValueError("it is packed otherwise than by deflate")  # bz2 makes 80 MB of 4 KB
    del entry.CRC  # checked at the end, it would cost the last records of a file; gzip has its own
    with archive.open(entry) as file:
        is_packed = cast("ZipExtFile", file).peek(STEP).startswith(tuple(PACKINGS))
        if is_packed and entry.file_size > MAX_RATIO * entry.compress_size + STEP:
            raise ValueError("it is packed twice, and its size grows too much")
        yield from read_warc(Unpacked(file), max_bytes)
