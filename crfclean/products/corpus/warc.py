"""Read the pages of a WARC file as crawlers store them.

Many crawlers store a body without its chunks and encodings, but keep the fields that name them, and
the `Content-Length` of the packed body. So a body that is not in a named encoding is taken as it
stands, and its length is not compared.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from crfclean.io import needing_extra
from crfclean.products.corpus.listing import NO_HTML
from crfclean.products.corpus.records import HTTP, Record, damaged_record
from crfclean.products.corpus.sniffing import SNIFF_BYTES, is_html
from crfclean.products.corpus.unpacked import GZIP, ZSTD, Unpacked

MAX_HEADER = 2**16  # bytes of a header
_STATUS = re.compile(rb"(?:HTTP/[\d.]*|h2\b|ICY\b)[ \t]*(\d{3})?")
_HTTP_HEADER_END = re.compile(
    rb"\n(?:\r?\n|(?=<))"
)  # servers send pages right below the status line
_FOLDED = re.compile(rb"\r?\n[ \t]+")
_CHUNK = re.compile(rb"(?:\r?\n)?[ \t]*([\da-fA-F]{1,16})[ \t]*(?:;[^\n]{0,9999})?\r?\n")
_PARTIAL = 206  # Partial Content
NUMBER = re.compile(r"\d{1,18}", re.ASCII)
_RANGE = re.compile(r"bytes\s+0-(\d{1,18})/(\d{1,18})", re.ASCII)
_CONTROLS = bytes({*range(1, 9), *range(14, 27)})
_MAX_CONTROLS = 0.03  # of the bytes of a text; packed data have 0.08
_MAX_ENCODINGS = 5  # as in curl and urllib3; each may unpack a bomb
_READ_BYTES = 2**13  # packed bytes that are unpacked at once
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
        end = _HTTP_HEADER_END.search(data, start, start + MAX_HEADER)
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
        for start in range(0, len(data), _READ_BYTES):
            body += engine.decompress(data[start : start + _READ_BYTES])
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


# read the pages of a WARC file
#
# Records are cut out here, so that damage loses only the record it is in: the libraries for WARC
# stop at the first wrong length.
#
# Each byte of the unpacked file is searched a bounded number of times, whatever the file says.

_PAGE_TYPES = frozenset(["", "text/html", "application/xhtml+xml"])
_MAX_ID = 200  # characters
_STEP = 2**20
_HEADER_END = re.compile(rb"\n\r?\n")
_START = re.compile(rb"WARC/\d\.\d[ \t]*\r?\n[A-Za-z-]+:")
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([^\s\"';,]+)", re.IGNORECASE)
_ABOUT = frozenset(["warcinfo", "request", "metadata"])  # records about the crawl
_LEFT_OUT = {
    "revisit": "WARC revisit, whose content is in an earlier record",
    "conversion": "WARC conversion, whose page is in another record",
    "continuation": "WARC continuation of another record",
}


@dataclass(frozen=True, slots=True)
class _RawRecord:
    """A record cut out of the stream: its fields, its body up to the limit, or its problem."""

    fields: Mapping[str, str]
    body: bytes = b""
    problem: str = ""
    is_whole: bool = True

    @property
    def kind(self) -> str:
        """The WARC type in lower case, "" for none."""
        return self.fields.get("warc-type", "").lower()


def read_warc(stream: Unpacked, max_bytes: int, stop: int | None = None) -> Iterator[Record]:
    """Yield an unopened record for every page: responses and resources of HTML, no server errors.

    At most `max_bytes` and the size of a header are read of a page. Damage to the file or a record
    gives records with a `problem`. Other content gives records that are `left_out`; records about
    the crawl are skipped. Records that begin at the byte `stop` of the file or later are not read.
    No HTTP response is read until its record is opened.
    """
    junk, headers = False, _Headers(stream)
    while stream.fill(1):
        while stream.damage and stream.damage[0].at <= stream.position:
            yield damaged_record(stream.damage.popleft())
        if stop is not None and (stream.place or 0) >= stop:
            return
        blank = len(head := stream.peek(256)) - len(head.lstrip(b"\r\n"))
        if blank:
            stream.take(blank)
        elif not _START.match(head) or headers.size() < 0:
            if not junk:
                yield Record("", problem=f"no WARC record at byte {stream.position:,}")
            junk = True
            _to_next(stream)
        else:
            raw = _raw_record(stream, headers.size(), max_bytes + MAX_HEADER)
            junk = bool(raw.problem)  # the rest of a damaged record is reported with it
            if raw.kind not in _ABOUT:
                yield _unopened(raw, max_bytes)
    yield from map(damaged_record, stream.damage)


@dataclass(slots=True)
class _Headers:
    """Finds the ends of headers; no header ends within the first `searched` bytes of the stream.

    Without this number, each of many successive record starts would be searched for its own end.
    """

    stream: Unpacked
    searched: int = 0

    def size(self) -> int:
        """Return the size of the header that begins here, with its empty line; -1 without end."""
        start = max(self.searched - self.stream.position - 2, 0)  # the end may have begun there
        size = self.stream.search(_HEADER_END, start, MAX_HEADER)
        seen = size - 3 if size >= 0 else self.stream.fill(MAX_HEADER)
        self.searched = max(self.searched, self.stream.position + seen)
        return size


def _to_next(stream: Unpacked) -> None:
    """Drop the bytes before the next record, or the next damage."""
    damage = stream.damage[0].at - stream.position if stream.damage else _STEP
    place = stream.find(b"WARC/", 1, min(damage + 5, _STEP))
    size = place if place > 0 else max(stream.fill(_STEP) - 4, 1)
    if stream.damage:
        size = min(size, max(stream.damage[0].at - stream.position, 1))
    stream.take(size)


def _raw_record(stream: Unpacked, header: int, max_body: int) -> _RawRecord:
    """Take a record from the stream, with `max_body` bytes of its body; notice wrong lengths.

    `header` is the size of the record's header. A header without a length is dropped whole: a
    record that begins inside it has no length either.
    """
    fields = header_fields(stream.peek(header))
    length = NUMBER.fullmatch(fields.get("content-length", ""))
    if length is None:
        stream.take(header)
        return _RawRecord(fields, problem="its header has no length")
    size = int(length[0])
    length_taken = header + min(size, max_body)
    buffered = stream.fill(length_taken + 8)
    if stream.damage and stream.damage[0].affects(stream.position, stream.position + length_taken):
        damage = stream.damage.popleft()
        stream.take(damage.at - stream.position)
        return _RawRecord(fields, problem=damage.message)
    ended = buffered < length_taken
    if ended or (size <= max_body and not _ends(stream, length_taken)):
        return _RawRecord(fields, problem=_mend(stream, header, length_taken, ended=ended))
    stream.take(header)
    body = stream.take(length_taken - header)
    left = size - len(body)
    return _RawRecord(fields, body, _skip(stream, left), is_whole=not left)


def _ends(stream: Unpacked, length: int) -> bool:
    """Return whether a record ends after `length` bytes, with two line ends or at least one."""
    behind = stream.peek(8, length)
    ends = (b"\r\n\r\n", b"\n\n", b"\r\nWARC/", b"\nWARC/")
    return not behind.strip(b"\r\n") or behind.startswith(ends)


def _mend(stream: Unpacked, head: int, length: int, *, ended: bool) -> str:
    """Skip a record of wrong length, to its end or to a record inside it; return the problem."""
    place = stream.find(b"\nWARC/", head, length)
    stream.take(place + 1 if place >= 0 else length)
    if place < 0 and ended:
        return "the file ends inside the record"
    return "the record has another length than its header says"


def _skip(stream: Unpacked, size: int) -> str:
    """Drop the rest of a body; return the problem if a record begins or the file ends inside."""
    while size:
        part = min(size, _STEP)
        place = stream.find(b"\r\n\r\nWARC/", 0, part)
        if place >= 0:
            stream.take(place)
            return "the record has another length than its header says"
        taken = len(stream.take(part))
        size -= taken
        if taken < part:
            return "the file ends inside the record"
    return ""


def _unopened(raw: _RawRecord, max_bytes: int) -> Record:
    """Return a record whose HTTP response is not read yet."""
    fields = raw.fields
    record = Record(
        fields.get("warc-record-id", "")[:_MAX_ID] or "?",
        url=fields.get("warc-target-uri", "").strip("<> ") or None,
        crawled=fields.get("warc-date", ""),
        problem=raw.problem,
        extra=fields,
    )
    if raw.problem:
        return record
    return record._replace(length=len(raw.body), read=partial(_opened, raw, record, max_bytes))


def _opened(raw: _RawRecord, record: Record, max_bytes: int) -> Record:
    """Return a record with its page; it is left out, or has a `problem`."""
    try:
        return _with_page(raw, record, max_bytes)
    except Exception as error:  # noqa: BLE001 (a record that fails ends no other)
        return record._replace(problem=f"its HTTP response cannot be read: {error}"[:200])


def _with_page(raw: _RawRecord, record: Record, max_bytes: int) -> Record:
    response = _response(raw)
    if response is None:
        return record._replace(left_out=_LEFT_OUT.get(raw.kind, "WARC record of another type"))
    declared = response.fields.get("content-type", "")
    media_type = raw.fields.get("warc-identified-payload-type") or declared
    media_type = re.split(r"[;,\s]", media_type, maxsplit=1)[0].lower()
    if why := _why_no_page(response.status, media_type):
        return record._replace(left_out=why)
    page, ends_early = read_body(response, max_bytes)
    if not media_type and not is_html(page[:SNIFF_BYTES]):
        return record._replace(left_out=NO_HTML)
    reasons = [raw.fields.get("warc-truncated", "")]
    if ends_early or "warc-segment-number" in raw.fields:
        reasons.append(HTTP if raw.is_whole else "bytes")
    charset = _CHARSET.search(declared)
    return record._replace(
        data=page,
        charset=charset[1] if charset else "",
        truncated=",".join(filter(None, reasons)),
    )


def _response(raw: _RawRecord) -> Response | None:
    """Return the HTTP response of a record, or its content as one; None if it has no page.

    A body that begins as an HTTP response is read as a response, even if the crawler omitted its
    types: otherwise its header would be read as text.
    """
    response = read_response(raw.body) if raw.kind in {"", "response"} else None
    if response is not None or raw.kind not in {"response", "resource"}:
        return response
    declared = raw.fields.get("content-type", "")
    is_http = declared.lower().startswith("application/http")
    return Response(200, {} if is_http else {"content-type": declared}, raw.body)


def _why_no_page(status: int, media_type: str) -> str:
    """Return why the record is not a page, by its status or type of content; "" for a page."""
    if not 200 <= status < 300:
        return f"HTTP status {status}"
    return "" if media_type in _PAGE_TYPES else NO_HTML
