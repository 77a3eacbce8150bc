"""Tests of `batch.py`: each page is read, cleaned and written; one bad page harms no other."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from crfclean import batch
from crfclean.batch import (
    FAILED,
    LOW_SCORE,
    TRUNCATIONS,
    BatchParams,
    Result,
    clean_batch,
    clean_job,
)
from crfclean.blocks import SplitParams
from crfclean.files import Job, plan
from crfclean.types import Blocks, Label, Tags
from crfclean.writers import WRITERS


@dataclass(frozen=True)
class KeepLong:
    """A tagger that keeps the blocks of at least four words."""

    elements: tuple[str, ...] = ()
    score: float = 0.75

    def tag(self, blocks: Blocks) -> Tags:
        long = np.array([len(text.split()) >= 4 for text in blocks.texts], np.bool_)
        labels = np.where(long, Label.TEXT, Label.OTHER).astype(np.int32)
        return Tags(labels, np.eye(3)[labels], self.score if long.any() else 0.0)


PARAMS = BatchParams(KeepLong())
GOOD = "<p>Home</p><p>The ferry sails again.</p>"
TEXT = "The ferry sails again.\n"

PAGES = {
    "good": (GOOD.encode(), "ok", ""),
    "gzipped": (gzip.compress(GOOD.encode()), "ok", ""),
    "empty": (b"", "empty", "the file is empty"),
    "blank": (b" \n ", "empty", "the file is empty"),
    "binary": (b"\x89PNG" + bytes(99), "binary", "binary data, no page"),
    "no HTML": (b"Only words.", "not-html", "no HTML"),
    "damaged gzip": (b"\x1f\x8bjunk", "gzip-error", "damaged gzip data"),
    "no text": (b"<body></body>", "no-blocks", "the page shows no text"),
    "nothing kept": (b"<p>Home</p>", "nothing-kept", "no paragraph was kept"),
}


def job(folder: Path, data: bytes, name: str = "page") -> Job:
    (folder / f"{name}.html").write_bytes(data)
    return Job(folder / f"{name}.html", folder / "out" / f"{name}.txt")


def outputs(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / "out").glob("*"))


@pytest.mark.parametrize(("data", "status", "message"), PAGES.values(), ids=PAGES)
def test_result_says_what_became_of_a_page(
    tmp_path: Path, data: bytes, status: str, message: str
) -> None:
    one = job(tmp_path, data)
    score = 0.75 if status == "ok" else 0.0
    assert clean_job(one, PARAMS) == Result(one, status, message, score=score)


@pytest.mark.parametrize(
    ("data", "status"), [(row[0], row[1]) for row in PAGES.values()], ids=PAGES
)
def test_only_cleaned_pages_are_written(tmp_path: Path, data: bytes, status: str) -> None:
    result = clean_job(job(tmp_path, data), PARAMS)
    assert result.failed == (status not in {"ok", "no-blocks", "nothing-kept"})
    assert outputs(tmp_path) == ([] if result.failed else ["page.txt"])
    if not result.failed:
        expected = TEXT if status == "ok" else ""
        assert (tmp_path / "out" / "page.txt").read_text("utf-8") == expected


@pytest.mark.parametrize("ending", WRITERS)
def test_format(tmp_path: Path, ending: str) -> None:
    clean_job(job(tmp_path, GOOD.encode()), BatchParams(KeepLong(), ending))
    text = (tmp_path / "out" / "page.txt").read_text("utf-8")
    if ending.startswith("json"):
        assert json.loads(text)["text"] == TEXT.strip()
    elif ending == "html":
        assert all(line in text for line in TEXT.splitlines())
    else:
        assert text == TEXT


def test_text_without_target_is_in_the_result(tmp_path: Path) -> None:
    source = job(tmp_path, GOOD.encode()).source
    expected = Result(Job(source, None), "ok", text=TEXT, score=0.75)
    assert clean_job(Job(source, None), PARAMS) == expected
    assert outputs(tmp_path) == []


def test_failed_page_has_no_text(tmp_path: Path) -> None:
    source = job(tmp_path, b"").source
    assert clean_job(Job(source, None), BatchParams(KeepLong(), "json")).text == ""


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(GOOD.encode())))
    assert clean_job(Job(None, None), PARAMS).text == TEXT


def test_split_comes_from_the_tagger_or_the_call(tmp_path: Path) -> None:
    one = job(tmp_path, b"<h1>One two three four</h1><p>five six seven eight</p>")
    target = one.target
    assert target is not None
    for params, expected in (
        (BatchParams(KeepLong(("h1",))), "One two three four\n"),
        (BatchParams(KeepLong(("h1",)), split=SplitParams(("p",))), "five six seven eight\n"),
        (BatchParams(KeepLong()), "One two three four\nfive six seven eight\n"),
    ):
        clean_job(one, params)
        assert target.read_text("utf-8") == expected


def test_refused_job_is_not_touched(tmp_path: Path) -> None:
    refused = Job(tmp_path / "absent.html", None, "clashes")
    assert clean_job(refused, PARAMS) == Result(refused, FAILED, "clashes")
    assert Result(refused, FAILED).failed


def test_missing_page(tmp_path: Path) -> None:
    absent = Job(tmp_path / "absent.html", tmp_path / "out" / "absent.txt")
    result = clean_job(absent, PARAMS)
    assert (result.status, result.message) == (
        FAILED,
        "cannot be read: No such file or directory",
    )
    assert not (tmp_path / "out").exists()


def test_directory_instead_of_a_page(tmp_path: Path) -> None:
    assert clean_job(Job(tmp_path, None), PARAMS).message == "cannot be read: Is a directory"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_unreadable_page(tmp_path: Path) -> None:
    one = job(tmp_path, GOOD.encode())
    assert one.source is not None
    one.source.chmod(0)
    assert clean_job(one, PARAMS).message == "cannot be read: Permission denied"


def test_unreadable_page_by_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, mode: str) -> object:
        raise PermissionError(13, "Permission denied")

    one = job(tmp_path, GOOD.encode())
    monkeypatch.setattr(Path, "open", refuse)
    assert clean_job(one, PARAMS) == Result(one, FAILED, "cannot be read: Permission denied")


UNWRITABLE = {
    "below a file": "page.html/x.txt",
    "a directory": "folder",
    "name too long": "x" * 300,
}


@pytest.mark.parametrize("target", UNWRITABLE.values(), ids=UNWRITABLE)
def test_target_that_cannot_be_written(tmp_path: Path, target: str) -> None:
    (tmp_path / "folder" / "full").mkdir(parents=True)
    source = job(tmp_path, GOOD.encode()).source
    before = sorted(tmp_path.rglob("*"))
    result = clean_job(Job(source, tmp_path / target), PARAMS)
    assert result.failed
    assert target in result.message
    assert "cannot be written: " in result.message
    assert sorted(tmp_path.rglob("*")) == before, "no partial file is left"


def test_output_is_replaced_whole(tmp_path: Path) -> None:
    one = job(tmp_path, GOOD.encode())
    assert one.target is not None
    one.target.parent.mkdir()
    one.target.write_text("an older and much longer text than the new one will be")
    clean_job(one, PARAMS)
    assert one.target.read_text("utf-8") == TEXT
    assert outputs(tmp_path) == ["page.txt"]


def test_page_of_too_many_bytes_is_cut_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batch, "MAX_BYTES", 60)
    monkeypatch.setattr("crfclean.decode.MAX_BYTES", 60)
    result = clean_job(job(tmp_path, GOOD.encode() + b"<p>never seen by any reader" * 9), PARAMS)
    assert (result.status, result.truncated) == ("ok", "bytes")
    assert (tmp_path / "out" / "page.txt").read_text("utf-8").startswith(TEXT)


def test_damaged_gzip_is_reported(tmp_path: Path) -> None:
    result = clean_job(job(tmp_path, gzip.compress(GOOD.encode())[:-8]), PARAMS)
    assert (result.status, result.truncated) == ("ok", "gzip")
    assert (tmp_path / "out" / "page.txt").read_text("utf-8") == TEXT


def test_too_deep_page_is_reported(tmp_path: Path) -> None:
    result = clean_job(job(tmp_path, b"<div>" * 3_000 + GOOD.encode()), PARAMS)
    assert (result.status, result.truncated) == ("ok", "depth")


# pages below the score


@pytest.mark.parametrize("min_score", [0.0, 0.5, 0.75])
def test_page_of_the_least_score_is_written(tmp_path: Path, min_score: float) -> None:
    result = clean_job(job(tmp_path, GOOD.encode()), BatchParams(KeepLong(), min_score=min_score))
    assert (result.status, result.message, result.score) == ("ok", "", 0.75)
    assert outputs(tmp_path) == ["page.txt"]


@pytest.mark.parametrize("ending", WRITERS)
def test_page_below_the_score_is_written_nowhere(tmp_path: Path, ending: str) -> None:
    one = job(tmp_path, GOOD.encode())
    params = BatchParams(KeepLong(), ending, min_score=0.76)
    for job_of in (one, Job(one.source, None)):
        result = clean_job(job_of, params)
        message = "its score 0.7500 is below 0.76"
        assert result == Result(job_of, LOW_SCORE, message, score=0.75)
        assert not result.failed
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("data", "status", "message"), list(PAGES.values())[2:], ids=list(PAGES)[2:]
)
@pytest.mark.parametrize("target", [True, False])
def test_page_without_text_says_so_whatever_its_score(
    tmp_path: Path, data: bytes, status: str, message: str, *, target: bool
) -> None:
    one = job(tmp_path, data)
    one = one if target else Job(one.source, None)
    result = clean_job(one, BatchParams(KeepLong(), "json", min_score=0.01))
    assert result == Result(one, status, message)
    assert outputs(tmp_path) == []


def test_cut_page_below_the_score_is_reported_as_cut(tmp_path: Path) -> None:
    one = job(tmp_path, b"<div>" * 3_000 + GOOD.encode())
    result = clean_job(one, BatchParams(KeepLong(), min_score=1.0))
    assert (result.status, result.truncated) == (LOW_SCORE, "depth")


@pytest.mark.parametrize("workers", [1, 2])
def test_scores_come_with_the_results(tmp_path: Path, workers: int) -> None:
    jobs = [job(tmp_path, data, str(place)) for place, (data, _, _) in enumerate(PAGES.values())]
    results = clean_batch(jobs, PARAMS, workers)
    assert [result.score for result in results] == [0.75, 0.75] + [0.0] * (len(PAGES) - 2)


# many pages


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    for number, (data, _, _) in enumerate(PAGES.values()):
        for copy in range(20):
            path = tmp_path / "in" / f"{copy:02}" / f"{number}.html"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return tmp_path


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_order(mixed: Path, workers: int) -> None:
    jobs = plan(str(mixed / "in"), str(mixed / "out"), "txt")
    results = list(clean_batch(jobs, PARAMS, workers))
    assert [result.job for result in results] == jobs
    assert [result.status for result in results] == [row[1] for row in PAGES.values()] * 20


def test_workers_write_the_same_files(mixed: Path) -> None:
    written = []
    for workers in (1, 2):
        out = mixed / f"out-{workers}"
        jobs = plan(str(mixed / "in"), str(out), "json")
        list(clean_batch(jobs, BatchParams(KeepLong(), "json"), workers))
        files = sorted(path for path in out.rglob("*") if path.is_file())
        written.append({path.relative_to(out): path.read_bytes() for path in files})
    assert written[0] == written[1]
    assert len(written[0]) == 20 * 4


def test_batch_is_lazy(mixed: Path) -> None:
    jobs = plan(str(mixed / "in"), str(mixed / "out"), "txt")
    results = clean_batch(jobs, PARAMS)
    next(results)
    assert len([path for path in (mixed / "out").rglob("*") if path.is_file()]) == 1


def test_no_job_no_result() -> None:
    assert list(clean_batch([], PARAMS)) == list(clean_batch([], PARAMS, 2)) == []


LINE = "<p>A line of the page that is long enough.</p>"
CUT_SHORT = {
    "bytes": (LINE * 50).encode(),
    "gzip": gzip.compress(LINE.encode()) + b"junk after the page",
    "depth": ("<div>" * 3_000 + LINE).encode(),
    "nodes": (LINE * 30).encode(),
}


@pytest.mark.parametrize(("reason", "data"), CUT_SHORT.items(), ids=CUT_SHORT)
def test_every_truncation_is_found_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: str, data: bytes
) -> None:
    monkeypatch.setattr("crfclean.decode.MAX_BYTES", 2_000 if reason == "bytes" else 2**26)
    monkeypatch.setattr("crfclean.blocks.MAX_NODES", 20 if reason == "nodes" else 10**6)
    (tmp_path / "x.html").write_bytes(data)
    result = clean_job(Job(tmp_path / "x.html", None), BatchParams(KeepLong()))
    assert (result.status, result.truncated) == ("ok", reason)
    assert "A line of the page" in result.text
    assert set(TRUNCATIONS) == set(CUT_SHORT)
