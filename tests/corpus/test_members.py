"""Tests of `corpus/shards.py`: members that are packed while later records are added."""

from __future__ import annotations

import gzip
from pathlib import Path
from threading import Event

import pytest

from crfclean.corpus import shards
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.shards import MEMBER_RECORDS, Shard

LINES = [b'{"id": "%d"}\n' % number for number in range(3 * MEMBER_RECORDS + 7)]


@pytest.fixture
def may_pack(monkeypatch: pytest.MonkeyPatch) -> Event:
    """An event that packing waits for."""
    event = Event()

    def pack(data: bytes) -> bytes:
        event.wait(10)
        return gzip.compress(data, mtime=0)

    monkeypatch.setitem(shards.PACKERS, "jsonl.gz", pack)  # type: ignore[arg-type]
    return event


def filled(target: Path) -> Shard:
    """A shard with three full members and some lines."""
    shard = Shard(target, "jsonl.gz", {})
    for line in LINES:
        shard.add(line, "ok")
    return shard


def test_members_that_wait_are_part_of_the_shard(tmp_path: Path, may_pack: Event) -> None:
    shard = filled(tmp_path / "x.jsonl.gz")
    assert list(shard.written_lines()) == LINES
    may_pack.set()
    shard.finish()
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == b"".join(LINES)


def test_lines_that_wait_are_done_when_a_run_is_left(tmp_path: Path, may_pack: Event) -> None:
    shard = filled(tmp_path / "x.jsonl.gz")
    may_pack.set()
    shard.leave()
    shard = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {}, ResumeParams(resume=True))
    assert shard.state.records == len(LINES)
    shard.finish()
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == b"".join(LINES)


def test_what_is_not_packed_yet_is_done_again_after_a_kill(tmp_path: Path, may_pack: Event) -> None:
    killed = filled(tmp_path / "x.jsonl.gz")
    may_pack.set()
    killed.drop()
    shard = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {}, ResumeParams(resume=True))
    assert shard.state.records == 0
    for line in LINES:
        shard.add(line, "ok")
    shard.finish()
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == b"".join(LINES)
