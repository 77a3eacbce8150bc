"""Read the pages of a WARC file, by FastWARC (extra `warc`).

Records are cut out here, so that damage loses only the record it is in: FastWARC stops at the first
wrong length. FastWARC then reads each record, with its HTTP headers and encodings.

Each byte of the unpacked file is searched a bounded number of times, whatever the file says.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Literal

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from crfclean.corpus.listing import NO_HTML, SNIFF_BYTES, is_html
from crfclean.corpus.records import Record, damaged_record
from crfclean.corpus.streams import Unpacked

_MAX_HEADER = 2**16  # bytes of a record's header, and of an HTTP header
_PAGE_TYPES = frozenset(["", "text/html", "application/xhtml+xml"])
_STEP = 2**20
_KINDS = WarcRecordType.response | WarcRecordType.resource
_HEADER_END = re.compile(rb"\n\r?\n")
_START = re.compile(rb"WARC/\d\.\d[ \t]*\r?\n[A-Za-z-]+:")
_LENGTH = re.compile(
    rb"^content-length:[ \t]*(\d{1,18})[ \t]*(?=\r?$)", re.IGNORECASE | re.MULTILINE
)
_ID = re.compile(rb"^warc-record-id:[ \t]*(\S{1,200})", re.IGNORECASE | re.MULTILINE)
_URL = re.compile(rb"^warc-target-uri:[ \t]*(\S{1,4000})", re.IGNORECASE | re.MULTILINE)
_DATE = re.compile(rb"^warc-date:[ \t]*(\S{1,60})", re.IGNORECASE | re.MULTILINE)
_TYPE = re.compile(rb"^warc-type:[ \t]*(\w+)", re.IGNORECASE | re.MULTILINE)
_CONTENT = re.compile(rb"^content-type:", re.IGNORECASE | re.MULTILINE)
_RESPONSE = b"\r\nWARC-Type: response"
_HTTP = b"\r\nContent-Type: application/http; msgtype=response"
_PAGES = frozenset([b"response", b"resource"])
_ABOUT = frozenset([b"warcinfo", b"request", b"metadata"])  # records about the crawl
_LEFT_OUT = {
    b"revisit": "WARC revisit, whose content is in an earlier record",
    b"conversion": "WARC conversion, whose page is in another record",
    b"continuation": "WARC continuation of another record",
}


@dataclass(frozen=True, slots=True)
class _RawRecord:
    """A record cut out of the stream: its header, its body up to the limit, or its problem."""

    head: bytes
    body: bytes = b""
    problem: str = ""


def read_warc(
    stream: Unpacked, max_bytes: int, stop: int | None = None, *, opened: bool = True
) -> Iterator[Record]:
    """Yield a record for every page: responses and resources of HTML, without server errors.

    At most `max_bytes` and the size of a header are read of a page. Damage to the file or a record
    gives records with a `problem`. Other content gives records that are `left_out`; records about
    the crawl are skipped. Records that begin at the byte `stop` of the file or later are not read.
    Without `opened`, FastWARC does not read a record until it is opened.
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
            raw = _raw_record(stream, headers.size(), max_bytes + _MAX_HEADER)
            junk = bool(raw.problem)  # the rest of a damaged record is reported with it
            kind = _TYPE.search(raw.head)
            if kind is None or kind[1].lower() not in _ABOUT:
                record = _unopened(raw, kind[1].lower() if kind else b"", max_bytes)
                yield record.opened if opened else record
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
        size = self.stream.search(_HEADER_END, start, _MAX_HEADER)
        seen = size - 3 if size >= 0 else self.stream.fill(_MAX_HEADER)
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
    head = stream.peek(header)
    length = _LENGTH.search(head)
    if length is None:
        stream.take(header)
        return _RawRecord(head, problem="its header has no length")
    size = int(length[1])
    length_taken = len(head) + min(size, max_body)
    buffered = stream.fill(length_taken + 8)
    if stream.damage and stream.damage[0].affects(stream.position, stream.position + length_taken):
        damage = stream.damage.popleft()
        stream.take(damage.at - stream.position)
        return _RawRecord(head, problem=damage.message)
    ended = buffered < length_taken
    if ended or (size <= max_body and not _ends(stream, length_taken)):
        return _RawRecord(head, problem=_mend(stream, len(head), length_taken, ended=ended))
    stream.take(len(head))
    body = stream.take(length_taken - len(head))
    return _RawRecord(head, body, _skip(stream, size - len(body)))


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


