"""Tests of `corpus/shards.py`: members that are packed, and written while others wait."""

from __future__ import annotations

import gzip
import pickle
from pathlib import Path

import pytest

from crfclean.corpus.jobs import Job
from crfclean.corpus.page_tasks import OpenShard, TaskQueue, packing_task
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.shards import MEMBER_RECORDS, Member, Shard, State, pack
from crfclean.corpus.tasks import Task

LINES = [b'{"id": "%d"}\n' % number for number in range(3 * MEMBER_RECORDS + 7)]


def filled(shard: Shard, lines: list[bytes]) -> list[Member]:
    """The members that lines fill, left to wait."""
    members = [shard.fill(line, "ok") for line in lines]
    return [member for member in members if member is not None]


def test_a_member_is_its_lines() -> None:
    member = Member("jsonl.gz", (b"a\n", b"b\n"), State())
    assert pack((member.ending, b"a\nb\n")) == member.packed
    assert gzip.decompress(pickle.loads(pickle.dumps(member)).packed) == b"a\nb\n"


@pytest.mark.parametrize("ending", ["jsonl.gz", "jsonl.xz", "csv"])
def test_members_that_waited_give_the_same_bytes(tmp_path: Path, ending: str) -> None:
    at_once, later = (tmp_path / f"{name}.{ending}" for name in ("at_once", "later"))
    shard = Shard(at_once, ending, {})
    for line in LINES:
        shard.add(line, "ok")
    shard.finish()
    shard = Shard(later, ending, {})
    members = filled(shard, LINES)
    assert [len(member.lines) for member in members] == [MEMBER_RECORDS] * 3
    for member in members:
        shard.write(member, member.packed)
    shard.finish()
    assert later.read_bytes() == at_once.read_bytes()


def test_members_before_one_that_is_packed_are_written_first(tmp_path: Path) -> None:
    shard = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {})
    members = filled(shard, LINES)
    shard.write(members[1], members[1].packed)
    shard.write(members[0], b"too late: it is written already")
    assert list(shard.written_lines()) == LINES
    shard.finish()
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == b"".join(LINES)


def test_lines_that_wait_are_done_when_a_run_is_left(tmp_path: Path) -> None:
    shard = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {})
    filled(shard, LINES)
    shard.leave()
    shard = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {}, ResumeParams(resume=True))
    assert shard.state.records == len(LINES)
    shard.finish()
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == b"".join(LINES)


def test_what_is_not_packed_yet_is_done_again_after_a_kill(tmp_path: Path) -> None:
    killed = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {})
    first, *_ = filled(killed, LINES)
    killed.write(first, first.packed)
    killed.drop()
    shard = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {}, ResumeParams(resume=True))
    assert (shard.state.records, shard.state.counts["ok"]) == (MEMBER_RECORDS, MEMBER_RECORDS)
    shard.drop()


def test_tasks_that_come_up_go_first(tmp_path: Path) -> None:
    shard = Shard(tmp_path / "x.jsonl.gz", "jsonl.gz", {})
    (member,) = filled(shard, LINES[:MEMBER_RECORDS])
    output = OpenShard(Job(None, tmp_path / "x.jsonl.gz"), shard, 0)
    task = packing_task(output, shard, member)
    queue = TaskQueue(iter([Task("page", 1), Task("end", 2)]))
    assert next(queue).about == "page"
    queue.urgent.append(task)
    assert next(queue) is task
    assert [each.about for each in queue] == ["end"]
    queue.urgent.append(task)
    assert next(queue, None) is task
    assert next(queue, None) is None
    shard.abandon()
