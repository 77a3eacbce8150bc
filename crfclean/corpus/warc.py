"""Bytes of a WARC file -> `Record`s of its pages, by FastWARC (extra `warc`).

Records are cut out here, so that damage costs the record it is in: FastWARC ends with the first
wrong length. Each is then read by it, with its HTTP headers and encodings.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from crfclean.corpus.record import Record, damaged_record
from crfclean.corpus.streams import Unpacked

MAX_HEAD = 2**16  # bytes of a record's header, and of an HTTP header
PAGE_TYPES = frozenset(["", "text/html", "application/xhtml+xml"])
_STEP = 2**20
_KINDS = WarcRecordType.response | WarcRecordType.resource
_START = re.compile(rb"WARC/\d\.\d[ \t]*\r?\n[A-Za-z-]+:")
_LENGTH = re.compile(
    rb"^content-length:[ \t]*(\d{1,18})[ \t]*(?=\r?$)", re.IGNORECASE | re.MULTILINE
)
_ID = re.compile(rb"^warc-record-id:[ \t]*(\S{1,200})", re.IGNORECASE | re.MULTILINE)
_TYPE = re.compile(rb"^warc-type:[ \t]*(response|resource)\b", re.IGNORECASE | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A record cut out of the stream, whole but for what is above the limit, or its problem."""

    head: bytes
    body: bytes = b""
    problem: str = ""


def read(stream: Unpacked, max_bytes: int) -> Iterator[Record]:
    """A record for every page: responses and resources of HTML, but no errors of the server.

    Of a page no more than `max_bytes` and a header's are read. What is damaged, in the file or
    in a record, is told by records with a `problem`.
    """
    junk = False
    while stream.fill(1):
        while stream.damage and stream.damage[0].at <= stream.position:
            yield damaged_record(stream.damage.popleft())
        blank = len(head := stream.peek(256)) - len(head.lstrip(b"\r\n"))
        if blank:
            stream.take(blank)
        elif not _START.match(head):
            if not junk:
                yield Record("", problem=f"no WARC record at byte {stream.position:,}")
            junk = True
            _to_next(stream)
        else:
            cut = _cut(stream, max_bytes + MAX_HEAD)
            junk = bool(cut.problem)  # what is left of a damaged record is told with it
            if _TYPE.search(cut.head):
                yield from _record(cut, max_bytes)
    yield from map(damaged_record, stream.damage)


def _to_next(stream: Unpacked) -> None:
    """Drop what stands before the next record, or the next damage."""
    place = stream.find(b"WARC/", 1, _STEP)
    size = place if place > 0 else max(stream.fill(_STEP) - 4, 1)
    if stream.damage:
        size = min(size, max(stream.damage[0].at - stream.position, 1))
    stream.take(size)


def _cut(stream: Unpacked, most: int) -> _Cut:
    """Take a record from the stream, `most` bytes of its body; wrong lengths are noticed."""
    head = stream.peek(MAX_HEAD)
    end = re.search(rb"\r?\n\r?\n", head)
    length = _LENGTH.search(head, 0, end.end()) if end else None
    if end is None or length is None:
        stream.take(1)
        return _Cut(head[: end.end() if end else 0], problem="its header has no end, or no length")
    head, size = head[: end.end()], int(length[1])
    whole = len(head) + min(size, most)
    at_hand = stream.fill(whole + 8)
    if stream.damage and stream.damage[0].hurts(stream.position, stream.position + whole):
        damage = stream.damage.popleft()
        stream.take(damage.at - stream.position)
        return _Cut(head, problem=damage.message)
    if at_hand < whole or (size <= most and not _ends(stream, whole)):
        return _Cut(head, problem=_mend(stream, len(head), whole, ended=at_hand < whole))
    body = stream.take(whole)[len(head) :]
    return _Cut(head, body, _skip(stream, size - len(body)))


def _ends(stream: Unpacked, whole: int) -> bool:
    """Whether behind `whole` bytes stands what ends a record: two line ends, or one at least."""
    behind = stream.peek(8, whole)
    ends = (b"\r\n\r\n", b"\n\n", b"\r\nWARC/", b"\nWARC/")
    return not behind.strip(b"\r\n") or behind.startswith(ends)


def _mend(stream: Unpacked, head: int, whole: int, *, ended: bool) -> str:
    """Go on behind a record of wrong length: with the next one inside it, or after it."""
    place = stream.find(b"\nWARC/", head, whole)
    stream.take(place + 1 if place >= 0 else whole)
    if place < 0 and ended:
        return "the file ends inside the record"
    return "its length is wrong"


def _skip(stream: Unpacked, size: int) -> str:
    """Drop the rest of a body; it ends early where a record begins, or the file ends."""
    while size:
        part = min(size, _STEP)
        place = stream.find(b"\r\n\r\nWARC/", 0, part)
        if place >= 0:
            stream.take(place)
            return "its length is wrong"
        taken = len(stream.take(part))
        size -= taken
        if taken < part:
            return "the file ends inside the record"
    return ""


def _record(cut: _Cut, max_bytes: int) -> Iterator[Record]:
    """The page of a record, nothing where it is none.

    A body that is not in the encoding its HTTP header names is taken as it stands.
    """
    found = _ID.search(cut.head)
    name = found[1].decode("utf-8", "replace") if found else "?"
    if cut.problem:
        yield Record(name, problem=cut.problem)
        return
    head = _LENGTH.sub(b"Content-Length: %d" % len(cut.body), cut.head)
    whole = re.sub(rb"\r?\n", b"\r\n", head) + cut.body
    try:
        try:
            found_page = _page(whole, name, max_bytes, "all")
        except OSError:
            found_page = _page(whole, name, max_bytes, "none")
    except (OSError, ValueError) as error:
        found_page = Record(name, problem=f"its HTTP response is damaged: {error}"[:120])
    if found_page:
        yield found_page


def _is_page(one: WarcRecord) -> bool:
    """Whether a record is HTML that the server did not give as an error."""
    told = one.headers.get("WARC-Identified-Payload-Type") or _content_type(one)
    status = one.http_headers.status_code if one.http_headers else 200
    return told.partition(";")[0].strip().lower() in PAGE_TYPES and 200 <= (status or 200) < 300


def _content_type(one: WarcRecord) -> str:
    if one.http_headers:
        return str(one.http_headers.get("Content-Type") or "")
    return str(one.headers.get("Content-Type") or "")


def _page(
    whole: bytes, name: str, max_bytes: int, decoding: Literal["all", "none"]
) -> Record | None:
    """The record of one WARC record, None where it is no page; raises `OSError`."""
    one = next(
        ArchiveIterator(io.BytesIO(whole), _KINDS, auto_decode=decoding, stream_detect=False), None
    )
    if one is None or not _is_page(one):
        return None
    parts, size = [], 0
    while size <= max_bytes and (part := one.reader.read(min(_STEP, max_bytes + 1 - size))):
        parts.append(part)
        size += len(part)
    return Record(
        name,
        b"".join(parts),
        str(one.headers.get("WARC-Target-URI") or "").strip("<> ") or None,
        str(one.headers.get("WARC-Date") or ""),
        str(one.http_charset or ""),
        str(one.headers.get("WARC-Truncated") or ""),
    )