def _unopened(raw: _RawRecord, kind: bytes, max_bytes: int) -> Record:
    """Return a record of a WARC type that FastWARC has not read yet."""
    matches = (pattern.search(raw.head) for pattern in (_ID, _URL, _DATE))
    name, url, date = (match[1].decode("utf-8", "replace") if match else "" for match in matches)
    if raw.problem:
        return Record(name or "?", url=url.strip("<>") or None, date=date, problem=raw.problem)
    read = partial(_record, raw, kind, name or "?", max_bytes)
    return Record(
        name or "?", url=url.strip("<>") or None, date=date, length=len(raw.body), read=read
    )


def _record(raw: _RawRecord, kind: bytes, name: str, max_bytes: int) -> Record:
    """Return the page of a record of a WARC type, or the reason why it is left out.

    A body that begins as an HTTP response is read as a response, even if the crawler omitted its
    types: otherwise its header would be read as text.
    """
    head = raw.head
    if kind in {b"", b"response"} and raw.body.startswith(b"HTTP/"):
        missing = (b"" if kind else _RESPONSE) + (b"" if _CONTENT.search(head) else _HTTP)
        kind, head = b"response", head.rstrip() + missing + b"\r\n\r\n"
    if kind not in _PAGES:
        return Record(name, left_out=_LEFT_OUT.get(kind, "WARC record of another type"))
    return _opened(head, raw.body, name, max_bytes)


def _opened(head: bytes, body: bytes, name: str, max_bytes: int) -> Record:
    """Return the page of a record; it is left out, or has a `problem` if FastWARC fails.

    If a body is not in the encoding that its HTTP header names, it is taken as it stands.
    """
    head = _LENGTH.sub(b"Content-Length: %d" % len(body), head)
    data = re.sub(rb"\r?\n", b"\r\n", head) + body
    try:
        try:
            return _page(data, name, max_bytes, "all")
        except OSError:
            return _page(data, name, max_bytes, "none")
    except Exception as error:  # noqa: BLE001 (a record that fails ends no other)
        return Record(name, problem=f"its HTTP response is damaged: {error}"[:120])


def _why_no_page(record: WarcRecord) -> str:
    """Return the reason in a record's status or content type why it is no page, "" for none."""
    http = record.http_headers
    status = (http.status_code if http else 0) or 200
    if not 200 <= status < 300:
        return f"HTTP status {status}"
    return "" if _media_type(record) in _PAGE_TYPES else NO_HTML


def _media_type(record: WarcRecord) -> str:
    """Return the declared type of a record's content, "" for none."""
    declared = (record.http_headers or record.headers).get("Content-Type") or ""
    media_type = record.headers.get("WARC-Identified-Payload-Type") or str(declared)
    return media_type.partition(";")[0].strip().lower()


def _page(data: bytes, name: str, max_bytes: int, decoding: Literal["all", "none"]) -> Record:
    """Return the page of a WARC record, or the reason why it is left out; raises `OSError`."""
    record = next(
        ArchiveIterator(io.BytesIO(data), _KINDS, auto_decode=decoding, stream_detect=False)
    )
    if why := _why_no_page(record):
        return Record(name, left_out=why)
    parts, size = [], 0
    while size <= max_bytes and (part := record.reader.read(min(_STEP, max_bytes + 1 - size))):
        parts.append(part)
        size += len(part)
    page = b"".join(parts)
    if not _media_type(record) and not is_html(page[:SNIFF_BYTES]):
        return Record(name, left_out=NO_HTML)
    return Record(
        name,
        page,
        str(record.headers.get("WARC-Target-URI") or "").strip("<> ") or None,
        str(record.headers.get("WARC-Date") or ""),
        str(record.http_charset or ""),
        str(record.headers.get("WARC-Truncated") or ""),
    )
