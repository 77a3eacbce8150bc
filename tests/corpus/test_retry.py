"""Tests of `corpus/page_tasks.py`: failed pages are tried again, others kept."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, PARAMS, RESUME, RETRY
from doubles import KeepLong
from jobplans import clean_shard, shard_job
from killing import killed_before

from crfclean.corpus import page_tasks, resume
from crfclean.corpus.clean import TextWriter
from crfclean.corpus.engine import clean_batch
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import PageInput, Result
from crfclean.corpus.page_tasks import RETRIED, is_retried
from crfclean.corpus.records import Fields, Record
from crfclean.corpus.rows import PACKERS, OldRow, read_rows
from crfclean.corpus.shards import Shard
from crfclean.corpus.signatures import Signer
from crfclean.corpus.tasks import PageLimits
from crfclean.structure.parts import DEFAULT_SHOW
from crfclean.types import Blocks, Tags

PLAIN = replace(PARAMS, writer=TextWriter(show=replace(DEFAULT_SHOW, metadata=False)))
CRASHED = ("crashed", "its process ended (SIGSEGV)")
OWN = ("over-blocks", "more than 2 blocks; raise the limit with --max-blocks")
NEEDS = {"jsonl.zst": "zstandard", "parquet": "pyarrow"}


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits for a lock, and members are small."""
    monkeypatch.setattr(resume, "PATIENCE", 0.0)
    monkeypatch.setattr(page_tasks, "SLICE_RECORDS", 4)


