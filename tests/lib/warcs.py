"""WARC records, written by hand for tests."""

from __future__ import annotations

import gzip
import zlib


def record(
    url: str,
    body: bytes,
    status: str = "200 OK",
    kind: str = "response",
    day: str = "2026-01-02",
) -> bytes:
    """Build a WARC record, by default a response with an HTML page, as a gzip member."""
    http = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{abs(hash(url)):032x}>\r\n"
        f"WARC-Date: {day}T03:04:05Z\r\nWARC-Target-URI: {url}\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return gzip.compress(head.encode() + http + b"\r\n\r\n")


START = b"WARC/1.0\r\nA:"
ATTACKS = {
    "starts without end": START * 20_000,
    "starts of one header": START * 20_000 + b"\r\n\r\n",
    "starts of headers without length": (START * 5_000 + b"\r\n\r\n") * 8,
    "starts with types": b"WARC/1.0\r\nWARC-Type: response\r\n" * 8_000,
    "wrong lengths": b"WARC/1.0\r\nContent-Length: 60000\r\n\r\n" * 5_000,
    "huge lengths": b"WARC/1.0\r\nContent-Length: 99999999999\r\n\r\n" * 5_000,
    "empty records": b"WARC/1.0\nContent-Length: 0\n\n" * 8_000,
    "words alike": b"WARC/" * 50_000,
    "line ends": b"\r\n" * 100_000,
    "words": b"junk " * 50_000,
}
"""A quarter of a megabyte from few packed bytes: records without end, or with a wrong one."""


def torn(data: bytes, size: int = 1_000) -> bytes:
    """Gzip members that unpack to `size` bytes each, and are damaged behind them."""
    nothing = b"\0\0\0\xff\xff" * 2_000  # empty blocks: all before them is unpacked by itself
    packed = bytearray()
    for at in range(0, len(data), size):
        engine = zlib.compressobj(1, zlib.DEFLATED, 31)
        packed += engine.compress(data[at : at + size]) + engine.flush(zlib.Z_FULL_FLUSH)
        packed += nothing + b"\xff" * 8
    return bytes(packed)
