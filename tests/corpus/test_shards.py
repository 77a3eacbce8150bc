"""Tests of `corpus/shards.py` and `extras/parquet.py`: members, the journal, damage by kills."""

from __future__ import annotations

import gzip
import json
import lzma
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from batchpages import RESUME

from crfclean.corpus import shards
from crfclean.corpus.resume import ResumeParams
from crfclean.corpus.rows import PACKERS
from crfclean.corpus.shards import Shard, is_finished, is_unfinished

OPTIONS = {"source": "x", "elements": ["p"]}
LINES = [
    json.dumps({"id": str(number), "text": "ž" * number}).encode() + b"\n" for number in range(150)
]


def shard(folder: Path, ending: str = "jsonl", params: ResumeParams = RESUME) -> Shard:
    return Shard(folder / f"x.{ending}", ending, OPTIONS, params)


SLICE = 64


def add(one: Shard, lines: list[bytes], ending: str = "jsonl") -> Shard:
    """Add lines in slices, as the records of a run are."""
    for start in range(0, len(lines), SLICE):
        some = lines[start : start + SLICE]
        one.add(PACKERS[ending](b"".join(some)), {"ok": len(some)})
    return one


def finish(one: Shard) -> None:
    for group in one.seal():
        one.join(group.packed())
    one.publish()


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


UNPACK = {"jsonl": bytes, "jsonl.gz": gzip.decompress, "jsonl.xz": lzma.decompress}


@pytest.mark.parametrize("count", [0, 1, SLICE, SLICE + 1, 150])
@pytest.mark.parametrize("ending", UNPACK)
def test_lines_come_back(tmp_path: Path, ending: str, count: int) -> None:
    one = add(shard(tmp_path, ending), LINES[:count], ending)
    assert names(tmp_path) == [f"x.{ending}.{name}" for name in ("journal", "lock", "part")]
    assert not is_finished(tmp_path / f"x.{ending}")
    finish(one)
    assert names(tmp_path) == [f"x.{ending}"]
    assert is_finished(tmp_path / f"x.{ending}")
    data = (tmp_path / f"x.{ending}").read_bytes()
    assert UNPACK[ending](data) == b"".join(LINES[:count])
    assert (one.state.records, one.state.counts) == (count, Counter(ok=count) if count else {})


@pytest.mark.parametrize("ending", UNPACK)
@pytest.mark.parametrize("stop", [0, SLICE, 2 * SLICE])
def test_shard_that_was_left_is_gone_on_with(tmp_path: Path, ending: str, stop: int) -> None:
    finish(add(shard(tmp_path, ending), LINES, ending))
    whole = (tmp_path / f"x.{ending}").read_bytes()
    (tmp_path / f"x.{ending}").unlink()
    add(shard(tmp_path, ending), LINES[:stop], ending).leave()
    again = shard(tmp_path, ending)
    assert again.state.records == stop
    finish(add(again, LINES[stop:], ending))
    assert (tmp_path / f"x.{ending}").read_bytes() == whole


@pytest.mark.parametrize("torn", [b"", b"half of a memb"])
def test_killed_shard_goes_on_from_its_last_note(
    tmp_path: Path, torn: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "NOTE_SECONDS", 0.0)
    killed = add(shard(tmp_path, "jsonl.gz"), LINES[:100], "jsonl.gz")
    part = tmp_path / "x.jsonl.gz.part"
    part.write_bytes(part.read_bytes() + torn)
    with (tmp_path / "x.jsonl.gz.journal").open("a") as journal:
        journal.write('{"records": 999, "si')
    killed._lock.release()
    again = shard(tmp_path, "jsonl.gz")
    assert again.state.records == 100
    finish(add(again, LINES[100:], "jsonl.gz"))
    assert gzip.decompress((tmp_path / "x.jsonl.gz").read_bytes()) == b"".join(LINES)
    killed.drop()


def test_journal_that_is_ahead_of_its_part_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shards, "NOTE_SECONDS", 0.0)
    add(shard(tmp_path), LINES[: 2 * SLICE]).leave()
    part = tmp_path / "x.jsonl.part"
    part.write_bytes(part.read_bytes()[:-9])
    again = shard(tmp_path)
    assert again.state.records == SLICE
    again.drop()
    part.unlink()
    again = shard(tmp_path)
    assert (again.state.records, again.state.size) == (0, 0)
    again.drop()


def test_work_that_a_new_run_would_lose(tmp_path: Path) -> None:
    target = tmp_path / "x.jsonl"
    assert not is_unfinished(target)
    one = shard(tmp_path)
    assert not is_unfinished(target)
    add(one, LINES[:1]).leave()
    assert is_unfinished(target)
    finish(shard(tmp_path))
    assert not is_unfinished(target)


FULL = """
import resource, sys
from pathlib import Path
from crfclean.corpus.shards import Shard
resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))
shard = Shard(Path(sys.argv[1]), "jsonl", {})
try:
    for number in range(10_000):
        shard.add((b"x" * 100 + b"\\n") * 60, {"ok": 60})
except OSError as error:
    shard.drop()
    print(error.strerror)
"""


def test_full_disk_leaves_what_is_right(tmp_path: Path) -> None:
    """The limit on a file's size stands for the disk."""
    target = tmp_path / "x.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(target)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "File too large\n"
    assert names(tmp_path) == ["x.jsonl.journal", "x.jsonl.part"]
    again = Shard(target, "jsonl", {}, RESUME)
    assert again.state.records == 60
    finish(add(again, LINES[:1]))
    assert target.read_bytes() == (b"x" * 100 + b"\n") * 60 + LINES[0]
