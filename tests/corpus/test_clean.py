"""Tests of `corpus/clean.py`: a page, or a record of a shard, is read, cleaned and written."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, PAGES, PARAMS, TEXT
from doubles import KeepLong

from crfclean.cli.options import open_tagger
from crfclean.corpus.batch import clean_batch
from crfclean.corpus.clean import BatchParams
from crfclean.corpus.jobs import Job
from crfclean.corpus.limits import (
    TRUNCATIONS,
    PageLimits,
)
from crfclean.corpus.operation import (
    FAILED,
    LOW_SCORE,
    Operation,
    PageInput,
    Result,
    process_pages,
)
from crfclean.corpus.record import Record
from crfclean.decision.params import CutParams
from crfclean.metadata.language import identify
from crfclean.page.blocks import SplitParams
from crfclean.structure.parts import Show
from crfclean.taggers.crf import CrfTagger
from crfclean.taggers.load import NAMED, SHIPPED, load
from crfclean.taggers.post import with_post
from crfclean.types import CrfcleanError
from crfclean.writers.formats import WRITERS

KINDS = [*SHIPPED, *NAMED, "forum", "auto"]


def clean_job(job: Job, operation: Operation) -> Result:
    (result,) = process_pages((PageInput(job),), operation)
    return result


def clean_record(job: Job, record: Record, operation: Operation) -> Result:
    (result,) = process_pages((PageInput(job, record),), operation)
    return result


def job(folder: Path, data: bytes, name: str = "page") -> Job:
    """The job of a page; a run has made its directory."""
    (folder / "out").mkdir(exist_ok=True)
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
    elif ending in ("html", "tei", "vert"):
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
    one.target.write_text("an older and much longer text than the new one will be")
    clean_job(one, PARAMS)
    assert one.target.read_text("utf-8") == TEXT
    assert outputs(tmp_path) == ["page.txt"]


def test_page_of_too_many_bytes_is_cut_and_reported(tmp_path: Path) -> None:
    one = job(tmp_path, GOOD.encode() + b"<p>never seen by any reader" * 9)
    result = clean_job(one, replace(PARAMS, limits=PageLimits(max_bytes=60)))
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
    assert outputs(tmp_path) == []


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
    limits = PageLimits(max_bytes=2_000) if reason == "bytes" else PageLimits()
    monkeypatch.setattr("crfclean.page.walk.MAX_NODES", 20 if reason == "nodes" else 10**6)
    (tmp_path / "x.html").write_bytes(data)
    result = clean_job(Job(tmp_path / "x.html", None), BatchParams(KeepLong(), limits=limits))
    assert (result.status, result.truncated) == ("ok", reason)
    assert "A line of the page" in result.text
    assert set(TRUNCATIONS) == set(CUT_SHORT)


# records of shards


def row(record: Record, params: BatchParams = PARAMS) -> dict[str, Any]:
    result = clean_record(SHARD, record, params)
    found: dict[str, Any] = json.loads(result.line)
    assert (found["status"], found["message"]) == (result.status, result.message)
    return found


SHARD = Job(Path("x.warc"), Path("x.jsonl"), kind="warc", shard="jsonl")


def test_record_becomes_a_line() -> None:
    record = Record("urn:1", GOOD.encode(), "https://example.org/1", "2024-03-01T00:00:00Z")
    found = row(record)
    (block,) = found.pop("blocks")
    assert found.pop("metadata")["authors"] == []
    assert found.pop("presence")["where"] == "visible"
    assert found == {
        "id": "urn:1",
        "url": "https://example.org/1",
        "date": "2024-03-01T00:00:00Z",
        "title": "",
        "status": "ok",
        "message": "",
        "truncated": "",
        "encoding": "utf-8",
        "encoding_guessed": False,
        "score": 0.75,
        "source": "",
        "text": TEXT.strip(),
        "thread": None,
        "rules": [],
        "model": None,
    }
    assert (block["label"], block["probability"], block["text"]) == ("TEXT", 1.0, TEXT.strip())


@pytest.mark.parametrize(("data", "status", "message"), PAGES.values(), ids=PAGES)
def test_every_record_has_its_line(data: bytes, status: str, message: str) -> None:
    found = row(Record("1", data))
    assert (found["status"], found["message"]) == (status, message)
    assert found["text"] == (TEXT.strip() if status == "ok" else "")


def test_record_may_be_text() -> None:
    assert row(Record("1", GOOD))["text"] == TEXT.strip()


def test_charset_of_the_header_is_used() -> None:
    data = "<p>Ferry \u0142\u00f3d\u017a sails again today.</p>".encode("iso-8859-2")
    assert row(Record("1", data, charset="ISO-8859-2"))["text"] == "Ferry łódź sails again today."


def test_what_cut_a_record_is_told() -> None:
    limits = PageLimits(max_bytes=60)
    found = row(
        Record("1", GOOD + " " * 99, truncated="length"), BatchParams(KeepLong(), limits=limits)
    )
    assert (found["status"], found["truncated"]) == ("ok", "length,bytes")


def test_record_of_too_many_blocks() -> None:
    limits = PageLimits(max_blocks=3)
    params = BatchParams(KeepLong(), limits=limits)
    assert row(Record("1", GOOD * 1), params)["status"] == "ok"
    found = row(Record("1", GOOD * 2), params)
    assert (found["status"], found["message"]) == ("over-blocks", "more than 3 blocks of text")
    assert (found["text"], found["blocks"]) == ("", [])


def test_record_below_the_score_has_no_line() -> None:
    result = clean_record(SHARD, Record("1", GOOD), BatchParams(KeepLong(), min_score=0.8))
    assert (result.status, result.line, result.record) == (LOW_SCORE, b"", "1")


def test_record_that_is_lost_has_a_line_if_anything_is_known_of_it() -> None:
    found = row(Record("1", url="https://example.org", problem="its length is wrong"))
    assert (found["status"], found["message"]) == (FAILED, "its length is wrong")
    assert (found["url"], found["text"], found["score"]) == ("https://example.org", "", 0.0)
    result = clean_record(SHARD, Record("", problem="damaged gzip data"), PARAMS)
    assert (result.status, result.line) == (FAILED, b"")


def test_lines_are_utf_8_whatever_the_page_says() -> None:
    result = clean_record(SHARD, Record("1", "<p>one two \ud800 three four</p>"), PARAMS)
    assert json.loads(result.line.decode("utf-8"))["text"] == "one two ? three four"


def test_fingerprint_is_that_of_model_and_decisions(tagger: CrfTagger) -> None:
    changed = tagger.with_cut(CutParams(rule="threshold", threshold=0.9))
    names = {BatchParams(one).model for one in (tagger, changed)}
    assert len(names) == 2
    assert all(len(name) == 16 for name in names)
    assert BatchParams(pickle.loads(pickle.dumps(tagger))).model == BatchParams(tagger).model


def test_every_tagger_in_the_box_has_a_fingerprint_of_its_own() -> None:
    options = {"rule": None, "threshold": None, "precision": None, "keep": None}
    asked = [{"kind": kind, "post": None} for kind in KINDS]
    asked += [{"kind": "crf", "post": "all"}]
    asked += [{"kind": kind, "post": "begin"} for kind in ("crf", "mlp")]
    taggers = [open_tagger(model="default", **options, **one) for one in asked]
    names = {BatchParams(one).model for one in taggers}
    assert len(names) == len(asked)
    assert all(len(name) == 16 for name in names)
    again = [BatchParams(pickle.loads(pickle.dumps(one))).model for one in taggers]
    assert {*again} == names


def test_without_post_analysis_the_perceptron_is_another_tagger() -> None:
    bare = with_post(load(kind="mlp"), choice=False)
    assert BatchParams(bare).model != BatchParams(load(kind="mlp")).model


# libraries that take part only where they are asked for

SHOUTED = "Příliš žluťoučký kůň úpěl ďábelské ódy, a přívoz zůstal tři týdny v přístavu. "
UNDECLARED = f"<h1>Přívoz</h1><p>{SHOUTED * 3}</p>".encode("cp1250")


@pytest.fixture
def libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A py3langid that says the same of every page."""
    monkeypatch.setattr(identify, "open_identifier", lambda: "py3langid 9.9")
    monkeypatch.setattr(identify, "_identifier", lambda: None)
    monkeypatch.setattr(identify, "_probabilities", lambda *_: {"vo": 1.0})


