"""Read the page of a web archive (MHTML, as browsers save it)."""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from email.message import Message


ARCHIVE_HEAD_BYTES = 65_536  # of the headers of an archive or a part
MAX_PARTS = 10_000  # searched for the page: a page has at most hundreds of pictures
MAX_PART_DEPTH = 8  # of parts inside parts: mail programs need three

_FIRST_HEADER = re.compile(rb"(?:From [^\n]*\n)?[a-z0-9-]{1,60}:[ \t\r\n]", re.IGNORECASE)
_TAG = re.compile(rb"[ \t\n\r\v\f]*<")
_TAG_OF_TEXT = re.compile(r"[ \t\n\r\v\f]*<")
_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_ARCHIVE = re.compile(rb"^content-type:\s*[\"']?multipart/related\b", re.IGNORECASE | re.MULTILINE)
_LONE_PAGE = re.compile(
    rb"^content-type:\s*[\"']?(?:text/html|multipart/(?:mixed|alternative))\b",
    re.IGNORECASE | re.MULTILINE,
)
_MIME = re.compile(rb"^mime-version:", re.IGNORECASE | re.MULTILINE)
_WEB = re.compile(r"https?://\S+\Z", re.IGNORECASE)

_PAGE_TYPES = frozenset(["text/html", "application/xhtml+xml"])
_DECODERS: Mapping[str, Callable[[bytes], bytes]] = {
    "quoted-printable": binascii.a2b_qp,
    "base64": binascii.a2b_base64,
}
"""Transfer encoding -> its decoder; other encodings do not change the bytes."""


class ArchivedPage(NamedTuple):
    """The page of a web archive: its bytes, the charset of its header, its URL ("" if none)."""

    html: bytes
    charset: str = ""
    url: str = ""


class _Part(NamedTuple):
    """A part of an archive: its headers, and its bytes as they are transferred."""

    head: Message
    body: bytes

    @property
    def is_page(self) -> bool:
        """True if the part is a page."""
        return self.head.get_content_type() in _PAGE_TYPES

    @property
    def location(self) -> str:
        """The URL of the part, "" if it names no web address."""
        names = ("Content-Location", "Snapshot-Content-Location")
        places = ("".join(str(self.head.get(name, "")).split()) for name in names)
        return next((place for place in places if _WEB.match(place)), "")


def is_mhtml(data: bytes | str) -> bool:
    r"""Return whether data begins with the headers of a web archive.

    Most pages begin with a tag, and headers do not.

    >>> is_mhtml(b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=x\r\n\r\n--x")
    True
    >>> is_mhtml(b"<p>Content-Type: multipart/related</p>")
    False
    """
    if _TAG.match(data) if isinstance(data, bytes) else _TAG_OF_TEXT.match(data):
        return False
    start = data[:ARCHIVE_HEAD_BYTES]
    head = start if isinstance(start, bytes) else start.encode("utf-8", "replace")
    head = head[:ARCHIVE_HEAD_BYTES].lstrip()
    if not _FIRST_HEADER.match(head):
        return False
    end = _END_OF_HEAD.search(head)
    head = head[: end.start()] if end else head
    return bool(_ARCHIVE.search(head) or (_MIME.search(head) and _LONE_PAGE.search(head)))


def read_mhtml(data: bytes) -> ArchivedPage | None:
    """Return the page of a web archive; None if it has none, or is damaged.

    The page is the part that the parameter `start` names, else the first HTML part.
    """
    archive = _part(data.lstrip())
    page = _page(archive)
    if page is None:
        return None
    decoder = _DECODERS.get(str(page.head.get("Content-Transfer-Encoding", "")).strip().lower())
    try:
        html = decoder(page.body) if decoder else page.body
    except binascii.Error:  # base64 of a wrong length
        return None
    charset = page.head.get_content_charset() or ""
    return ArchivedPage(html, charset, page.location or archive.location)


def _page(part: _Part) -> _Part | None:
    """Find the page among the parts of an archive, then among those of its first, and so on."""
    for _ in range(MAX_PART_DEPTH):
        if part.is_page:
            return part
        start = part.head.get_param("start")
        parts = list(_parts(part))
        named = (
            other
            for other in parts
            if start and str(other.head.get("Content-ID", "")).strip() == start
        )
        root = next(named, None) or next((other for other in parts if other.is_page), None)
        inner = (other for other in parts if other.head.get_content_maintype() == "multipart")
        root = root or next(inner, None)
        if root is None:
            return None
        part = root
    return None


def _parts(part: _Part) -> Iterator[_Part]:
    """Yield the parts between the boundaries of a part; a missing end counts as a boundary."""
    boundary = part.head.get_boundary()
    if not boundary or part.head.get_content_maintype() != "multipart":
        return
    mark = re.escape(boundary.encode("latin-1", "replace"))
    marks = re.finditer(rb"(?:\A|\r?\n)--" + mark + rb"(--)?[ \t]*\r?(?=\n|\Z)", part.body)
    start = next(marks, None)
    for _ in range(MAX_PARTS):
        if start is None or start[1]:
            return
        end = next(marks, None)
        yield _part(part.body[start.end() : end.start() if end else None].lstrip(b"\r\n"))
        start = end


def _part(data: bytes) -> _Part:
    """Split a part at the empty line after its headers."""
    from email.parser import BytesHeaderParser  # only web archives need it

    end = _END_OF_HEAD.search(data, 0, ARCHIVE_HEAD_BYTES)
    head = data[: end.start()] if end else data[:ARCHIVE_HEAD_BYTES]
    body = data[end.end() :] if end else b""
    return _Part(BytesHeaderParser().parsebytes(head), body)