def corpus(path: Path, count: int, **pages: str) -> Path:
    """A JSONL file; some of its pages have another text."""
    html = {f"p{n}": f"{GOOD}<p>This is page number {n} of many.</p>" for n in range(count)} | pages
    rows = ({"id": name, "html": page} for name, page in html.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def spoil(target: Path, ending: str, failures: Mapping[str, tuple[str, str]]) -> None:
    """Let rows of a finished shard say that their pages failed."""
    rows = list(read_rows(target, ending))
    target.unlink()
    shard = Shard(target, ending, {})
    for row in rows:
        status, message = failures.get(row.id, ("", ""))
        lost = PLAIN.lost_row(Record(row.id), status, message)
        shard.add(PACKERS[ending](lost if status else row.line), {status or "ok": 1})
    for group in shard.seal():
        shard.join(group.packed())
    shard.publish()


def retry(source: Path, target: Path, operation: Any = PLAIN) -> Counter[str]:
    return clean_shard(source, target, operation, 0, params=RETRY)


def statuses(target: Path) -> list[str]:
    return [json.loads(line)["status"] for line in target.read_text().splitlines()]


@pytest.mark.parametrize("ending", PACKERS)
def test_failed_pages_are_tried_again(tmp_path: Path, ending: str) -> None:
    """The bytes are those of a run in which no page failed; nothing else is left."""
    if ending in NEEDS:
        pytest.importorskip(NEEDS[ending])
    source, target = corpus(tmp_path / "in.jsonl", 11), tmp_path / f"out.{ending}"
    clean_shard(source, target, PLAIN, 0)
    whole = target.read_bytes()
    spoil(target, ending, {"p0": CRASHED, "p5": ("over-time", "late"), "p10": CRASHED})
    assert target.read_bytes() != whole
    assert retry(source, target) == {"ok": 3 + 8}
    assert target.read_bytes() == whole
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", target.name]


def test_rows_of_other_pages_are_kept_byte_for_byte(tmp_path: Path) -> None:
    """Also where a page would give another row now; what failed by itself is not tried."""
    source, target = corpus(tmp_path / "in.jsonl", 6), tmp_path / "out.jsonl"
    clean_shard(source, target, PLAIN, 0)
    spoil(target, "jsonl", {"p1": CRASHED, "p2": OWN, "p3": CRASHED})
    old = target.read_bytes().splitlines()
    odd = old[4].replace(b'"url": null', b'"url":    null')
    target.write_bytes(b"\n".join([*old[:4], odd, *old[5:]]) + b"\n")
    corpus(source, 6, p0="<p>The text of this page has changed.</p>")
    os.utime(source, (1, 1))  # else the whole file would be done again, since it is newer
    assert retry(source, target) == {"ok": 2 + 3, "failed": 1}
    new = target.read_bytes().splitlines()
    assert [new[0], new[2], new[4], new[5]] == [old[0], old[2], odd, old[5]]
    assert statuses(target) == ["ok", "ok", "over-blocks", "ok", "ok", "ok"]


def test_unfinished_shard_is_finished_and_then_retried(tmp_path: Path) -> None:
    """Pages that fail in the same run are not tried twice."""
    source, target = corpus(tmp_path / "in.jsonl", 12), tmp_path / "out.jsonl"
    clean_shard(source, tmp_path / "whole.jsonl", PLAIN, 0)
    results = clean_batch([shard_job(source, target)], PLAIN, 0)
    for _ in range(8):
        next(results)
    results.close()  # type: ignore[attr-defined]
    part = tmp_path / "out.jsonl.part"
    rows = part.read_bytes().splitlines(keepends=True)
    assert len(rows) == 8
    lost = PLAIN.lost_row(Record("p5"), *CRASHED)
    lost = lost.replace(b'"score"', b" " * (len(rows[5]) - len(lost)) + b'"score"')
    part.write_bytes(b"".join([*rows[:5], lost, *rows[6:]]))
    journal = tmp_path / "out.jsonl.journal"
    journal.write_text(journal.read_text().replace('{"ok": 8}', '{"ok": 7, "failed": 1}'))
    found = list(clean_batch([shard_job(source, target)], PLAIN, 0, params=RETRY))
    assert [one.record for one in found if one.record] == ["p8", "p9", "p10", "p11", "p5"]
    counts = Counter[str]()
    for result in found:
        counts.update(result.before or [result.outcome])
    assert counts == {"ok": 12}
    assert target.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


class Fails(KeepLong):
    """A tagger that fails at one page."""

    def tag(self, blocks: Blocks) -> Tags:
        """Fail, or keep the page's long blocks."""
        if "number 5 of" in blocks.texts[-1]:
            raise ValueError("this page")
        return super().tag(blocks)


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_a_stopped_shard_is_made_before_it_is_retried(
    tmp_path: Path, ending: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end is known to workers' pools before its row groups are packed."""
    if ending in NEEDS:
        pytest.importorskip(NEEDS[ending])
    source, target = corpus(tmp_path / "in.jsonl", 12), tmp_path / f"out.{ending}"
    clean_shard(source, tmp_path / f"whole.{ending}", PLAIN, 0)
    monkeypatch.setattr(page_tasks, "RETRIED", {("error", ""): "it is fine now"})
    job, seen = shard_job(source, target), list[Result]()
    failing = replace(PLAIN, tagger=Fails())
    for result in clean_batch([job], failing, 0, stop=lambda: len(seen) >= 8):
        seen.append(result)
    assert Counter(one.status for one in seen) == {"ok": 7, "error": 1}
    assert clean_shard(source, target, PLAIN, 1, params=RETRY) == {"ok": 12}
    assert target.read_bytes() == (tmp_path / f"whole.{ending}").read_bytes()


@pytest.mark.skipif("not hasattr(__import__('os'), 'fork')", reason="no fork")
@pytest.mark.parametrize("again", [RESUME, RETRY])
def test_killed_retries_go_on(tmp_path: Path, again: Any) -> None:
    """The old shard stays until the new one is complete; --resume goes on, too."""
    source, target = corpus(tmp_path / "in.jsonl", 9), tmp_path / "out.jsonl"
    clean_shard(source, target, PLAIN, 0)
    whole = target.read_bytes()
    spoil(target, "jsonl", {"p2": CRASHED, "p7": CRASHED})
    spoiled = target.read_bytes()
    for step in range(100):
        target.write_bytes(spoiled)
        killed = killed_before(step, lambda: retry(source, target))
        assert target.read_bytes() in {spoiled, whole}
        clean_shard(source, target, PLAIN, 0, params=again)
        if again is RESUME and target.read_bytes() == spoiled:  # killed before it began
            clean_shard(source, target, PLAIN, 0, params=RETRY)
        assert target.read_bytes() == whole
        assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", "out.jsonl"]
        if not killed:
            break
    assert step >= 6


# sites


@dataclass(frozen=True)
class Together:
    """Rows that name the pages which were read together."""

    limits: PageLimits = field(default_factory=PageLimits)
    fields: Fields = field(default_factory=Fields)
    site_pages: int = 3
    signer: Signer | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def prepare(self, inputs: tuple[PageInput, ...]) -> None:
        """Do nothing."""

    def make(self, inputs: Sequence[PageInput], records: Sequence[Record]) -> Sequence[Result]:
        """A row for each page."""
        names = " ".join(record.id for record in records)
        return [
            Result(each.job, "ok", record=record.id, line=self.lost_row(record, "ok", names))
            for each, record in zip(inputs, records, strict=True)
        ]

    def lost_row(self, record: Record, status: str, message: str) -> bytes:
        """What is known of a page."""
        return json.dumps({"id": record.id, "status": status, "message": message}).encode() + b"\n"


def test_pages_of_a_site_are_read_again_with_those_that_are_fine(tmp_path: Path) -> None:
    rows = [{"id": str(n), "html": "x", "url": f"https://{n // 4}.org/"} for n in range(8)]
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in rows))
    operation = Together()
    clean_shard(source, target, operation, 0)
    whole = target.read_bytes().splitlines(keepends=True)
    assert json.loads(whole[1])["message"] == "0 1 2"
    lost = operation.lost_row(Record("1"), *CRASHED)
    kept = operation.lost_row(Record("2"), "ok", "kept as it is")
    target.write_bytes(b"".join([whole[0], lost, kept, *whole[3:]]))
    assert retry(source, target, operation) == {"ok": 8}
    assert target.read_bytes() == b"".join([whole[0], whole[1], kept, *whole[3:]])


# values


def row_of(status: str, message: str) -> OldRow:
    return OldRow(b"", "1", status, message, "")


@pytest.mark.parametrize("failure", RETRIED)
def test_what_is_retried(failure: tuple[str, str]) -> None:
    assert is_retried(row_of(failure[0], failure[1] + " and more"), Job(None, None))
    assert RETRIED[failure].strip()
