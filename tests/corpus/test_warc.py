"""Tests of `corpus/warc.py`: pages of WARC files, HTTP encodings, wrong lengths, damage."""

from __future__ import annotations

import gzip
import io
import pickle
import random
from collections.abc import Callable

import pytest

from crfclean.corpus.record import Record
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


def test_url_in_brackets() -> None:
    (found,) = read(record(1, WARC_Target_URI="<https://e.org/x>"))
    assert found.url == "https://e.org/x"


OTHERS = {
    "request": record(2, kind="request"),
    "warcinfo": record(2, kind="warcinfo"),
    "revisit": record(2, kind="revisit"),
    "conversion": record(2, kind="conversion"),
    "error of the server": record(2, status="404 Not Found"),
    "redirection": record(2, status="301 Moved"),
    "image": record(2, http="Content-Type: image/png\r\n"),
    "text": record(2, http="Content-Type: text/plain\r\n"),
    "image by its bytes": record(2, WARC_Identified_Payload_Type="image/png"),
    "resource that is no page": record(2, kind="resource", Content_Type="text/css"),
}


@pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_what_is_no_page_is_left_out(other: bytes, pack: Callable[[bytes], bytes]) -> None:
    found = read(pack(record(1)) + pack(other) + pack(record(3)))
    assert (names(found), problems(found)) == (["<urn:1>", "<urn:3>"], [])


PAGES = {
    "XHTML": record(2, http="Content-Type: application/xhtml+xml\r\n"),
    "in capitals": record(2, http="content-TYPE: Text/HTML\r\n"),
    "of no type": record(2, http="Server: x\r\n"),
    "by its bytes": record(
        2, http="Content-Type: text/plain\r\n", WARC_Identified_Payload_Type="text/html"
    ),
    "resource": record(2, kind="resource", Content_Type="text/html"),
    "no reason": record(2, status="200"),
}


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_what_is_a_page(page: bytes) -> None:
    (found,) = read(page)
    assert (found.id, found.data, found.problem) == ("<urn:2>", b"<p>text</p>", "")


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


def sure(data: bytes) -> list[bool]:
    """Whether the records are left to workers."""
    return [each.read is not None for each in warc.read_warc(Unpacked(io.BytesIO(data)), LIMIT)]


def test_what_is_surely_a_page_is_opened_later() -> None:
    late = record(1) + record(1, b"x", "Set-Cookie: a\r\nSet-Cookie: b\r\n" + HTML)
    early = [
        record(2, http="Server: x\r\n"),
        record(2, http=HTML + HTML),
        record(2, http=HTML + " and more\r\n"),
        record(2, http=HTML + "Server: é\r\n"),
        record(2, kind="resource", Content_Type="text/html"),
        record(2, WARC_Identified_Payload_Type="text/html"),
        record(2, status="200\n"),
    ]
    assert sure(late) == [True, True]
    assert not any(map(any, map(sure, early)))


def test_what_is_surely_a_page_is_one() -> None:
    chance = random.Random(3)
    sound = record(1, http=f"Server: x\r\n{HTML}Content-Encoding: gzip\r\n")
    parts = [b"\r\n", b"\n", b" ", b":", b"4", b"text/css", b""]
    late = 0
    for _ in range(5_000):
        data = bytearray(sound)
        for _ in range(chance.randrange(1, 3)):
            place = chance.randrange(len(data) - 20)
            data[place : place + chance.randrange(3)] = chance.choice(parts)
        whole = bytes(data)
        head = whole.find(b"\r\n\r\n") + 4
        if warc._is_surely_page(whole[:head], whole[head:]):
            late += 1
            assert warc._opened(whole[:head], whole[head:], "x", LIMIT) is not None
    assert late > 500


def test_a_record_travels_unopened() -> None:
    (late,) = warc.read_warc(Unpacked(io.BytesIO(record(1))), LIMIT)
    assert (late.id, late.data, late.size) == (
        "<urn:1>",
        b"",
        len(record(1)) - record(1).index(b"HTTP/1") - 4,
    )
    assert pickle.loads(pickle.dumps(late)).opened == read(record(1))[0]


def test_bomb_is_not_unpacked() -> None:
    body = gzip.compress(bytes(10**8))
    (found,) = read(record(1, body, HTML + "Content-Encoding: gzip\r\n"))
    assert len(found.data) == LIMIT + 1


def test_page_above_the_limit_is_cut() -> None:
    found = read(record(1, b"x" * 3 * 10**6) + record(2))
    assert [one.problem for one in found] == ["", ""]
    assert [len(one.data) for one in found] == [LIMIT + 1, 11]


@pytest.mark.parametrize("ends", [b"", b"\r\n", b"\r\n" * 9])
def test_ends_of_records_may_differ(ends: bytes) -> None:
    one = record(1).rstrip(b"\r\n")
    found = read(one + b"\r\n" + ends + record(2) + ends)
    assert (names(found), problems(found)) == (["<urn:1>", "<urn:2>"], [])


def test_lines_may_end_as_on_unix() -> None:
    data = b"WARC/1.0\nWARC-Type: resource\nContent-Type: text/html\nContent-Length: 3\n\n<p>\n\n"
    (found,) = read(data)
    assert (found.id, found.data) == ("?", b"<p>")


def test_nothing_in_nothing() -> None:
    assert read(b"") == read(b"\r\n\r\n") == []


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
    assert problems(found) == [("<urn:2>", "its length is wrong")]


@pytest.mark.parametrize("cut", [10, 200, 320])
def test_file_that_ends_inside_a_record(cut: int) -> None:
    found = read(record(1) + record(2, b"<p>words</p>" * 9)[:cut])
    assert names(found) == ["<urn:1>"]
    assert len(problems(found)) <= 1
    assert cut < 300 or problems(found) == [("<urn:2>", "the file ends inside the record")]


def test_last_record_of_wrong_length() -> None:
    found = read(record(1) + record(2, length=10**12))
    assert problems(found) == [("<urn:2>", "the file ends inside the record")]


def test_record_without_length() -> None:
    bad = record(2).replace(b"Content-Length", b"Content-Lungth")
    found = read(record(1) + bad + record(3))
    assert names(found) == ["<urn:1>", "<urn:3>"]
    assert [one.problem for one in found if one.problem]


def test_junk_between_records() -> None:
    found = read(record(1) + b"junk of WARC/ kind\r\n" * 9_999 + record(2))
    assert names(found) == ["<urn:1>", "<urn:2>"]
    assert len(problems(found)) == 1


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


@pytest.mark.parametrize("size", [100, 8_000, 30_000, 50_000])
def test_wrong_checksum_costs_its_record(size: int) -> None:
    bad = bytearray(noisy(2, size))
    bad[-6] ^= 1
    found = read(noisy(1) + bytes(bad) + noisy(3))
    assert names(found) == ["<urn:1>", "<urn:3>"]
    assert len(problems(found)) == 1


def test_member_that_begins_damaged_leaves_the_one_before() -> None:
    found = read(noisy(1) + b"\x1f\x8b\x08" + bytes(20) + noisy(3))
    assert names(found) == ["<urn:1>", "<urn:3>"]
    assert len(problems(found)) == 1


def test_packed_file_that_ends_too_early() -> None:
    found = read(noisy(1) + noisy(2)[:10_000])
    assert names(found) == ["<urn:1>"]
    assert problems(found) == [("<urn:2>", "the file ends inside its gzip data")]


def test_member_of_many_records() -> None:
    data = gzip.compress(b"".join(record(number) for number in range(50)))
    assert names(read(data)) == [f"<urn:{number}>" for number in range(50)]


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
