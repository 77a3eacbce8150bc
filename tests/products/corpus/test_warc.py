"""Tests of `corpus/warc.py`: pages of WARC files, cut pages, wrong lengths, damage."""

from __future__ import annotations

import gzip
import io
import random
import re
from collections.abc import Callable

import pytest

from crfclean.products.corpus import warc
from crfclean.products.corpus.records import Record
from crfclean.products.corpus.unpacked import Unpacked
from crfclean.products.corpus.warc import Response

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
    (found,) = read(record(1, WARC_Truncated="length"))
    assert found._replace(extra={}) == expected
    assert found.carried("WARC-Truncated") == "length"


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


CUT_LENGTH = HTML + "Content-Length: 900\r\n"
CUTS = {
    "by nothing": (record(1), ""),
    "by the crawler": (record(1, WARC_Truncated="time"), "time"),
    "by the server": (record(1, http=CUT_LENGTH), "http"),
    "by both": (record(1, http=CUT_LENGTH, WARC_Truncated="disconnect"), "disconnect,http"),
    "into records": (record(1, WARC_Segment_Number="1"), "http"),
    "here": (record(1, b"1\r\nx\r\n" * LIMIT, HTML + "Transfer-Encoding: chunked\r\n"), "bytes"),
}


@pytest.mark.parametrize(("data", "reason"), CUTS.values(), ids=CUTS)
def test_what_cut_a_page(data: bytes, reason: str) -> None:
    assert [one.truncated for one in read(data)] == [reason]


HEADLESS = {
    "no fields": b"HTTP/1.1 200 OK\r\n\r\n",
    "no fields, no empty line": b"HTTP/1.1 200 OK\n",
    "lines that end with LF": b"HTTP/1.1 200 OK\nContent-Type: text/html\n\n",
    "another response before": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
    "HTTP/2": b"h2 200\r\ncontent-type: text/html\r\n\r\n",
    "no header": b"",
    "a type and no semicolon": b"HTTP/1.1 200 OK\r\nContent-Type: text/html charset=x\r\n\r\n",
}


@pytest.mark.parametrize("http", HEADLESS.values(), ids=HEADLESS)
def test_pages_below_unusual_headers(http: bytes) -> None:
    page = b"<!DOCTYPE html><p>HTTP/1.1 100</p>"
    head, _, _ = record(1).partition(b"\r\n\r\n")
    head = re.sub(rb"(?<=Length: )\d+", str(len(http + page)).encode(), head)
    (found,) = read(head + b"\r\n\r\n" + http + page + b"\r\n\r\n")
    assert (found.data, found.left_out, found.problem) == (page, "", "")


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


def test_a_record_that_a_library_fails_at_ends_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    read_body = warc.read_body

    def fails_at_two(response: Response, max_bytes: int) -> tuple[bytes, bool]:
        if response.stored == b"<p>two</p>":
            raise RuntimeError("no such state")
        return read_body(response, max_bytes)

    monkeypatch.setattr(warc, "read_body", fails_at_two)
    found = read(record(1) + record(2, b"<p>two</p>") + record(3))
    assert names(found) == ["<urn:1>", "<urn:3>"]
    assert problems(found) == [("<urn:2>", "its HTTP response cannot be read: no such state")]


def test_many_records_of_wrong_length_are_read_in_linear_time() -> None:
    data = record(0, length=60_000) * 5_000
    assert len(problems(read(data))) == 5_000
