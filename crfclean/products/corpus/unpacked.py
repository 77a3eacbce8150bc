"""Unpack streams, whole and damaged, and the lines that they have."""

from __future__ import annotations

import re
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, NamedTuple

from crfclean.io import needing_extra
from crfclean.types import CrfcleanError

STEP = 8_192  # bytes read at once
_PLAIN_STEP = 8 * STEP  # of a file that is not packed
SEARCHED_BYTES = 8 * STEP  # bytes of a damaged member that are searched for the next member
MAX_RETRIED = 4  # bytes searched again after damage, as a multiple of the bytes read so far
_LONGEST_MAGIC = 6
_MAX_WINDOW = 2**27  # bytes: members and frames that would need more memory are refused
_MAX_DICTIONARY = 2**24  # bytes of a dictionary of zstd; those of ArchiveTeam have 2**20
_BAD_DICTIONARY = f"its zstd dictionary is damaged, or has more than {_MAX_DICTIONARY:,} bytes"
_MAX_LINE = 2**31  # bytes: longer than any row
_LINE_STEP = 2**20


def zstd_module() -> Any:
    """Import the library of zstd (extra `zst`); raises `CrfcleanError` if it is missing."""
    with needing_extra("zst", "zstd needs its extra"):
        import zstandard
    return zstandard


def _xz_unpacker() -> Any:
    import lzma

    return lzma.LZMADecompressor(lzma.FORMAT_XZ, _MAX_WINDOW)


def _zstd_unpacker() -> Any:
    return _zstd_engine(None)()


def _zstd_engine(dictionary: Any) -> Callable[[], Any]:
    """Return a function that makes an unpacker of one frame; raises `CrfcleanError`."""
    zstd = zstd_module()
    engine: Callable[[], Any] = zstd.ZstdDecompressor(
        dictionary, max_window_size=_MAX_WINDOW
    ).decompressobj
    return engine


def _zstd_dictionary(stored: bytes) -> Any:
    """Return the dictionary of a file, which may be packed itself; raises `CrfcleanError`."""
    zstd, data = zstd_module(), stored
    try:
        if stored.startswith(ZSTD):
            unpacker = zstd.ZstdDecompressor(max_window_size=_MAX_WINDOW)
            data = unpacker.stream_reader(stored).read(_MAX_DICTIONARY + 1)
        if not data or len(data) > _MAX_DICTIONARY:
            raise CrfcleanError(_BAD_DICTIONARY)
        return zstd.ZstdCompressionDict(data)
    except zstd.ZstdError as error:
        raise CrfcleanError(_BAD_DICTIONARY) from error


def _broken(name: str) -> tuple[type[Exception], ...]:
    """Return the errors that the unpacker of a format raises for damaged data."""
    import lzma

    zstd = (zstd_module().ZstdError,) if name == "zstd" else ()
    return (zlib.error, lzma.LZMAError, *zstd)


class Packing(NamedTuple):
    """A packed format: its name, and a function that makes an unpacker of one member.

    `step` packed bytes are unpacked at once: a bomb makes no more than 16 MB of them.
    """

    name: str
    engine: Callable[[], Any]
    step: int


