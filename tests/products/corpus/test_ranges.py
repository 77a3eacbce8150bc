"""Tests of `corpus/inputs.py`: parts of files have the records of the whole, whatever is in it."""

from __future__ import annotations

import gzip
import json
import os
import random
import shutil
import zlib
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, PARAMS
from doubles import Obeys
from jobplans import clean_shard, shard_job, small_parts
from warcs import ATTACKS, record, torn

from crfclean.products.corpus import inputs as ranges
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.duplicates import Signer
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.inputs import FileRange, RangeReader, ranges_or_records
from crfclean.products.corpus.jobs import Result
from crfclean.products.corpus.params import PageLimits
from crfclean.products.corpus.records import Record

CHANGED = "changed while it was read: --resume repeats its parts"
SMALL = 1_000  # bytes of a range: a few records


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    small_parts(monkeypatch, SMALL)


def page(number: int, more: str = "") -> bytes:
    noise = random.Random(number).randbytes(90).hex()
    return f"{GOOD}<p>This is page {number} of many, {noise}.</p>{more}".encode()


def members(count: int) -> list[bytes]:
    statuses = ("200 OK", "404 Not Found", "200 OK")
    return [record(f"https://e.org/{n}", page(n), statuses[n % 3]) for n in range(count)]


def plain(packed: list[bytes]) -> bytes:
    return b"".join(map(gzip.decompress, packed))


def stored(data: bytes) -> bytes:
    """A gzip member in which the bytes stand as they are: what is packed in them, too."""
    engine = zlib.compressobj(0, zlib.DEFLATED, 31)
    return engine.compress(data) + engine.flush()


def quoting(wrap: Any) -> list[bytes]:
    """Records of which some are pages about WARC files, with whole records in them."""
    inner = b"".join(members(20))
    texts = gzip.decompress(record("https://inner.org/", page(99)))
    http = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
    found = list(map(gzip.decompress, members(12)))
    for place in (3, 7):
        body = http + GOOD.encode() + b"<pre>\n\n" + (texts * 6 if wrap is bytes else inner)
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:quote:{place}>\r\n"
            "WARC-Target-URI: https://e.org/quote\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(body)}\r\n"
        )
        found.insert(place, head.encode() + b"\r\n" + body + b"\r\n\r\n")
    return [wrap(each) for each in found]


FILES: dict[str, bytes] = {
    "packed": b"".join(members(60)),
    "plain": plain(members(60)),
    "one member": gzip.compress(plain(members(60))),
    "members of several records": b"".join(
        gzip.compress(plain(members(60)[start : start + 7])) for start in range(0, 60, 7)
    ),
    "quotes, packed": b"".join(quoting(stored)),
    "quotes, plain": b"".join(quoting(bytes)),
    "quotes, each page twice": b"".join(each * 2 for each in quoting(stored)),
    "torn": b"".join(members(20)) + torn(b"x" * 9_000, 3_000) + b"".join(members(60)[20:]),
    "cut off": b"".join(members(30))[:-40],
    "junk": b"".join(members(9)) + b"junk" * 2_000 + b"".join(members(30)[9:]),
    "empty": b"",
    "no WARC": b"nothing of the kind" * 900,
    **{name: attack[:100_000] for name, attack in ATTACKS.items()},
}


SEVERAL = "starts of headers without length"
"""Junk that is told once by each range, where one reader tells it once."""


def told(records: list[Record]) -> list[Any]:
    """What is compared of records: without the places of damage, which are counted by ranges."""
    return [
        (each.id, each.data, each.url, each.left_out, each.problem.partition(" at byte ")[0])
        for each in records
    ]


def chained(path: Path) -> list[Record]:
    """The records of a file by its ranges, as a run reads them: wrong cuts are passed over."""
    records, place = list[Record](), 0
    for piece in ranges_or_records(path, 10**6, SMALL):
        if isinstance(piece, Record):
            records.append(piece.opened)
            continue
        if piece.stop is not None and piece.stop <= place:
            continue
        reader = RangeReader(piece._replace(start=max(place, piece.start)), 10**6)
        records += [record.opened for record in reader.records()]
        place = reader.end or 10**9
    return records


def whole_file(path: Path) -> list[Record]:
    reader = RangeReader(FileRange(path, ranges.file_state(path)), 10**6)
    return [record.opened for record in reader.records()]


@pytest.mark.parametrize("name", FILES)
def test_ranges_have_the_records_of_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(FILES[name])
    by_ranges, whole = told(chained(path)), told(whole_file(path))
    assert by_ranges == whole or (name == SEVERAL and by_ranges[:1] == whole)


