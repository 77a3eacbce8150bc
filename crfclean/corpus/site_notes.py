"""Keep what the pages of many sites say in a file, so that memory holds one site at a time."""

from __future__ import annotations

import json
import zlib
from array import array
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from typing import IO

from crfclean.corpus.record import Record
from crfclean.site_rules.values import PageNotes
from crfclean.types import CrfcleanError

_FAST = 1  # of zlib: a third of the size, in a hundredth of the time that the page took


@contextmanager
def site_file() -> Iterator[SiteFile]:
    """An empty `SiteFile` that goes at the end; raises `CrfcleanError` if none can be made."""
    with ExitStack() as stack:
        try:
            stream = stack.enter_context(TemporaryFile(prefix="crfclean-"))
        except OSError as error:
            raise _failed(error) from error
        yield SiteFile(stream)


class SiteFile:
    """Packed values of sites in a file; memory holds their places.

    Raises `CrfcleanError` where the file cannot be written or read.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._file = stream
        self._places: dict[str, array[int]] = {}  # where each value begins, and its bytes
        self._end = 0

    def add(self, site: str, packed: bytes) -> None:
        """Write a value of a site behind the others."""
        try:
            self._file.seek(self._end)
            self._file.write(packed)
        except OSError as error:
            raise _failed(error) from error
        self._places.setdefault(site, array("Q")).extend((self._end, len(packed)))
        self._end += len(packed)

    def count(self, site: str) -> int:
        """How many values a site has."""
        return len(self._places.get(site, ())) // 2

    def sites(self) -> list[str]:
        """All sites in the order of their names."""
        return sorted(self._places)

    def values_of(self, site: str) -> Iterator[bytes]:
        """The values of a site in the order in which they came."""
        places = self._places.get(site, array("Q"))
        for start, size in zip(places[::2], places[1::2], strict=True):
            try:
                self._file.seek(start)
                yield self._file.read(size)
            except OSError as error:
                raise _failed(error) from error


def _failed(error: OSError) -> CrfcleanError:
    return CrfcleanError(f"the notes of sites cannot be kept in a temporary file: {error.strerror}")


def packed_notes(notes: PageNotes) -> bytes:
    """What a page says, without its site."""
    return _packed([notes.url, notes.places, notes.texts, notes.score, notes.fields])


def unpacked_notes(site: str, packed: bytes) -> PageNotes:
    """What a page of a site says."""
    url, places, texts, score, fields = json.loads(zlib.decompress(packed))
    pairs = {path: (words, kept) for path, (words, kept) in places.items()}
    return PageNotes(site, url, pairs, texts, score, fields)


def packed_record(record: Record) -> bytes:
    """A page, with all that its reading needs."""
    data = record.data
    text = data if isinstance(data, str) else data.decode("latin-1")
    return _packed([record.id, text, isinstance(data, str), record.url, record.charset])


def unpacked_record(packed: bytes) -> Record:
    """A page as it was read."""
    name, text, is_text, url, charset = json.loads(zlib.decompress(packed))
    return Record(name, text if is_text else text.encode("latin-1"), url, charset=charset)


def _packed(value: object) -> bytes:
    return zlib.compress(json.dumps(value).encode("ascii"), _FAST)