def cleaned(params: BatchParams, folder: Path, data: bytes = UNDECLARED) -> dict[str, Any]:
    result = clean_record(Job(None, folder / "x.jsonl", shard="jsonl"), Record("1", data), params)
    row: dict[str, Any] = json.loads(result.line)
    assert result.encoding_guessed == row["encoding_guessed"]
    return row


def test_rows_say_that_an_encoding_was_guessed(tmp_path: Path) -> None:
    row = cleaned(PARAMS, tmp_path)
    assert (row["encoding"], row["encoding_guessed"]) == ("windows-1250", True)
    assert "Příliš" in row["text"]
    valid = cleaned(PARAMS, tmp_path, UNDECLARED.decode("cp1250").encode())
    assert (valid["encoding"], valid["encoding_guessed"]) == ("utf-8", False)
    lost = json.loads(PARAMS.lost_row(Record("2"), "failed", "it is gone"))
    assert (lost["encoding"], lost["encoding_guessed"]) == (None, False)


@pytest.mark.usefixtures("libraries")
def test_rows_do_not_depend_on_what_is_installed(tmp_path: Path) -> None:
    row = cleaned(PARAMS, tmp_path)
    assert "with" not in row
    assert row["metadata"]["language"]["text"] != "vo"
    assert PARAMS.options["with"] == []


@pytest.mark.usefixtures("libraries")
def test_rows_say_which_libraries_took_part(tmp_path: Path) -> None:
    params = replace(PARAMS, show=Show(identify_language=True))
    row = cleaned(params, tmp_path)
    assert row["with"] == ["py3langid 9.9"] == params.options["with"]
    assert row["metadata"]["language"]["text"] == "vo"
    lost = json.loads(params.lost_row(Record("2"), "failed", "it is gone"))
    assert lost["with"] == row["with"]


@pytest.mark.usefixtures("libraries")
def test_without_metadata_no_language_is_identified(tmp_path: Path) -> None:
    params = replace(PARAMS, show=Show(identify_language=True, metadata=False))
    assert "with" not in cleaned(params, tmp_path)


def test_a_library_that_is_missing_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "py3langid", None)
    for opened in ("open_identifier", "_identifier"):
        monkeypatch.setattr(identify, opened, getattr(identify, opened).__wrapped__)
    with pytest.raises(CrfcleanError, match=r"is missing: pip install 'crfclean\[language\]'"):
        replace(PARAMS, show=Show(identify_language=True)).prepare(())
