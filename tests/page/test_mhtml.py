"""Tests of `page/decode.py`: the page of a web archive."""

from __future__ import annotations

import base64
import gzip
import quopri
from collections.abc import Callable

import pytest

import crfclean
from crfclean.page.decode import decode
from crfclean.page.mhtml import MAX_PART_DEPTH, MAX_PARTS, is_mhtml, read_mhtml

HTML = "<!DOCTYPE html><html><head><title>Žlutý kůň</title></head><body><p>Přívoz</p></body></html>"
URL = "https://example.org/ferry"


def part(kind: str, body: bytes, encoding: str = "", **headers: str) -> bytes:
    lines = [f"Content-Type: {kind}"]
    lines += [f"Content-Transfer-Encoding: {encoding}"] if encoding else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def archive(*parts: bytes, head: str = "", boundary: str = "x--1", kind: str = "related") -> bytes:
    top = f'MIME-Version: 1.0\r\n{head}Content-Type: multipart/{kind}; boundary="{boundary}"'
    mark = b"\r\n--" + boundary.encode()
    return top.encode() + b"\r\n" + mark.join([b"", *(b"\r\n" + one for one in parts), b"--\r\n"])


CHROME = (
    "From: <Saved by Blink>\r\nSnapshot-Content-Location: " + URL + "\r\n"
    "Subject: =?utf-8?Q?=C5=BDlut=C3=BD?=\r\nDate: Sun, 22 Nov 2026 06:00:00 -0000\r\n"
)
QUOTED = part("text/html", quopri.encodestring(HTML.encode()), "quoted-printable")
PICTURE = part("image/png", b"\x89PNG" + bytes(range(256)), "binary", Content_Location="cid:1")
BASE64 = part("text/html; charset=utf-8", base64.encodebytes(HTML.encode()), "base64")
LATIN2 = part("text/html; charset=iso-8859-2", HTML.encode("iso-8859-2"), "8bit")

ARCHIVES = {
    "of Chrome": archive(QUOTED, PICTURE, head=CHROME),
    "with Unix lines": archive(QUOTED, PICTURE, head=CHROME).replace(b"\r\n", b"\n"),
    "base64": archive(BASE64),
    "picture first": archive(PICTURE, QUOTED),
    "charset of the header": archive(LATIN2),
    "of one part": b"MIME-Version: 1.0\r\n" + QUOTED,
    "without its end": archive(QUOTED).removesuffix(b"--\r\n"),
    "blank lines first": b"\r\n\r\n" + archive(QUOTED),
    "parts inside a part": archive(
        part('multipart/alternative; boundary="y"', b"--y\r\n" + QUOTED + b"\r\n--y--")
    ),
}


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_the_page_is_taken(data: bytes, pack: Callable[[bytes], bytes]) -> None:
    page = decode(pack(data))
    assert (page.status, page.html.strip(), page.truncated) == ("ok", HTML, "")


def test_the_library_and_the_command_read_the_same() -> None:
    document = crfclean.clean(ARCHIVES["of Chrome"], model="default")
    assert (document.url, document.blocks.title) == (URL, "Žlutý kůň")
    assert "Přívoz" in document.blocks.texts


PLACES = {
    "of the part": ({"Content_Location": URL}, "", URL),
    "of the archive": ({}, CHROME, URL),
    "of the archive, where the part has none of the web": (
        {"Content_Location": "cid:7"},
        CHROME,
        URL,
    ),
    "folded": ({"Content_Location": "https://example.org/\r\n ferry"}, "", URL),
    "of a file": ({"Content_Location": "file:///C:/ferry.html"}, "", None),
    "none": ({}, "", None),
}


@pytest.mark.parametrize(("headers", "head", "url"), PLACES.values(), ids=PLACES)
def test_url(headers: dict[str, str], head: str, url: str | None) -> None:
    data = archive(part("text/html", HTML.encode(), **headers), head=head)
    assert decode(data).url == url
    assert decode(data, "https://given.example/").url == "https://given.example/"


def test_start_names_the_page() -> None:
    frame = part("text/html", b"<p>frame</p>", Content_ID="<1@x>")
    page = part("text/html", b"<p>page</p>", Content_ID="<2@x>")
    data = archive(frame, page).replace(b"related;", b'related; start="<2@x>";')
    assert decode(data).html == "<p>page</p>"
    assert decode(data.replace(b"<2@x>", b"<3@x>", 1)).html == "<p>frame</p>"


NO_ARCHIVES = {
    "a page": HTML.encode(),
    "a page about archives": b"<pre>MIME-Version: 1.0\nContent-Type: multipart/related; x</pre>",
    "a mail of plain text": b"MIME-Version: 1.0\nContent-Type: text/plain\n\n<p>x</p>",
    "an answer of HTTP": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x</p>",
    "headers of a page, without MIME": b"Content-Type: text/html\n\n<p>x</p>",
    "the words in a body": b"Subject: x\n\nContent-Type: multipart/related",
    "YAML": b"title: multipart/related\n",
    "nothing": b"",
}


@pytest.mark.parametrize("data", NO_ARCHIVES.values(), ids=NO_ARCHIVES)
def test_other_files_are_no_archives(data: bytes) -> None:
    assert not is_mhtml(data)
    assert not is_mhtml(data.decode())
    assert not is_mhtml(b" \r\n\v\f" + data)


def test_parts_are_bounded() -> None:
    many = [part("text/css", b"")] * (MAX_PARTS + 1)
    assert read_mhtml(archive(*many, QUOTED)) is None
    nested = QUOTED
    for depth in range(MAX_PART_DEPTH + 5):
        mark = f"b{depth}b".encode()
        body = b"--" + mark + b"\r\n" + nested + b"\r\n--" + mark + b"--"
        nested = part(f'multipart/related; boundary="{mark.decode()}"', body)
    assert read_mhtml(nested) is None


HOSTILE = {
    "marks": archive(b"") + b"\n--x--1" * 300_000,
    "empty lines": archive(b"\r\n" * 2_000_000),
    "headers": b"a: b\n" * 500_000,
    "one long header": b"Content-Type: multipart/related; boundary=" + b"x; " * 700_000,
    "percent signs": archive(part("text/html; charset*0*=%" + "%" * 5_000, HTML.encode())),
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_hostile_archives_take_linear_time(data: bytes) -> None:
    """Work that grows with the square of these sizes would take hours."""
    assert decode(data).status in {"ok", "empty", "not-html", "mhtml-error"}
