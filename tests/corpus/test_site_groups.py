"""Tests of `corpus/page_tasks.py`: which pages are read together."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from doubles import KeepLong

from crfclean.corpus.clean import BatchParams
from crfclean.corpus.jobs import Job
from crfclean.corpus.page_tasks import ShardReader, job_groups
from crfclean.corpus.records import FOLDER, JSONL, Record
from crfclean.corpus.slices import record_groups


class Together(BatchParams):
    """Pages of a site are read together."""

    __slots__ = ()

    @property
    def site_pages(self) -> int:
        return 3


def read(reader: ShardReader) -> list[Any]:
    return list(reader.pieces(ranges=False))


def named(groups: Any) -> list[str]:
    """Each group as the letters of its records."""
    return ["".join(record.id for record in group) for group in groups]


def records(sites: str) -> list[tuple[str, Record]]:
    """A record for each letter; of "-" the site is not known."""
    return [(site.strip("-"), Record(chr(97 + at), "page")) for at, site in enumerate(sites)]


@pytest.mark.parametrize(
    ("sites", "groups"),
    [
        ("", []),
        ("xxx", ["abc"]),
        ("xxyyx", ["ab", "cd", "e"]),
        ("---", ["a", "b", "c"]),
        ("x-x", ["a", "b", "c"]),
        ("xxxxxxx", ["abcd", "efg"]),
        ("xxxxyyyy", ["abcd", "efgh"]),
    ],
)
def test_records_of_one_site_that_follow_each_other(sites: str, groups: list[str]) -> None:
    assert named(record_groups(records(sites), 4)) == groups


def test_alone_each_record_is_given_as_soon_as_it_is_read() -> None:
    source = iter(records("xxxx"))
    groups = record_groups(source, 1)
    assert named([next(groups), next(groups)]) == ["a", "b"]
    assert len(list(source)) == 2


def test_pages_of_one_directory_are_together() -> None:
    jobs = [Job(Path(name), None) for name in ("a/1", "a/2", "a/3", "b/1", "a/4")]
    jobs += [Job(Path("a/5"), None, shard="jsonl"), Job(Path("a/6"), None, shard="jsonl")]
    groups = [[job.name for job in group] for group in job_groups(jobs, 2)]
    assert groups == [["a/1", "a/2"], ["a/3"], ["b/1"], ["a/4"], ["a/5"], ["a/6"]]
    assert [len(group) for group in job_groups(jobs, 1)] == [1] * 7


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A directory with two pages, a corpus, and what cannot be read."""
    (tmp_path / "in" / "sub").mkdir(parents=True)
    for name in ("a.html", "b.html", "sub/c.html"):
        (tmp_path / "in" / name).write_text("<p>page")
    rows = ({"id": n, "html": "<p>", "url": f"https://{n}.example/"} for n in "xy")
    (tmp_path / "in" / "d.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "in"


def test_sites_of_a_directory_and_of_urls(folder: Path) -> None:
    job = Job(folder, None, kind=FOLDER, shard="jsonl")
    sites = [site for site, _ in read(ShardReader(job, Together(KeepLong())))]
    assert sites == [str(folder), str(folder), "x.example", "y.example", str(folder / "sub")]


def test_lines_of_pages_that_are_read_alone_are_left_to_workers(folder: Path) -> None:
    job = Job(folder / "d.jsonl", None, kind=JSONL, shard="jsonl")
    (x, y) = (record for _, record in read(ShardReader(job, BatchParams(KeepLong()))))
    lines = (folder / "d.jsonl").read_bytes().splitlines(keepends=True)
    assert (x.id, x.data, x.size) == ("", b"", len(lines[0]))
    record = pickle.loads(pickle.dumps(y)).opened
    assert record == Record("y", "<p>", "https://y.example/")
    assert record.opened is record


def test_what_cannot_be_read_ends_the_records(tmp_path: Path) -> None:
    reader = ShardReader(Job(tmp_path / "absent", None, kind=JSONL), BatchParams(KeepLong()))
    assert read(reader) == []
    assert isinstance(reader.error, FileNotFoundError)
