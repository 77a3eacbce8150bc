"""Tests of `corpus/records.py`: kinds by content, pages of JSONL, what is damaged."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import random
import sys
from pathlib import Path

import pytest

from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.records import (
    JSONL,
    MAX_ESCAPED,
    MAX_SNIFF,
    PAGE,
    WARC,
    MissingFieldError,
    Record,
    file_kind,
    read_jsonl,
)
from crfclean.products.corpus.unpacked import Unpacked
from crfclean.types import CrfcleanError

KINDS = {
    "page": (b"<!doctype html><p>text", PAGE),
    "page in gzip": (gzip.compress(b"<p>text"), PAGE),
    "empty": (b"", PAGE),
    "binary": (bytes(range(256)), PAGE),
    "WARC": (b"WARC/1.0\r\nWARC-Type: warcinfo\r\n", WARC),
    "WARC in gzip": (gzip.compress(b"WARC/1.1\r\nWARC-Type: warcinfo\r\n"), WARC),
    "WARC behind blank lines": (b"\r\n\r\nWARC/1.0\r\n", WARC),
    "page about WARC": (b"<p>WARC/1.0\r\n", PAGE),
    "JSONL": (b'{"id": 1, "html": "<p>"}\n', JSONL),
    "JSONL in xz": (lzma.compress(b'{"html": ""}'), JSONL),
    "JSONL with a mark": (b'\xef\xbb\xbf{"html" : ""}\n', JSONL),
    "JSONL of long lines": (b'{"text": "' + b"x" * 10**5 + b'", "html": ""}\n', JSONL),
    "JSONL whose first page failed": (b'{"text": "html"}\n{"html": ""}\n', JSONL),
    "JSON without the field": (b'{"text": "html"}\n', PAGE),
    "JSON that names the field in a text": (b'{"text": "\\"html\\": 1"}\n', PAGE),
    "script": (b"{html: 1}", PAGE),
    "behind damaged gzip": (b"\x1f\x8b\x08damage" + gzip.compress(b'{"html": ""}'), JSONL),
}


@pytest.mark.parametrize(("data", "kind"), KINDS.values(), ids=KINDS)
def test_kind_is_told_by_content(tmp_path: Path, data: bytes, kind: str) -> None:
    (tmp_path / "x.html").write_bytes(data)
    assert file_kind(tmp_path / "x.html") == kind


OTHER_FIELDS = {
    "one": (b'{"content": "<p>"}\n', '"html"; the first has "content": name the'),
    "two": (
        gzip.compress(b'{"a": 1, "b": "\\"html\\": 1"}'),
        '"html"; the first has "a", "b": name',
    ),
    "a long line": (b'{"content": "' + b"x" * MAX_SNIFF, '"html": name the fields of the page'),
}


@pytest.mark.parametrize(("data", "message"), OTHER_FIELDS.values(), ids=OTHER_FIELDS)
def test_jsonl_with_other_fields_is_no_page(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(data)
    with pytest.raises(MissingFieldError, match=f"^its first lines have no field {message}"):
        file_kind(tmp_path / "x.jsonl")
    assert (
        file_kind(tmp_path / "x.jsonl", Fields("content" if b"content" in data else "b")) == JSONL
    )


# JSONL


ROWS = '{"url": "https://e.org", "html": "<p>"}\n'
ARRAY = "a JSON array, not a page on each line: jq -c '.[]' converts it"
UTF_16 = "UTF-16: convert it to UTF-8 (iconv -f utf-16 -t utf-8)"
CONVERTED = {
    "array": (f"[{ROWS}]".encode(), ARRAY),
    "indented array": (json.dumps([{"html": ""}], indent=2).encode("utf-8-sig"), ARRAY),
    "packed array": (gzip.compress(f"[{ROWS}]".encode()), ARRAY),
    "UTF-16": (ROWS.encode("utf-16"), UTF_16),
    "UTF-16, big end": (("\ufeff" + ROWS).encode("utf-16-be"), UTF_16),
    "array in UTF-16": (f"[\r\n  {ROWS}]".encode("utf-16"), UTF_16),
}


@pytest.mark.parametrize(("data", "message"), CONVERTED.values(), ids=CONVERTED)
def test_other_json_with_pages_is_refused_with_the_reason(
    tmp_path: Path, data: bytes, message: str
) -> None:
    (tmp_path / "x.json").write_bytes(data)
    with pytest.raises(CrfcleanError) as error:
        file_kind(tmp_path / "x.json")
    assert str(error.value) == message


@pytest.mark.parametrize("text", ['[{"name": "html"}]', '["html"]', "[[1], 2]", "[x] {y}"])
@pytest.mark.parametrize("codec", ["utf-8", "utf-16"])
def test_json_without_pages_is_none_of_ours(tmp_path: Path, text: str, codec: str) -> None:
    (tmp_path / "x.json").write_bytes(text.encode(codec))
    assert file_kind(tmp_path / "x.json") == PAGE


def read(data: bytes, fields: Fields = Fields(), max_bytes: int = 10_000) -> list[Record]:
    unread = read_jsonl(Unpacked(io.BytesIO(data)), fields, max_bytes)
    return [record.opened for record in unread]


def lines(*rows: object) -> bytes:
    return b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_fields_of_a_line() -> None:
    row = {"id": 7, "html": "<p>", "url": "https://e.org", "date": "2026", "truncated": "length"}
    expected = Record("7", "<p>", "https://e.org", "2026", truncated="length")
    assert read(lines(row)) == [expected]


@pytest.mark.parametrize("field", ["id", "url"])
@pytest.mark.parametrize(
    ("value", "text"), [("x", "x"), (7, "7"), (7.5, "7.5"), (0, "0"), (None, ""), ("", "")]
)
def test_an_id_is_a_text_or_number(field: str, value: object, text: str) -> None:
    (record,) = read(lines({"html": "<p>", field: value}))
    expected = {"id": "1", "url": ""} | ({field: text} if text else {})
    assert ({"id": record.id, "url": record.url or ""}, record.problem) == (expected, "")


@pytest.mark.parametrize("field", ["id", "url"])
@pytest.mark.parametrize(
    ("value", "what"), [([7], "a list"), ({"$oid": "7"}, "an object"), (False, "true or false")]
)
def test_an_id_of_another_type_is_refused(field: str, value: object, what: str) -> None:
    """It was replaced by the number of the line, without a word."""
    (record,) = read(lines({"html": "<p>", field: value}))
    assert record.problem == f"line 1: {what} in the field {field!r}, which is no text or number"


BAD = {
    "no JSON": (b'{"html": "a', "line 2: no JSON: Invalid control character"),
    "no object": (b'["html"]', "line 2: no JSON object"),
    "no page": (b'{"id": "x"}', "line 2: no text in the field 'html'"),
    "page that is no text": (b'{"html": 5}', "line 2: no text in the field 'html'"),
    "bytes that are no UTF-8": (b'{"html": "\xff"}', "line 2: no JSON: 'utf-8' codec"),
    "too deep": (b"[" * 100_000, "line 2: no JSON"),
    "number without end": (b"1" * 5_000, "line 2: no JSON"),
}


@pytest.mark.parametrize(("bad", "message"), BAD.values(), ids=BAD)
def test_bad_line_costs_itself_alone(bad: bytes, message: str) -> None:
    if bad.startswith(b"1") and sys.version_info < (3, 11):
        pytest.skip("that Python reads any number")
    first, found, last = read(lines({"html": "a"}) + bad + b"\n" + lines({"html": "b"}))
    assert (first.data, last.data) == ("a", "b")
    assert found.problem.startswith(message)
    assert len(found.problem) <= 120
    assert found.id in {"2", "x"}


def test_line_that_is_too_long() -> None:
    most = MAX_ESCAPED * 1_000 + MAX_SNIFF
    long = b'{"html": "' + b"x" * (3 * most) + b'"}\n'
    first, found, last = read(lines({"html": "a"}) + long + lines({"html": "b"}), max_bytes=1_000)
    assert (first.data, last, found.data) == ("a", Record("3", "b"), b"")
    assert found.problem == f"a line of more than {most:,} bytes"


# damage


def members(rows: int, a_member: int) -> list[bytes]:
    """Gzip members of so many lines, whose texts do not pack."""
    chance = random.Random(0)
    told = [lines({"id": f"r{n}", "html": chance.randbytes(3_000).hex()}) for n in range(rows)]
    return [gzip.compress(b"".join(told[at : at + a_member])) for at in range(0, rows, a_member)]


def test_damaged_member_costs_its_lines_alone() -> None:
    parts = members(12, 4)
    parts[1] = parts[1][:4_000] + bytes(50) + parts[1][4_050:]
    found = read(b"".join(parts))
    good = [one.id for one in found if not one.problem]
    assert good[:4] == ["r0", "r1", "r2", "r3"]
    assert good[-4:] == ["r8", "r9", "r10", "r11"]
    assert len(good) < 12
    assert len(set(good)) == len(good)
    (told,) = [one for one in found if one.problem]
    assert (told.id, told.problem.startswith("damaged gzip data, at byte ")) == ("", True)
