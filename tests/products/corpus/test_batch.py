"""Tests of `corpus/engine.py`.

Order, shards, limits, damage, resume; one bad page harms no other.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, PARAMS, RESUME
from checkout import SCRIPT_PATH
from doubles import Obeys
from jobplans import clean_shard, shard_job, small_parts
from warcs import record

from crfclean.document.page_text import FAILED
from crfclean.products.corpus.clean import BatchParams
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import LEFT_OUT, Result
from crfclean.products.corpus.outputs import RECORD
from crfclean.products.corpus.params import PageLimits
from crfclean.products.corpus.plan import Paths, plan

# shards


def corpus(path: Path, pages: list[str]) -> Path:
    """A JSONL file with these pages."""
    rows = (
        {"id": f"p{n}", "html": page, "url": f"https://e.org/{n}"} for n, page in enumerate(pages)
    )
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return [json.loads(line) for line in text.splitlines()]


def page(number: int) -> str:
    return GOOD + f"<p>This is page number {number} of many.</p>"


def left(folder: Path) -> list[str]:
    """The files that a run has left, but for its record."""
    names = sorted(path.name for path in folder.rglob("*") if path.is_file())
    return [name for name in names if name != RECORD]


MANY = [page(number) for number in range(200)]


# pages that end their workers

LIMITS = PageLimits(max_seconds=1.0, max_memory=300)
ENDS = {
    "hang": ("over-time", "it took more than 1 s"),
    "exit": ("crashed", "its process ended (exit code 3)"),
    "segfault": ("crashed", "its process ended (SIGSEGV)"),
    "killed": ("crashed", "its process ended (SIGKILL)"),
    "eat": ("over-memory", "it needed more than 300 MB of memory"),
    "eat slowly": ("over-memory", "it needed more than 300 MB of memory"),
    "raise": ("error", "ZeroDivisionError: a bug"),
}


@pytest.mark.parametrize("workers", [1, 2])
def test_page_that_ends_its_worker_costs_itself_alone(tmp_path: Path, workers: int) -> None:
    bad = [f"<p>{said}</p>" + GOOD for said in ENDS]
    pages = [one for pair in zip(bad, MANY, strict=False) for one in pair] + MANY[:20]
    source = corpus(tmp_path / "in.jsonl", pages)
    params = BatchParams(Obeys(), limits=LIMITS)
    counts = clean_shard(source, tmp_path / "out.jsonl", params, workers)
    assert counts == {"failed": len(ENDS), "ok": len(ENDS) + 20}
    found = rows(tmp_path / "out.jsonl")
    assert [row["id"] for row in found] == [f"p{number}" for number in range(len(pages))]
    assert [(row["status"], row["message"]) for row in found[: 2 * len(ENDS) : 2]] == list(
        ENDS.values()
    )
    assert {row["status"] for row in found[1 : 2 * len(ENDS) : 2]} == {"ok"}


def test_messages_name_the_file_of_a_directory(tmp_path: Path) -> None:
    for name in "ab":
        corpus(tmp_path / "in" / f"{name}.jsonl", [GOOD, "<p>exit</p>" + GOOD, ""])
    with (tmp_path / "in" / "b.jsonl").open("a") as torn:
        torn.write("torn\n")
    job = shard_job(tmp_path / "in", tmp_path / "out.jsonl")
    results = clean_batch([job], BatchParams(Obeys()), 1)
    assert [one.name for one in results if one.failed] == [
        f"{tmp_path}/in/{name}" for name in ("a.jsonl: p1", "a.jsonl: p2", *B_FAILED)
    ]


B_FAILED = "b.jsonl: p1", "b.jsonl: p2", "b.jsonl: 4"


# every input is counted once: written, without text, failed, or left out for a reason


@pytest.mark.parametrize("out", ["out.jsonl", "out.csv", "out"])
def test_every_input_is_counted(tmp_path: Path, out: str) -> None:
    folder = tmp_path / "in"
    lines = [{"html": GOOD}, {"html": "<p>Home</p>"}, {"no": 1}, {"html": 3}, {"html": ""}]
    corpus(folder / "empty" / "x.jsonl", [""])
    (folder / "lines.jsonl").write_text("\n".join([*map(json.dumps, lines), "torn", "", " "]))
    for name, text in {"a.html": GOOD, "b.html": "<p>Home</p>", "c.html": "", "d.txt": "x"}.items():
        (folder / name).write_text(text)
    kinds = {"200 OK": "response", "404 No": "response", "200": "revisit", "": "request"}
    records = [record("https://e.org/", GOOD.encode(), *pair) for pair in kinds.items()]
    (folder / "crawl.warc.gz").write_bytes(b"".join(records))
    planned = plan(Paths((str(folder),), str(tmp_path / out)))
    counts = Counter[str]({"left-out": len(planned.left_out)})
    for result in clean_batch(planned.jobs, PARAMS, 0):
        assert result.message or result.status == "ok"
        counts.update({result.outcome: result.pages})
    assert counts == {"ok": 3, "without": 2, "failed": 6, "left-out": 3}


# stops and kills


def test_records_left_out_are_told_by_a_run_that_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_parts(monkeypatch, 2_000)
    source, target, seen = tmp_path / "in.warc.gz", tmp_path / "out.jsonl", list[Result]()
    statuses = ["200 OK", "404 Not Found", "200 OK", "500 Error"] * 50
    records = (
        record(f"https://e.org/{number}", GOOD.encode(), status)
        for number, status in enumerate(statuses)
    )
    source.write_bytes(b"".join(records))
    job = shard_job(source, target)
    for result in clean_batch([job], PARAMS, 1, stop=lambda: len(seen) >= 60):
        seen.append(result)
    assert not target.exists()
    results = list(clean_batch([job], PARAMS, 1, params=RESUME))
    told = Counter[str]()
    for one in results:
        told.update({one.message: one.pages} if one.status == LEFT_OUT else {})
    assert told == {"HTTP status 404": 50, "HTTP status 500": 50}
    assert len(rows(target)) == 100


KILLED = """
import sys
from batchpages import RESUME
from doubles import Obeys
from jobplans import clean_shard
from crfclean.products.corpus import inputs
from crfclean.document.page_text import TextWriter
from crfclean.products.corpus.clean import BatchParams
if __name__ == "__main__":
    inputs.PART_BYTES = (1_500, 1_500)
    clean_shard(sys.argv[1], sys.argv[2], BatchParams(Obeys()), 2, params=RESUME)
