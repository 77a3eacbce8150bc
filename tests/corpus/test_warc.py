"""Tests of `corpus/warc.py`: pages of WARC files, HTTP encodings, wrong lengths, damage."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable

import pytest

from crfclean.corpus.records import Record
from crfclean.corpus.streams import Unpacked

warc = pytest.importorskip("crfclean.corpus.warc", exc_type=ImportError)

HTML = "Content-Type: text/html; charset=iso-8859-2\r\n"
LIMIT = 100_000


def record(  # noqa: PLR0917
    name: int | str,
    body: bytes = b"<p>text</p>",
    http: str = HTML,
    status: str = "200 OK",
    length: int | None = None,
    kind: str = "response",
    **more: str,
) -> bytes:
    """One WARC record; `length` is the one that it tells, if that is wrong."""
    if kind == "response":
        body = f"HTTP/1.1 {status}\r\n{http}\r\n".encode() + body
    head = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:{name}>",
        "WARC-Target-URI": f"https://e.org/{name}",
        "WARC-Date": "2026-01-02T03:04:05Z",
        "Content-Type": "application/http; msgtype=response",
        "Content-Length": str(len(body) if length is None else length),
        **{key.replace("_", "-"): value for key, value in more.items()},
    }
    lines = "".join(f"{key}: {value}\r\n" for key, value in head.items())
    return f"WARC/1.0\r\n{lines}\r\n".encode() + body + b"\r\n\r\n"


def read(data: bytes, max_bytes: int = LIMIT) -> list[Record]:
    return [one.opened for one in warc.read_warc(Unpacked(io.BytesIO(data)), max_bytes)]


def names(found: list[Record]) -> list[str]:
    return [one.id for one in found if not one.problem]


def problems(found: list[Record]) -> list[tuple[str, str]]:
    return [(one.id, one.problem) for one in found if one.problem]


def test_record_of_a_page() -> None:
    expected = Record(
        "<urn:1>",
        b"<p>text</p>",
        "https://e.org/1",
        "2026-01-02T03:04:05Z",
        "iso-8859-2",
        "length",
    )
    assert read(record(1, WARC_Truncated="length")) == [expected]


OTHERS = {
    "revisit": (
        record(2, kind="revisit"),
        "WARC revisit, whose content is in an earlier record",
    ),
    "conversion": (
        record(2, kind="conversion"),
        "WARC conversion, whose page is in another record",
    ),
    "unknown": (record(2, kind="screenshot"), "WARC record of another type"),
    "error of the server": (record(2, status="404 Not Found"), "HTTP status 404"),
    "redirection": (record(2, status="301 Moved"), "HTTP status 301"),
    "image": (record(2, http="Content-Type: image/png\r\n"), "no HTML"),
    "text": (record(2, http="Content-Type: text/plain\r\n"), "no HTML"),
    "image by its bytes": (record(2, WARC_Identified_Payload_Type="image/png"), "no HTML"),
    "resource that is no page": (record(2, kind="resource", Content_Type="text/css"), "no HTML"),
    "content without a type": (record(2, b"%PDF-1.4 \0\1", http=""), "no HTML"),
}


@pytest.mark.parametrize(("other", "reason"), OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_is_no_page_is_left_out_with_its_reason(
    other: bytes, reason: str, pack: Callable[[bytes], bytes]
) -> None:
    found = read(pack(record(1)) + pack(other) + pack(record(3)))
    assert names(found) == ["<urn:1>", "<urn:2>", "<urn:3>"]
    assert [one.left_out for one in found] == ["", reason, ""]


@pytest.mark.parametrize("kind", ["request", "warcinfo", "metadata"])
def test_records_about_the_crawl_are_no_input(kind: str) -> None:
    assert names(read(record(1) + record(2, kind=kind))) == ["<urn:1>"]


@pytest.mark.parametrize("lacks", [b"WARC-Type", b"Content-Type: application", b""])
def test_a_response_is_known_by_its_bytes(lacks: bytes) -> None:
    """A crawler that leaves its types away must not have its HTTP headers read as text."""
    head, _, body = record(1).partition(b"\r\n\r\n")
    lines = [line for line in head.split(b"\r\n") if not (lacks and line.startswith(lacks))]
    found = read(b"\r\n".join(lines) + b"\r\n\r\n" + body)
    assert [(one.data, one.charset) for one in found] == [(b"<p>text</p>", "iso-8859-2")]


CHUNKED = b"5\r\n<p>te\r\n6\r\nxt</p>\r\n0\r\n\r\n"
ENCODED = {
    "gzip": (gzip.compress(b"<p>text</p>"), "Content-Encoding: gzip\r\n", b"<p>text</p>"),
    "chunked": (CHUNKED, "Transfer-Encoding: chunked\r\n", b"<p>text</p>"),
    "said to be gzip": (b"<p>plain</p>", "Content-Encoding: gzip\r\n", b"<p>plain</p>"),
    "said to be chunked": (b"<p>plain</p>", "Transfer-Encoding: chunked\r\n", b"<p>plain</p>"),
    "said to be brotli": (b"<p>plain</p>", "Content-Encoding: br\r\n", b"<p>plain</p>"),
    "unknown": (b"<p>plain</p>", "Content-Encoding: x\r\n", b"<p>plain</p>"),
}


@pytest.mark.parametrize(("body", "header", "data"), ENCODED.values(), ids=ENCODED)
def test_http_encodings(body: bytes, header: str, data: bytes) -> None:
    found = read(record(1, body, HTML + header) + record(2))
    assert [one.data for one in found] == [data, b"<p>text</p>"]


def test_bomb_is_not_unpacked() -> None:
    body = gzip.compress(bytes(10**8))
    (found,) = read(record(1, body, HTML + "Content-Encoding: gzip\r\n"))
    assert len(found.data) == LIMIT + 1


def test_page_that_quotes_a_record_is_one_page() -> None:
    found = read(record(1, b"<pre>\r\n\r\n" + record(9) + b"</pre>") + record(2))
    assert (names(found), problems(found)) == (["<urn:1>", "<urn:2>"], [])
    assert b"urn:9" in found[0].data


# wrong lengths

LENGTHS = {
    "too short": -20,
    "too long": 30,
    "over the next": 500,
    "over all": 10**5,
    "huge": 10**15,
}


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("more", LENGTHS.values(), ids=LENGTHS)
def test_record_of_wrong_length_costs_itself_alone(
    more: int, pack: Callable[[bytes], bytes]
) -> None:
    whole = record(2, b"<p>words</p>" * 9)
    length = len(whole.partition(b"\r\n\r\n")[2]) - 4 + more
    bad = record(2, b"<p>words</p>" * 9, length=length)
    found = read(pack(record(1)) + pack(bad) + pack(record(3)) + pack(record(4)))
    assert names(found) == ["<urn:1>", "<urn:3>", "<urn:4>"]
    assert problems(found) == [("<urn:2>", "the record has another length than its header says")]


# damaged gzip


def noisy(name: int, size: int = 30_000) -> bytes:
    """A record whose page does not pack."""
    return gzip.compress(record(name, random.Random(name).randbytes(size)))


def test_damaged_member_costs_its_record_alone() -> None:
    bad = noisy(2)
    bad = bad[:9_000] + bytes(40) + bad[9_040:]
    found = read(noisy(1) + bad + noisy(3))
    assert names(found) == ["<urn:1>", "<urn:3>"]
    assert problems(found) == [("<urn:2>", "damaged gzip data")]


def test_a_record_that_fastwarc_fails_at_ends_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    read_records = warc.ArchiveIterator

    def fails_at_two(stream: io.BytesIO, *positional: object, **named: object) -> object:
        if b"<urn:2>" in stream.getvalue():
            raise RuntimeError("no such state")
        return read_records(stream, *positional, **named)

    monkeypatch.setattr(warc, "ArchiveIterator", fails_at_two)
    found = read(record(1) + record(2) + record(3))
    assert names(found) == ["<urn:1>", "<urn:3>"]
    assert problems(found) == [("<urn:2>", "its HTTP response is damaged: no such state")]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("seed", range(8))
def test_random_damage_never_raises(seed: int, pack: Callable[[bytes], bytes]) -> None:
    chance = random.Random(seed)
    data = bytearray(b"".join(pack(record(n, chance.randbytes(2_000))) for n in range(20)))
    for _ in range(10):
        data[chance.randrange(len(data))] = chance.randrange(256)
    found = names(read(bytes(data)))
    assert 9 <= len(found) <= 20
    assert len(set(found)) == len(found)


def test_many_records_of_wrong_length_are_read_in_linear_time() -> None:
    data = record(0, length=60_000) * 5_000
    assert len(problems(read(data))) == 5_000
