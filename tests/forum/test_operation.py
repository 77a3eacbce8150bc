"""Tests of `forum/tagger.py`: threads of sites, with pages that end their workers."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from batchpages import RESUME
from doubles import ObeyingForum
from jobplans import clean_shard, shard_job, small_parts

from crfclean.corpus.engine import clean_batch
from crfclean.corpus.jobs import (
    PageLimits,
)
from crfclean.corpus.operation import (
    Result,
)
from crfclean.corpus.records import Record
from crfclean.forum.model import ForumModel
from crfclean.forum.posts import ForumOptions
from crfclean.forum.tagger import MAX_SITE_PAGES, ForumOperation
from crfclean.types import CrfcleanError

SITE = "zahradka-forum"
LIMITS = PageLimits(max_memory=500)
ENDS = {
    "segfault": ("crashed", "its process ended (SIGSEGV)"),
    "eat": ("over-memory", "it needed more than 500 MB of memory"),
    "raise": ("error", "ZeroDivisionError: a bug"),
}


@pytest.fixture
def sources(root: Path) -> list[str]:
    """The pages of a site."""
    return [
        one.read_text("utf-8") for one in sorted((root / "data" / "forum" / SITE).glob("*.html"))
    ]


@pytest.fixture
def operation(forum_model: ForumModel) -> ForumOperation:
    return ForumOperation(forum_model, limits=LIMITS)


def corpus(path: Path, pages: list[str], hosts: int = 1) -> Path:
    """A JSONL file with these pages, of so many hosts one after the other."""
    size = -(-len(pages) // hosts)
    rows = (
        {"id": f"p{n}", "html": page, "url": f"https://h{n // size}.example/{n}"}
        for n, page in enumerate(pages)
    )
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_pages_of_a_site_are_read_together(
    operation: ForumOperation, sources: list[str], tmp_path: Path
) -> None:
    pages = (sources * 40)[: MAX_SITE_PAGES + 5]
    source = corpus(tmp_path / "in.jsonl", pages)
    apart = replace(operation, joins=False)
    assert clean_shard(source, tmp_path / "out.jsonl", apart, 2)["ok"] == len(pages)
    made = [row["posts"][0]["page"] for row in rows(tmp_path / "out.jsonl")]
    assert made == [*range(1, MAX_SITE_PAGES + 1), *range(1, 6)]


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_a_page_that_ends_its_worker_costs_itself_alone(
    forum_model: ForumModel, sources: list[str], tmp_path: Path, workers: int
) -> None:
    """Every other page of its site has its thread, and each that is lost its own message."""
    ends = ENDS if workers else {"raise": ENDS["raise"]}
    pages = [sources[0], *(f"<p>{word}</p>{sources[1]}" for word in ends), *sources[1:]]
    source = corpus(tmp_path / "in.jsonl", pages)
    operation = ObeyingForum(forum_model, limits=LIMITS)
    job = shard_job(source, tmp_path / "out.jsonl")
    results = list(clean_batch([job], operation, workers))
    made = rows(tmp_path / "out.jsonl")
    assert [row["id"] for row in made] == [f"p{n}" for n in range(len(pages))]
    assert [(row["status"], row["message"]) for row in made] == [
        ("ok", ""),
        *ends.values(),
        *[("ok", "")] * (len(sources) - 1),
    ]
    assert [result.record for result in results] == [row["id"] for row in made]
    assert all(row["posts"] for row in made if row["status"] == "ok")


# stops and kills


def test_a_stopped_run_is_gone_on_with_inside_a_site(
    operation: ForumOperation,
    sources: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    source = corpus(tmp_path / "in.jsonl", sources * 12, hosts=4)
    small_parts(monkeypatch, len(b"".join(source.read_bytes().splitlines()[:9])) - 20)
    clean_shard(source, tmp_path / "whole.jsonl", operation)
    job, seen = shard_job(source, tmp_path / "out.jsonl"), list[Result]()
    results = clean_batch([job], operation)
    for _ in range(13):  # of nine pages a host
        seen.append(next(results))
    results.close()
    first, second, *rest = clean_batch([job], operation, 2, params=RESUME)
    assert [first.before["ok"], second.before["ok"], len(rest)] == [9, 9, 18]
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize(
    "change",
    [
        {"reading": ForumOptions("de")},
        {"reading": ForumOptions(fetched=datetime(2024, 5, 1))},  # noqa: DTZ001
        {"limits": PageLimits()},
        {"model": None},
    ],
)
def test_other_options_cannot_go_on(
    operation: ForumOperation, sources: list[str], tmp_path: Path, change: dict[str, Any]
) -> None:
    source = corpus(tmp_path / "in.jsonl", sources * 3, hosts=3)
    results = clean_batch([shard_job(source, tmp_path / "out.jsonl")], operation, 0)
    next(results)
    results.close()
    if "model" in change:
        fields = dict(operation.model.fields)
        fields.pop(next(iter(fields)))
        change = {"model": replace(operation.model, fields=fields)}
    with pytest.raises(CrfcleanError, match="other options"):
        clean_shard(source, tmp_path / "out.jsonl", replace(operation, **change), params=RESUME)


def test_kill_9_loses_and_repeats_no_page(
    root: Path, forum_folder: Path, sources: list[str], tmp_path: Path
) -> None:
    """A run that was killed gives the bytes of one that was not."""
    source = corpus(tmp_path / "in.jsonl", sources * 40, hosts=6)

    def start(target: str, *more: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "crfclean", "forum", source, tmp_path / target]
        return subprocess.Popen(
            [*map(str, command), "--model", str(forum_folder), *more],
            env=os.environ | {"PYTHONPATH": str(root)},
            stderr=subprocess.DEVNULL,
        )

    parts = tmp_path / "out.jsonl.parts"
    with start("out.jsonl", "--workers", "1") as process:
        while process.poll() is None and not any(parts.glob(".part-*.spool")):
            time.sleep(0.02)
        process.kill()
    assert not (tmp_path / "out.jsonl").exists()
    with start("out.jsonl", "--resume") as process:
        assert process.wait() == 0
    with start("whole.jsonl", "--workers", "2") as process:
        assert process.wait() == 0
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert len(rows(tmp_path / "out.jsonl")) == 120


# values


def test_rows_of_lost_pages(operation: ForumOperation) -> None:
    record = Record("7", url="https://example.org/t", date="2026")
    row = json.loads(operation.lost_row(record, "crashed", "it ended"))
    assert (row["id"], row["url"], row["status"]) == ("7", "https://example.org/t", "crashed")
    assert (row["message"], row["posts"], row["date"]) == ("it ended", [], "2026")
    assert row["model"] == operation.model.fingerprint