"""


def test_kill_9_loses_and_repeats_no_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = ["<p>slow</p>" + one for one in MANY[:90]]
    source, target = corpus(tmp_path / "in.jsonl", pages), tmp_path / "out.jsonl.gz"
    (tmp_path / "run.py").write_text(KILLED)
    command = [sys.executable, str(tmp_path / "run.py"), str(source), str(target)]
    parts, kills = target.with_name(target.name + ".parts"), 0
    for least in (1, 4):
        with subprocess.Popen(command, env=os.environ | {"PYTHONPATH": SCRIPT_PATH}) as process:
            while process.poll() is None and len([*parts.glob("_part-*.json")]) < least:
                time.sleep(0.02)
            process.kill()
            kills += process.wait() == -9
    assert kills == 2
    assert not target.exists()
    monkeypatch.setenv("SLOW", "0")  # nobody has to catch these runs alive
    subprocess.run(command, env=os.environ | {"PYTHONPATH": SCRIPT_PATH}, check=True)
    assert [row["id"] for row in rows(target)] == [f"p{number}" for number in range(90)]
    small_parts(monkeypatch, 1_500)
    clean_shard(source, tmp_path / "whole.jsonl.gz", BatchParams(Obeys()), 2)
    assert target.read_bytes() == (tmp_path / "whole.jsonl.gz").read_bytes()


# outputs that cannot be written


def test_full_disk_ends_its_shard_alone(tmp_path: Path) -> None:
    corpus(tmp_path / "in" / "a.jsonl", MANY[:5])
    full = Job(tmp_path / "in" / "a.jsonl", Path("/dev/full"), kind="jsonl", shard="jsonl")
    good = full._replace(target=tmp_path / "good.jsonl")
    results = list(clean_batch([full, good], PARAMS, 2))
    assert [result.status for result in results] == [FAILED] + ["ok"] * 5
    assert results[0].message == "/dev/full cannot be written: No space left on device"
    assert len(rows(tmp_path / "good.jsonl")) == 5
    assert Path("/dev/full").is_char_device()