GZIP, ZSTD, ZSTD_DICTIONARY = b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"\x5d\x2a\x4d\x18"
PACKINGS: Mapping[bytes, Packing] = {
    GZIP: Packing("gzip", partial(zlib.decompressobj, 31), STEP),
    b"\xfd7zXZ\x00": Packing("xz", _xz_unpacker, STEP // 4),
    ZSTD: Packing("zstd", _zstd_unpacker, STEP // 16),
    ZSTD_DICTIONARY: Packing("zstd", _zstd_unpacker, STEP // 16),
}
"""Magic number -> format. A `.warc.zst` of ArchiveTeam begins with the dictionary of its frames."""


class Damage(NamedTuple):
    """A place `at` of the unpacked bytes before which bytes are missing; `message` says why.

    The bytes of the same member from `began` to `at` may be wrong.
    """

    began: int
    at: int
    message: str

    def affects(self, start: int, end: int) -> bool:
        """Return whether the unpacked bytes [start, end) are the last bytes before the damage."""
        return self.began < end and start < self.at <= end


class Unpacked:
    """The unpacked bytes of a stream, peeked at and taken from its start to its end.

    `position` is the number of bytes taken; the stream is at the byte `start` of its file. `damage`
    grows while bytes are unpacked; the reader removes its items. Raises the `OSError`s of the
    stream, and `CrfcleanError` if zstd is not installed.
    """

    def __init__(self, stream: IO[bytes], start: int = 0) -> None:
        self.damage: deque[Damage] = deque()
        self.position = 0
        self._start = start
        self._members: dict[int, int] = {}
        self._is_plain = False
        self._step = STEP
        self._raw = self._read(stream)
        self._packed = 0
        self._retried = 0
        self._buffer = bytearray()
        self._unpacked = 0
        self._parts = self._unpack()

    def fill(self, size: int) -> int:
        """Buffer the next `size` bytes, fewer at the end; return their number."""
        while len(self._buffer) < size:
            part = next(self._parts, None)
            if part is None:
                break
            self._buffer += part
        return min(size, len(self._buffer))

    def peek(self, size: int, offset: int = 0) -> bytes:
        """Return a copy of `size` bytes from here, or `offset` further on; fewer at the end."""
        self.fill(offset + size)
        with memoryview(self._buffer) as buffer:
            return bytes(buffer[offset : offset + size])

    def take(self, size: int) -> bytes:
        """Take and return the next `size` bytes, fewer at the end."""
        taken = self.peek(size)
        del self._buffer[: len(taken)]
        self.position += len(taken)
        return taken

    def find(self, needle: bytes, start: int, end: int) -> int:
        """Return the first place of `needle` within [start, end) from here; -1 if it is absent."""
        while True:
            buffered = len(self._buffer)
            place = self._buffer.find(needle, start, end)
            if place >= 0 or buffered >= end:
                return place
            if self.fill(buffered + 1) <= buffered:
                return -1
            start = max(start, buffered - len(needle) + 1)

    def search(self, pattern: re.Pattern[bytes], start: int, end: int) -> int:
        """Return the end of the first match of `pattern` within [start, end) from here, or -1."""
        self.fill(end)
        match = pattern.search(self._buffer, start, end)
        return match.end() if match else -1

    @property
    def place(self) -> int | None:
        """The byte of the file from which another reader can continue; None inside a member.

        Bytes after the position must be buffered.
        """
        return self._start + self.position if self._is_plain else self._members.get(self.position)

    def _read(self, stream: IO[bytes]) -> Iterator[bytes]:
        while part := stream.read(self._step):
            self._packed += len(part)
            yield part

    def _unpack(self) -> Iterator[bytes]:
        packed = self._filled(b"")
        magic = next((magic for magic in PACKINGS if packed.startswith(magic)), b"")
        if not magic:
            self._step, self._is_plain = _PLAIN_STEP, True
            yield packed
            yield from self._raw
            return
        self._engine = PACKINGS[magic].engine
        if magic == ZSTD_DICTIONARY:
            packed, magic = self._filled(self._with_dictionary(packed)), ZSTD
        while packed:
            if packed.startswith(magic):
                packed = self._filled((yield from self._member(packed, magic)))
            else:
                packed = self._next_member(packed, magic)

    def _filled(self, packed: bytes, size: int = _LONGEST_MAGIC) -> bytes:
        """Return the packed bytes with following ones, so that there are at least `size`."""
        parts, length = [packed], len(packed)
        while length < size and (part := next(self._raw, b"")):
            parts.append(part)
            length += len(part)
        return b"".join(parts)

    def _with_dictionary(self, packed: bytes) -> bytes:
        """Read the skippable frame with the dictionary of zstd; return the packed bytes after it.

        https://iipc.github.io/warc-specifications/specifications/warc-zstd/
        """
        packed = self._filled(packed, 8)
        end = 8 + int.from_bytes(packed[4:8], "little")
        if end > _MAX_DICTIONARY:
            raise CrfcleanError(_BAD_DICTIONARY)
        packed = self._filled(packed, end)
        self._engine = _zstd_engine(_zstd_dictionary(packed[8:end]))
        return packed[end:]

    def _member(self, packed: bytes, magic: bytes) -> Generator[bytes, None, bytes]:
        """Yield a member's bytes; return the packed bytes after it (after the magic if damaged)."""
        packing, kept, began, at = PACKINGS[magic], b"", self._unpacked, 0
        engine = self._engine()
        self._note_member(self._start + self._packed - len(packed))
        while not engine.eof:
            if at >= len(packed):
                kept = (kept + packed)[-SEARCHED_BYTES:]
                packed, at = next(self._raw, b""), 0
            if not packed:
                self._note_damage(began, f"the file ends inside its {packing.name} data")
                return b""
            chunk = packed[at : at + packing.step]
            at += len(chunk)
            try:
                part = engine.decompress(chunk)
            except _broken(packing.name):
                self._note_damage(began, f"damaged {packing.name} data")
                return self._again(kept + packed[:at]) + packed[at:]
            self._unpacked += len(part)
            yield part
        return bytes(engine.unused_data) + packed[at:]

    def _note_member(self, place: int) -> None:
        """Note where a member begins; an empty member is replaced by the next member."""
        self._members[self._unpacked] = place
        while (first := next(iter(self._members))) < self.position:
            del self._members[first]

    def _again(self, damaged: bytes) -> bytes:
        """Return the bytes of a damaged member in which the next member is searched.

        Return b"" if too many bytes were searched before. Otherwise a file in which members seem to
        begin at every third byte would be unpacked again from each of these places.
        """
        if self._retried + len(damaged) > SEARCHED_BYTES + MAX_RETRIED * self._packed:
            return b""
        self._retried += len(damaged)
        return damaged[1:]

    def _next_member(self, packed: bytes, magic: bytes) -> bytes:
        """Drop the bytes before the next magic number; zeros count as padding, not as damage."""
        junk = False
        while (place := packed.find(magic)) < 0:
            part = next(self._raw, b"")
            # the last bytes may be the beginning of a magic number
            searched = max(len(packed) - len(magic) + 1, 0) if part else len(packed)
            junk = junk or bool(packed[:searched].strip(b"\0"))
            packed = packed[searched:] + part
            if not part:
                break
        if junk or packed[: max(place, 0)].strip(b"\0"):
            self._note_damage(self._unpacked, f"bytes that are no {PACKINGS[magic].name} data")
        return packed[place:] if place >= 0 else b""

    def _note_damage(self, began: int, message: str) -> None:
        if not self.damage or self.damage[-1].at < self._unpacked:
            self.damage.append(Damage(began, self._unpacked, message))


def packed_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file, plain or packed, with line ends; raises `OSError` for damage."""
    with path.open("rb") as file:
        stream = Unpacked(file)
        while size := stream.find(b"\n", 0, _MAX_LINE) + 1 or stream.fill(_LINE_STEP):
            if stream.damage:
                raise OSError(0, stream.damage[0].message)
            yield stream.take(size)
        if stream.damage:
            raise OSError(0, stream.damage[0].message)
