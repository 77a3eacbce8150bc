"""Bytes of a file, packed or not -> its unpacked bytes, read once, and what was damaged.

A packed file is a row of members (gzip, xz) or frames (zstd), each of which begins with its
format's magic number. Behind damage reading goes on with the next member.
"""

from __future__ import annotations

import lzma
import zlib
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import IO, Any

from crfclean.types import CrfcleanError

STEP = 8_192  # packed bytes unpacked at once: a bomb cannot make more than some MB of them
KEPT = 8 * STEP  # bytes of a damaged member that are searched for the next one
LONGEST_MAGIC = 6
MAX_WINDOW = 2**27  # bytes: xz members that would need more memory are refused
_BROKEN = (zlib.error, lzma.LZMAError, ValueError)


def zstandard() -> Any:
    """The module for zstd (extra `zst`); raises `CrfcleanError` where it is not installed."""
    try:
        return import_module("crfclean.corpus.zstd")
    except ImportError as error:
        raise CrfcleanError("zstd needs its extra: pip install 'crfclean[zst]'") from error


@dataclass(frozen=True, slots=True)
class Packing:
    """A packed format: its name, and what makes an engine that unpacks one member."""

    name: str
    engine: Callable[[], Any]


PACKINGS: Mapping[bytes, Packing] = {
    b"\x1f\x8b\x08": Packing("gzip", partial(zlib.decompressobj, 31)),
    b"\xfd7zXZ\x00": Packing("xz", partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, MAX_WINDOW)),
    b"\x28\xb5\x2f\xfd": Packing("zstd", lambda: zstandard().unpacker()),
}
"""Magic number -> format."""


@dataclass(frozen=True, slots=True)
class Damage:
    """Bytes are missing before the position `at` of the unpacked ones; `message` says why.

    What the same member gave before, from `began` on, may be wrong.
    """

    began: int
    at: int
    message: str

    def hurts(self, start: int, end: int) -> bool:
        """Whether the unpacked bytes [start, end) are the last ones before the damage."""
        return self.began < end and start < self.at <= end


class Unpacked:
    """The unpacked bytes of a stream, looked at and taken from its start to its end.

    `position` is the number of bytes taken. `damage` grows while bytes are unpacked; who reads
    them takes it away. Raises `OSError` where the stream does, `CrfcleanError` where zstd is not
    installed.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.damage: deque[Damage] = deque()
        self.position = 0
        self._raw = iter(partial(stream.read, STEP), b"")
        self._waiting = bytearray()
        self._made = 0
        self._parts = self._unpack()

    def fill(self, size: int) -> int:
        """Have the next `size` bytes at hand, fewer at the end; gives how many there are."""
        while len(self._waiting) < size:
            part = next(self._parts, None)
            if part is None:
                break
            self._waiting += part
        return min(size, len(self._waiting))

    def peek(self, size: int, offset: int = 0) -> bytes:
        """A copy of `size` bytes from here, or `offset` further on; fewer at the end."""
        self.fill(offset + size)
        return bytes(self._waiting[offset : offset + size])

    def take(self, size: int) -> bytes:
        """Take the next `size` bytes, fewer at the end."""
        taken = self.peek(size)
        del self._waiting[: len(taken)]
        self.position += len(taken)
        return taken

    def find(self, wanted: bytes, start: int, end: int) -> int:
        """Where `wanted` first stands whole within [start, end) from here; -1 if nowhere."""
        while True:
            at_hand = len(self._waiting)
            place = self._waiting.find(wanted, start, end)
            if place >= 0 or at_hand >= end:
                return place
            if self.fill(at_hand + 1) <= at_hand:
                return -1
            start = max(start, at_hand - len(wanted) + 1)

    def _unpack(self) -> Iterator[bytes]:
        packed = self._more(b"")
        magic = next((one for one in PACKINGS if packed.startswith(one)), b"")
        if not magic:
            yield packed
            yield from self._raw
            return
        while packed:
            if packed.startswith(magic):
                packed = self._more((yield from self._member(packed, magic)))
            else:
                packed = self._next_member(packed, magic)

    def _more(self, packed: bytes) -> bytes:
        """Enough bytes to tell a magic number, where there are so many."""
        while len(packed) < LONGEST_MAGIC:
            part = next(self._raw, b"")
            if not part:
                break
            packed += part
        return packed

    def _member(self, packed: bytes, magic: bytes) -> Generator[bytes, None, bytes]:
        """Give a member's bytes; return the packed ones behind it, or behind its magic number."""
        engine, kept, began = PACKINGS[magic].engine(), b"", self._made
        while not engine.eof:
            packed = packed or next(self._raw, b"")
            if not packed:
                self._hurt(began, f"the file ends inside its {PACKINGS[magic].name} data")
                return b""
            given, packed = packed[:STEP], packed[STEP:]
            kept = kept[-KEPT:] + given
            try:
                part = engine.decompress(given)
            except _BROKEN:
                self._hurt(began, f"damaged {PACKINGS[magic].name} data")
                return kept[1:] + packed
            self._made += len(part)
            yield part
        return bytes(engine.unused_data) + packed

    def _next_member(self, packed: bytes, magic: bytes) -> bytes:
        """Drop what stands before the next magic number; padding is no damage."""
        junk = False
        while (place := packed.find(magic)) < 0:
            rest = next(self._raw, b"")
            done = len(packed) - len(magic) + 1 if rest else len(packed)
            junk = junk or bool(packed[: max(done, 0)].strip(b"\0"))
            packed = packed[max(done, 0) :] + rest
            if not rest:
                break
        if junk or packed[: max(place, 0)].strip(b"\0"):
            self._hurt(self._made, f"bytes that are no {PACKINGS[magic].name} data")
        return packed[place:] if place >= 0 else b""

    def _hurt(self, began: int, message: str) -> None:
        """Note damage, once at each place."""
        if not self.damage or self.damage[-1].at < self._made:
            self.damage.append(Damage(began, self._made, message))
