"""Tests of `corpus/clean.py`: a page, or a record of a shard, is read, cleaned and written."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from batchpages import GOOD, PAGES, PARAMS, TEXT
from doubles import KeepLong

from crfclean.decision.rules import CutParams
from crfclean.document.columns import ROW_NAMES
from crfclean.document.formats import WRITERS
from crfclean.document.page_text import FAILED, LOW_SCORE, TextWriter
from crfclean.document.parts import Show
from crfclean.model.pagetype import page_type
from crfclean.pipeline import clean
from crfclean.products.corpus.clean import BatchParams, PageFilter
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.jobs import Operation, PageInput, Result, page_input, process_pages
from crfclean.products.corpus.records import Record
from crfclean.systems.crf import CrfTagger
from crfclean.types import CrfcleanError, Document, Presence
from crfclean.types.choices import PAGE_TYPES


def clean_job(job: Job, operation: Operation) -> Result:
    page = page_input(job, operation.limits.max_bytes)
    (result,) = process_pages((page,), operation)
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
    result = clean_job(one, PARAMS)
    assert result == Result(one, status, message, score=0.75 if status == "ok" else 0.0)
    assert result.failed == (status not in {"ok", "no-blocks", "nothing-kept"})
    assert outputs(tmp_path) == (["page.txt"] if status == "ok" else [])
    if status == "ok":
        assert (tmp_path / "out" / "page.txt").read_text("utf-8") == TEXT


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


# pages below the score


@pytest.mark.parametrize("ending", WRITERS)
def test_page_below_the_score_is_written_nowhere(tmp_path: Path, ending: str) -> None:
    one = job(tmp_path, GOOD.encode())
    params = BatchParams(KeepLong(), TextWriter(ending), min_score=0.76)
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
    result = clean_job(one, BatchParams(KeepLong(), TextWriter("json"), min_score=0.01))
    assert result == Result(one, status, message)
    assert outputs(tmp_path) == []


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
    assert tuple(found) == ROW_NAMES
    assert {name: value for name, value in found.items() if value not in (None, [], "")} == {
        "id": "urn:1",
        "url": "https://example.org/1",
        "url_from": "input",
        "crawled": "2024-03-01T00:00:00Z",
        "site": "example.org",
        "page_type": "form",
        "text": TEXT.strip(),
        "score": 0.75,
        "presence": "visible",
        "status": "ok",
        "encoding": "utf-8",
        "encoding_guessed": False,
    }
    shown = replace(PARAMS, writer=TextWriter(show=Show(blocks=True)))
    (block,) = row(record, shown)["blocks"]
    assert (block["label"], block["probability"], block["text"]) == ("TEXT", 1.0, TEXT.strip())


def test_record_that_is_lost_has_a_line_if_anything_is_known_of_it() -> None:
    found = row(Record("1", url="https://example.org", problem="its length is wrong"))
    assert (found["status"], found["message"]) == (FAILED, "its length is wrong")
    assert (found["url"], found["text"], found["score"]) == ("https://example.org", "", 0.0)
    result = clean_record(SHARD, Record("", problem="damaged gzip data"), PARAMS)
    assert (result.status, result.line) == (FAILED, b"")


def test_fingerprint_is_that_of_model_and_decisions(tagger: CrfTagger) -> None:
    changed = tagger.with_cut(CutParams(rule="threshold", threshold=0.9))
    names = {BatchParams(one).model for one in (tagger, changed)}
    assert len(names) == 2
    assert all(name and len(name) == 16 for name in names)
    assert BatchParams(pickle.loads(pickle.dumps(tagger))).model == BatchParams(tagger).model


# language, type, length


CZECH = (
    "Trajekt zůstal v pondělí ráno v přístavu, protože celé jezero pokryl led. Nikdo nepamatuje, "
    "že by voda zamrzla tak brzy, řekl kapitán cestujícím, a ti šli domů pěšky přes most."
)


def document(text: str = CZECH, lang: str = "cs") -> Document:
    head = f"<html lang={lang}><head><title>Trajekt</title></head>"
    return clean(f"{head}<body><article><h1>Trajekt</h1><p>{text}</p></article></body></html>")


@pytest.mark.parametrize(
    ("languages", "refusal"),
    [
        (("cs",), ""),
        (("sk", "cs-CZ"), ""),
        (("cz",), ""),  # a mistake that tags have, too
        (("de", "en"), "its language is cs"),
    ],
)
def test_languages(languages: tuple[str, ...], refusal: str) -> None:
    assert PageFilter(languages).refusal(document()) == refusal


def test_types() -> None:
    page = document()
    has = page_type(page)
    assert has is not None
    assert PageFilter(page_types=(has.name,)).refusal(page) == ""
    others = tuple(sorted({*PAGE_TYPES} - {has.name}))
    assert PageFilter(page_types=others).refusal(page) == f"its type is {has.name}"


def test_words() -> None:
    count = len(document().text.split())
    assert PageFilter(min_words=count).refusal(document()) == ""
    expected = f"{count} words, fewer than {count + 1}"
    assert PageFilter(min_words=count + 1).refusal(document()) == expected


def test_characters_are_words_in_scripts_without_spaces() -> None:
    page = document(
        "渡轮星期一早上停在港口里，因为整个湖面都结了冰。船长对乘客说，没有人记得水结冰得这么早。",
        "zh",
    )
    assert PageFilter(min_words=30).refusal(page) == ""


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"languages": ("klingonese!",)}, "no language 'klingonese!'"),
        ({"page_types": ("blog",)}, "no type of pages 'blog'; there are article, "),
    ],
)
def test_names_are_checked(values: dict[str, tuple[str, ...]], message: str) -> None:
    with pytest.raises(CrfcleanError, match=message):
        PageFilter(**values)  # type: ignore[arg-type]


def test_pages_whose_content_is_not_in_the_html() -> None:
    page = clean("<title>Just a moment</title><div id=root></div><script src=app.js></script>")
    wall = replace(page, presence=Presence("not-in-this-html", "needs-script", 0.9))
    assert PageFilter().refusal(wall) == ""
    refusal = "its content is not in the HTML (needs-script)"
    assert PageFilter(requires_content=True).refusal(wall) == refusal
    data = replace(page, presence=Presence("carried", "", 0.9))
    refusal = "its content is only in its structured data"
    assert PageFilter(requires_content=True).refusal(data) == refusal
    assert PageFilter(requires_content=True).refusal(document()) == ""
