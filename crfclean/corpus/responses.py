"""Read HTTP responses as crawlers store them, and notice those that ended early.

Many crawlers store a body without its chunks and encodings, but keep the fields that name them, and
the `Content-Length` of the packed body. So a body that is not in a named encoding is taken as it
stands, and its length is not compared.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from crfclean.corpus.listing import SNIFF_BYTES, is_html
from crfclean.corpus.streams import GZIP, ZSTD, Unpacked
from crfclean.io import needing_extra

MAX_HEADER = 2**16  # bytes of a header
_STATUS = re.compile(rb"(?:HTTP/[\d.]*|h2\b|ICY\b)[ \t]*(\d{3})?")
_HEADER_END = re.compile(rb"\n(?:\r?\n|(?=<))")  # servers send pages right below the status line
_FOLDED = re.compile(rb"\r?\n[ \t]+")
_CHUNK = re.compile(rb"(?:\r?\n)?[ \t]*([\da-fA-F]{1,16})[ \t]*(?:;[^\n]{0,9999})?\r?\n")
_PARTIAL = 206  # Partial Content
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_RANGE = re.compile(r"bytes\s+0-(\d{1,18})/(\d{1,18})", re.ASCII)
_CONTROLS = bytes({*range(1, 9), *range(14, 27)})
_MAX_CONTROLS = 0.03  # of the bytes of a text; packed data have 0.08
_MAX_ENCODINGS = 5  # as in curl and urllib3; each may unpack a bomb
_STEP = 2**13  # packed bytes that are unpacked at once
_BROTLI_STEP = 2**9  # unpacked bytes; FastWARC loses those of the step in which the data end


@dataclass(frozen=True, slots=True)
class Response:
    """A response: its status, its header fields by lower-case name, its body as it is stored."""

    status: int
    fields: Mapping[str, str]
    stored: bytes


def header_fields(header: bytes) -> dict[str, str]:
    r"""Return the fields of a header by their names in lower case; of equal names the last counts.

    >>> header_fields(b"HTTP/1.1 200 OK\nContent-Type: text/html;\r\n charset=x\r\n")
    {'content-type': 'text/html; charset=x'}
    """
    lines = (line.partition(b":") for line in _FOLDED.sub(b" ", header).split(b"\n"))
    return {
        name.strip().lower().decode("latin-1"): value.strip().decode("utf-8", "replace")
        for name, colon, value in lines
        if colon
    }


def read_response(data: bytes) -> Response | None:
    """Return the last of the responses that data begin with; None if they begin with no response.

    Others come before it: `100 Continue`, or that of a proxy. Raises `ValueError` for a header
    without end.
    """
    response, start = None, 0
    while match := _STATUS.match(data, start):
        end = _HEADER_END.search(data, start, start + MAX_HEADER)
        if end is None:
            raise ValueError("its header has no end")
        fields = header_fields(data[start : end.start()])
        response, start = (int(match[1] or 200), fields), end.end()
    return Response(*response, data[start:]) if response else None


def read_body(response: Response, max_bytes: int) -> tuple[bytes, bool]:
    """Return a body without chunks and encodings, and whether it ended early.

    Little more than `max_bytes` is unpacked. Raises `ValueError` for a body that cannot
    be decoded, and `CrfcleanError` if a library for its encoding is missing.
    """
    fields, body, unread = response.fields, response.stored, ""
    names = ",".join(fields.get(name, "") for name in ("content-encoding", "transfer-encoding"))
    encodings = [
        name for name in re.split(r"[\s,]+", names.lower()) if name not in {"", "identity"}
    ]
    if len(encodings) > _MAX_ENCODINGS:
        raise ValueError(f"its body has {len(encodings)} encodings")
    length = NUMBER.fullmatch(fields.get("content-length", ""))
    ends_early = _is_partial(response)
    if not encodings and length:
        ends_early = ends_early or int(length[0]) > len(body)
    for name in reversed(encodings):
        decoder = _DECODERS.get(name)
        decoded = decoder and decoder(body, max_bytes)
        if decoded:
            body, is_cut = decoded
            ends_early = ends_early or is_cut
        else:
            unread = name
    if unread and _is_packed(body[:SNIFF_BYTES]):
        raise ValueError(f"its body cannot be decoded as {unread[:20]!r}")
    return body, ends_early


def _is_partial(response: Response) -> bool:
    """Return whether a response has a part of the page that was asked for."""
    content_range = _RANGE.fullmatch(response.fields.get("content-range", ""))
    return response.status == _PARTIAL and not (
        content_range and int(content_range[1]) + 1 == int(content_range[2])
    )


def _is_packed(head: bytes) -> bool:
    controls = len(head) - len(head.translate(None, _CONTROLS))
    return controls > _MAX_CONTROLS * len(head)


# encodings

_Decoded: TypeAlias = "tuple[bytes, bool] | None"
"""The decoded bytes, and whether their end is missing; None for data in another encoding."""


def _dechunked(data: bytes, _max_bytes: int) -> _Decoded:
    body, at = bytearray(), 0
    while chunk := _CHUNK.match(data, at):
        size = int(chunk[1], 16)
        if not size:
            return bytes(body), False
        at = chunk.end() + size
        body += data[chunk.end() : at]
    return (bytes(body), True) if at else None


def _unpacked(data: bytes, max_bytes: int) -> _Decoded:
    """Unpack gzip or zstd; bytes behind the end do not count as damage."""
    if not data.startswith((GZIP, ZSTD)):
        return None
    stream = Unpacked(io.BytesIO(data))
    body = stream.peek(max_bytes + 1)
    return body, any(damage.began < damage.at or not body for damage in stream.damage)


def _inflated(data: bytes, max_bytes: int) -> _Decoded:
    """Unpack zlib's format, or the bare one that some servers send as `deflate`, or gzip."""
    is_zlib = len(data) > 1 and data[0] & 0x8F == 8 and not int.from_bytes(data[:2]) % 31
    has_head = is_zlib or data.startswith(GZIP)
    if not has_head and is_html(data[:SNIFF_BYTES]):
        return None
    engine, body = zlib.decompressobj(47 if has_head else -15), bytearray()
    try:
        for start in range(0, len(data), _STEP):
            body += engine.decompress(data[start : start + _STEP])
            if engine.eof or len(body) > max_bytes:
                return bytes(body[: max_bytes + 1]), False
    except zlib.error:
        pass
    return (bytes(body), True) if body else None


def _unbrotlied(data: bytes, max_bytes: int) -> _Decoded:
    if is_html(data[:SNIFF_BYTES]):
        return None
    with needing_extra("warc", "brotli needs its extra"):
        from fastwarc.stream_io import BrotliReader

    reader, body = BrotliReader(io.BytesIO(data)), bytearray()
    try:
        while len(body) <= max_bytes and (part := reader.read(_BROTLI_STEP)):
            body += part
    except OSError:
        return (bytes(body), True) if body else None
    return bytes(body), False


_DECODERS: Mapping[str, Callable[[bytes, int], _Decoded]] = {
    "chunked": _dechunked,
    "gzip": _unpacked,
    "x-gzip": _unpacked,
    "deflate": _inflated,
    "br": _unbrotlied,
    "zstd": _unpacked,
}
"""Encoding of a body -> the function that decodes it."""
