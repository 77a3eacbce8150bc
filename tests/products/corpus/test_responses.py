"""Tests of `corpus/warc.py`: encodings, early ends, and what crawlers make of them."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Callable

import pytest

from crfclean.products.corpus.warc import Response, read_body, read_response

zstandard = pytest.importorskip("zstandard")
BrotliWriter = pytest.importorskip("fastwarc.stream_io").BrotliWriter

PAGE = b"<html>" + b"".join(b"<p>%d %x</p>" % (n, n**9) for n in range(1, 3_000)) + b"</html>"
LIMIT = 10**6


def brotli(data: bytes) -> bytes:
    packed = io.BytesIO()
    with BrotliWriter(packed) as writer:
        writer.write(data)
    return packed.getvalue()


def bare(data: bytes) -> bytes:
    engine = zlib.compressobj(wbits=-15)
    return engine.compress(data) + engine.flush()


def chunked(data: bytes, end: bytes = b"\r\n", more: bytes = b"") -> bytes:
    parts = (data[at : at + 999] for at in range(0, len(data), 999))
    chunks = (b"%X%s%s%s%s" % (len(part), more, end, part, end) for part in parts)
    return b"".join(chunks) + b"0" + end + end


GZIP = "Content-Encoding: gzip\n"
CHUNKED = "Transfer-Encoding: chunked\n"
ENCODED = {
    "plain": ("", PAGE),
    "gzip": (GZIP, gzip.compress(PAGE)),
    "x-gzip": ("Content-Encoding: X-Gzip\n", gzip.compress(PAGE)),
    "deflate": ("Content-Encoding: deflate\n", zlib.compress(PAGE)),
    "bare deflate": ("Content-Encoding: deflate\n", bare(PAGE)),
    "br": ("Content-Encoding: br\n", brotli(PAGE)),
    "zstd": ("Content-Encoding: zstd\n", zstandard.compress(PAGE)),
    "twice": ("Content-Encoding: gzip, br\n", brotli(gzip.compress(PAGE))),
    "chunked": (CHUNKED, chunked(PAGE)),
    "chunks with extensions": (CHUNKED, chunked(PAGE, more=b"; a=b")),
    "chunks with LF": (CHUNKED, chunked(PAGE, b"\n")),
    "chunked gzip": (CHUNKED + GZIP, chunked(gzip.compress(PAGE))),
    "gzip as transfer": ("Transfer-Encoding: gzip, chunked\n", chunked(gzip.compress(PAGE))),
}
"""Header fields and stored body of a page that is whole."""

STORED = {
    "unpacked": (GZIP + f"Content-Length: {2 * len(PAGE)}\n", PAGE),
    "unpacked br": ("Content-Encoding: br\n", PAGE),
    "unpacked deflate": ("Content-Encoding: deflate\n", PAGE),
    "without chunks": (CHUNKED + GZIP, gzip.compress(PAGE)),
    "without both": (CHUNKED + GZIP, PAGE),
    "unpacked in chunks": (CHUNKED + GZIP, chunked(PAGE)),
    "fields renamed": (f"X-Crawl-Content-Length: {2 * len(PAGE)}\n", PAGE),
    "with a length too small": ("Content-Length: 9\n", PAGE),
    "in an unknown encoding": ("Content-Encoding: utf-8\n", PAGE),
    "with bytes behind": (GZIP, gzip.compress(PAGE) + b"\r\n"),
    "all of a range": (f"Content-Range: bytes 0-{len(PAGE) - 1}/{len(PAGE)}\n", PAGE),
}
"""The same for pages as crawlers store them: Common Crawl, for example, stores no encodings."""


def body_of(fields: str, stored: bytes) -> tuple[bytes, bool]:
    status = "206 Partial Content" if "Range" in fields else "200 OK"
    response = read_response(f"HTTP/1.1 {status}\n{fields}\n".encode() + stored)
    assert response is not None
    return read_body(response, LIMIT)


@pytest.mark.parametrize("name", [*ENCODED, *STORED])
def test_whole_bodies(name: str) -> None:
    assert body_of(*(ENCODED | STORED)[name]) == (PAGE, False)


@pytest.mark.parametrize("name", [name for name in ENCODED if name != "plain"])
@pytest.mark.parametrize("share", [0.5, 0.9])
def test_bodies_that_end_early(name: str, share: float) -> None:
    fields, stored = ENCODED[name]
    body, ends_early = body_of(fields, stored[: int(share * len(stored))])
    assert ends_early
    assert PAGE.startswith(body)
    assert len(body) > 0 or name == "zstd"  # its first block is cut


@pytest.mark.parametrize(
    ("fields", "stored"),
    [
        (f"Content-Length: {len(PAGE) + 1}\n", PAGE),
        (f"Content-Range: bytes 0-99/{len(PAGE)}\n", PAGE[:100]),
        ("Content-Range: bytes 0-99/*\n", PAGE[:100]),
        (f"Content-Range: bytes 5-{len(PAGE) - 1}/{len(PAGE)}\n", PAGE[5:]),
        (CHUNKED, chunked(PAGE)[:-5]),
        (GZIP, gzip.compress(PAGE, mtime=0)[:-8]),
        (GZIP, gzip.compress(PAGE[:9], mtime=0) + gzip.compress(PAGE[9:], mtime=0)[:-8]),
    ],
)
def test_parts_of_bodies(fields: str, stored: bytes) -> None:
    body, ends_early = body_of(fields, stored)
    assert ends_early
    assert body in PAGE


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "chunked"])
def test_a_body_that_cannot_be_decoded(name: str) -> None:
    packed = bytes(range(256)) * 4
    with pytest.raises(ValueError, match=f"its body cannot be decoded as '{name}'"):
        read_body(Response(200, {"content-encoding": name}, packed), LIMIT)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, bare, brotli, zstandard.compress])
def test_a_bomb_is_not_unpacked(pack: Callable[[bytes], bytes]) -> None:
    name = {gzip.compress: "gzip", brotli: "br", zstandard.compress: "zstd"}.get(pack, "deflate")
    response = Response(200, {"content-encoding": name}, pack(bytes(10**8)))
    body, ends_early = read_body(response, LIMIT)
    assert LIMIT < len(body) <= LIMIT + 2**10
    assert not ends_early


def test_a_stack_of_encodings_is_not_unpacked() -> None:
    response = Response(200, {"content-encoding": "gzip," * 6}, gzip.compress(PAGE))
    with pytest.raises(ValueError, match="its body has 6 encodings"):
        read_body(response, LIMIT)


def test_a_header_without_end() -> None:
    with pytest.raises(ValueError, match="its header has no end"):
        read_response(b"HTTP/1.1 200 OK\r\nA: " + b"x" * 10**6)


def test_many_responses_are_read_in_linear_time() -> None:
    response = read_response(b"HTTP/1.1 100 Continue\n\n" * 40_000)
    assert response is not None
    assert (response.status, response.stored) == (100, b"")
