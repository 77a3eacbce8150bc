"""Tests of `forum/tagger.py`: threads of sites, with pages that end their workers."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from batchpages import RESUME
from doubles import ObeyingForum
from jobplans import clean_shard, shard_job, small_parts

from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.jobs import Result
from crfclean.products.corpus.params import PageLimits
from crfclean.products.forum import tagger
from crfclean.products.forum.model import ForumModel
from crfclean.products.forum.posts import ForumOptions
from crfclean.products.forum.tagger import ForumOperation
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
    forum_model: ForumModel,
    sources: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tagger, "MAX_SITE_PAGES", 12)
    pages = (sources * 17)[:17]
    source = corpus(tmp_path / "in.jsonl", pages)
    apart = ForumOperation(forum_model, joins=False)
    assert clean_shard(source, tmp_path / "out.jsonl", apart, 0)["ok"] == len(pages)
    made = [row["posts"][0]["page"] for row in rows(tmp_path / "out.jsonl")]
    assert made == [*range(1, 13), *range(1, 6)]


@pytest.mark.parametrize("workers", [0, 2])
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