@pytest.mark.parametrize("name", ["packed", "plain", "members of several records"])
def test_files_are_cut_where_records_begin(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(FILES[name])
    pieces = list(ranges_or_records(path, 10**6, SMALL))
    assert len(pieces) > 5
    for piece in pieces:
        assert isinstance(piece, FileRange)
        reader = RangeReader(piece, 10**6)
        assert sum(1 for _ in reader.records()) >= 1
        assert reader.end == piece.stop


def test_a_file_without_cuts_is_no_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.warc.gz"
    path.write_bytes(FILES["one member"])
    monkeypatch.setattr(ranges, "MAX_SIZES", 5)
    pieces = list(ranges_or_records(path, 10**6, SMALL))
    assert len(pieces) == 60
    assert all(isinstance(piece, Record) and piece.read is not None for piece in pieces)


COMPARED = replace(PARAMS, signer=Signer("exact"))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        *((name, PARAMS) for name in ("packed", "quotes, packed", "quotes, plain", "torn", "junk")),
        ("quotes, each page twice", COMPARED),
    ],
)
def test_shards_are_the_same_however_they_are_read(
    tmp_path: Path, name: str, params: BatchParams, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By ranges, by records of one range, and by two workers."""
    path = tmp_path / "x.warc.gz"
    path.write_bytes(FILES[name])
    if params is COMPARED:  # parts that begin at wrong cuts have duplicates behind them
        small_parts(monkeypatch, 2_500)
    counts = [clean_shard(path, tmp_path / "0.jsonl", params, 0)]
    if name in {"quotes, packed", "torn"}:
        counts.append(clean_shard(path, tmp_path / "2.jsonl", params, 2))
    small_parts(monkeypatch, 10**6)
    counts.append(clean_shard(path, tmp_path / "whole.jsonl", params, 0))
    shards = {(file.read_bytes()) for file in tmp_path.glob("*.jsonl")}
    assert len(shards) == 1
    assert all(count == counts[0] for count in counts)


def test_what_loses_a_range_loses_its_page_alone(tmp_path: Path) -> None:
    orders = {5: "segfault", 18: "hang", 19: "exit"}
    packed = [
        record(f"https://e.org/{n}", f"<p>{orders.get(n, 'Home')}</p>".encode() + page(n))
        for n in range(48)
    ]
    path, target = tmp_path / "x.warc.gz", tmp_path / "out.jsonl"
    path.write_bytes(b"".join(packed))
    operation = BatchParams(Obeys(), limits=PageLimits(max_seconds=0.5))
    results = list[Result](clean_batch([shard_job(path, target)], operation, 2))
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["url"] for row in rows] == [f"https://e.org/{n}" for n in range(48)]
    lost = {n: row["status"] for n, row in enumerate(rows) if row["status"] != "ok"}
    assert lost == {5: "crashed", 18: "over-time", 19: "crashed"}
    assert Counter(result.status for result in results) == {"ok": 45, "crashed": 2, "over-time": 1}


@pytest.mark.parametrize("is_replaced", [True, False])
@pytest.mark.parametrize("name", ["x.warc.gz", "x.jsonl"])
def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, name: str, *, is_replaced: bool
) -> None:
    """Its rows would be a mix of two corpora; the second has the same size here."""
    path, other, target = tmp_path / name, tmp_path / "other", tmp_path / "out.jsonl"
    lines = (json.dumps({"html": page(n).decode()}) + "\n" for n in range(200))
    path.write_bytes(FILES["packed"] if name == "x.warc.gz" else "".join(lines).encode())
    results = clean_batch([shard_job(path, target)], PARAMS, 0)
    next(results)
    shutil.copy(path, other)
    if is_replaced:
        shutil.copystat(path, other)
        other.replace(path)
    else:
        path.write_bytes(other.read_bytes())
        os.utime(path, ns=(0, 1))
    *others, last = results
    assert len(others) < 20 or name == "x.jsonl"  # the next range is not read
    assert (last.status, last.name) == ("failed", str(path))
    assert last.message == f"cannot be read: {path} {CHANGED}"
    assert not target.exists()


@pytest.mark.parametrize("workers", [0, 1])
def test_the_file_is_compared_once_more_at_the_end(tmp_path: Path, workers: int) -> None:
    """Every range was read before the change, the last one perhaps not to its end."""
    path, target = tmp_path / "x.warc.gz", tmp_path / "out.jsonl"
    path.write_bytes(FILES["packed"][:SMALL])
    results = clean_batch([shard_job(path, target)], PARAMS, workers)
    next(results)
    os.utime(path, ns=(0, 1))
    *_, last = results
    assert last.message.endswith(f"{path} {CHANGED}")
