"""The entries of a plain zip archive, found without the library for all others."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping

_END, _END_BYTES = b"PK\x05\x06", 22
_ENTRY, _ENTRY_BYTES = b"PK\x01\x02", 46
_HEAD, _HEAD_BYTES = b"PK\x03\x04", 30


def stored_entries(data: bytes) -> Mapping[str, bytes] | None:
    """Name of each entry -> its bytes; None for an archive that `numpy.savez` does not write.

    That has entries that are stored as they are, once each, with right checksums, and no comment.
    Everything else, damage too, is left to `zipfile`.
    """
    entries: dict[str, bytes] = {}
    left = len(data)  # entries that share their bytes would take more
    try:
        for name, content in _entries(data):
            left -= len(content or b"")
            if content is None or name in entries or left < 0:
                return None
            entries[name] = content
    except (IndexError, UnicodeDecodeError):
        return None
    return entries or None


def _entries(data: bytes) -> Iterator[tuple[str, bytes | None]]:
    """Name and bytes of each entry, None where something is unusual."""
    end = len(data) - _END_BYTES
    if end < 0 or data[end : end + 4] != _END or any(data[end + 4 : end + 8]):
        yield "", None
        return
    at, count = _number(data, end + 16, 4), _number(data, end + 10, 2)
    for _ in range(count):
        names, extra, comment = (_number(data, at + place, 2) for place in (28, 30, 32))
        name = data[at + _ENTRY_BYTES : at + _ENTRY_BYTES + names].decode("ascii")
        yield name, None if comment else _content(data, at, end, name)
        at += _ENTRY_BYTES + names + extra
    if at != end or not count:
        yield "", None


def _content(data: bytes, at: int, end: int, name: str) -> bytes | None:
    """The bytes of the entry that is listed at a place, None where something is unusual."""
    flags, method = _number(data, at + 8, 2), _number(data, at + 10, 2)
    checksum, packed, size, head = (_number(data, at + place, 4) for place in (16, 20, 24, 42))
    if data[at : at + 4] != _ENTRY or flags or method or packed != size:
        return None
    start = head + _HEAD_BYTES + _number(data, head + 26, 2) + _number(data, head + 28, 2)
    named = data.startswith(name.encode("ascii"), head + _HEAD_BYTES)
    if data[head : head + 4] != _HEAD or not named or start + size > end:
        return None
    content = data[start : start + size]
    return content if zlib.crc32(content) == checksum else None


def _number(data: bytes, at: int, size: int) -> int:
    """A number in little-endian bytes; raises `IndexError` beyond the end."""
    if at + size > len(data):
        raise IndexError
    return int.from_bytes(data[at : at + size], "little")
