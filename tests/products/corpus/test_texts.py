"""Tests of `corpus/texts.py`: every input becomes every format, as a stream, file and directory."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from doubles import KeepAll
from jobplans import small_parts
from lxml import etree
from tei_schemas import simple_print, subset
from warcs import record

from crfclean import door
from crfclean.document.page_text import OK, TextWriter
from crfclean.page.decode import decode
from crfclean.pipeline import run
from crfclean.products.corpus.clean import BatchParams, PageFilter
from crfclean.products.corpus.duplicates import Signer
from crfclean.products.corpus.engine import clean_batch
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.output_names import format_of
from crfclean.products.corpus.params import TEXT_ENDINGS, ResumeParams
from crfclean.products.corpus.plan import Paths, plan
from crfclean.products.corpus.texts import JOININGS, PAGE_END, text_form
from crfclean.types import CrfcleanError

TEI = "{http://www.tei-c.org/ns/1.0}"
FORMATS = door.names("formats")
NOTE = '<p>It runs again<sup><a href="#n">1</a></sup>.</p><ol><li id="n">By day.</ol>'
PAGES = {
    "https://e.org/ferry.html": f"<title>Ferry</title><h1>Ferry</h1>{NOTE}<p>On Monday.</p>",
    "https://e.org/nothing": "<title>Nothing</title>",
    "https://e.org/bridge?a=1&b=2": f"<title>Bridge</title><h1>Bridge</h1>{NOTE}<p>&lt;p&gt; é</p>",
    "https://e.org/": "<h1>Harbour</h1><p>The harbour is closed in winter.</p>",
}
WITH_TEXT = 3


def warc() -> bytes:
    return b"".join(record(url, html.encode()) for url, html in PAGES.items())


def jsonl() -> bytes:
    rows = (
        {"id": f"p{number}", "url": url, "html": html}
        for number, (url, html) in enumerate(PAGES.items())
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def wacz() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("archive/data.warc.gz", warc())
        archive.writestr("datapackage.json", "{}")
    return packed.getvalue()


INPUTS: Mapping[str, Callable[[], bytes]] = {"c.warc.gz": warc, "c.wacz": wacz, "c.jsonl": jsonl}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the pages in each form of input."""
    monkeypatch.chdir(tmp_path)
    for name, data in INPUTS.items():
        Path(name).write_bytes(data())
    Path("pages").mkdir()
    for number, html in enumerate(PAGES.values()):
        Path(f"pages/{number}.html").write_text(html)
    small_parts(monkeypatch)
    return tmp_path


def jobs(sources: Sequence[str], out: str, form: str | None, *, files: bool = False) -> list[Job]:
    ending = format_of(out, form, FORMATS)
    return list(plan(Paths(tuple(sources), out), ending, files=files).jobs)


def written(
    sources: Sequence[str],
    out: str,
    form: str,
    workers: int = 0,
    *,
    files: bool = False,
    **more: Any,
) -> list[str]:
    """The statuses of the pages of a run."""
    resume = more.pop("resume", ResumeParams())
    params = BatchParams(KeepAll(), TextWriter(text_form(form) or form), **more)
    made = clean_batch(jobs(sources, out, form, files=files), params, workers, params=resume)
    return [result.status for result in made]


def pages_in(data: bytes, form: str) -> int:
    """How many pages a file has; fail where it is not well formed."""
    text = data.decode()
    if form in {"txt", "md"}:
        assert text.endswith(PAGE_END)
        return text.count(PAGE_END)
    if form == "tei":
        check_corpus(data)
        return len(ET.fromstring(data).findall(f"{TEI}TEI"))
    if form == "passages":
        return len({json.loads(line)["url"].partition("#")[0] for line in text.splitlines()})
    assert text.count("<doc ") == text.count("</doc>\n")
    return text.count("<doc ")


def check_corpus(data: bytes) -> None:
    """Fail where a `teiCorpus` or a document in it is not valid."""
    corpus = etree.fromstring(data)
    names = corpus.xpath("//@xml:id")
    assert isinstance(names, list)
    assert len(names) == len(set(names)), "a name of two notes"
    for schema in filter(None, (subset(), simple_print())):
        schema.assertValid(etree.ElementTree(corpus))


@pytest.mark.parametrize("source", INPUTS)
@pytest.mark.parametrize("form", FORMATS)
def test_every_corpus_becomes_every_format(
    source: str, form: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """A stream, a file and a directory; what has one page a file is refused with a way out."""
    if form == "jsonl":
        return  # rows
    if form not in JOININGS:
        for out in ("-", "out/"):
            with pytest.raises(CrfcleanError, match=rf"{source} holds many pages, .* use --format"):
                jobs([source], out, form)
    else:
        assert written([source], f"one.{form}", form).count(OK) == WITH_TEXT
        data = Path(f"one.{form}").read_bytes()
        assert pages_in(data, form) == WITH_TEXT
        written([source], f"one.{form}.gz", form)
        assert gzip.decompress(Path(f"one.{form}.gz").read_bytes()) == data
        written([source], "parts/", form)
        parts = [path.read_bytes() for path in sorted(Path("parts").glob(f"part-*.{form}"))]
        assert len(parts) > 1
        if form != "tei":
            assert b"".join(parts) == data
        capfdbinary.readouterr()
        written([source], "-", form)
        assert capfdbinary.readouterr().out == data
    written([source], "files/", form, files=True)
    names = [path.name for path in sorted(Path("files").glob("part-*/*"))]
    has_status = form == "json"  # it says why there is no text
    assert len(names) == WITH_TEXT + has_status
    assert all(name.endswith(f".{form}") for name in names)


@pytest.mark.parametrize("form", JOININGS)
def test_the_pages_of_a_directory_follow_each_other_in_a_file_and_a_stream(
    form: str, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    written(["pages"], f"one.{form}", form)
    data = Path(f"one.{form}").read_bytes()
    written(["pages"], "-", form)
    assert capfdbinary.readouterr().out == data
    if form != "passages":
        assert pages_in(data, form) == WITH_TEXT
    written(["pages"], "texts", form)
    assert [path.name for path in sorted(Path("texts").glob("*.*"))][-3:] == [
        f"{number}.{form}" for number in (0, 2, 3)
    ]
    if form != "tei":
        after = JOININGS[form].after.encode()
        assert (
            b"".join(path.read_bytes() + after for path in sorted(Path("texts").glob(f"*.{form}")))
            == data
        )


@pytest.mark.parametrize("form", FORMATS)
def test_a_page_is_a_text_as_before(form: str) -> None:
    if form == "jsonl":
        return  # a row
    written(["pages/0.html"], f"one.{form}", form)
    text = Path(f"one.{form}").read_text()
    assert "runs" in text
    assert PAGE_END not in text
    assert "teiCorpus" not in text


def test_every_ending_has_a_way_to_join_texts() -> None:
    assert (*JOININGS, *(f"{form}.gz" for form in JOININGS)) == TEXT_ENDINGS


@pytest.mark.parametrize("form", TEXT_ENDINGS)
def test_workers_change_no_byte(form: str) -> None:
    for workers in (1, 2):
        written(["c.warc.gz", "c.jsonl"], f"{workers}/", form, workers)
    parts = [path.name for path in sorted(Path("1").glob("part-*"))]
    assert len(parts) > 2
    for name in parts:
        assert Path("1", name).read_bytes() == Path("2", name).read_bytes()


@pytest.mark.parametrize(("form", "files"), [("vert", False), ("tei.gz", False), ("html", True)])
def test_a_run_that_was_killed_goes_on(
    form: str,
    files: bool,  # noqa: FBT001
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written(["c.jsonl"], "whole/", form, files=files)
    with monkeypatch.context() as patch:
        patch.setattr(TextWriter, "write", killed_at_the_second(TextWriter.write))
        with pytest.raises(KeyboardInterrupt):
            written(["c.jsonl"], "out/", form, files=files)
    assert read_tree("out") != read_tree("whole")
    again = written(["c.jsonl"], "out/", form, files=files, resume=ResumeParams(resume=True))
    assert "done-before" in again
    assert read_tree("out") == read_tree("whole")


def killed_at_the_second(write: Callable[..., str]) -> Callable[..., str]:
    calls = []

    def killed(*arguments: Any) -> str:
        calls.append(arguments)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return write(*arguments)

    return killed


def read_tree(folder: str) -> dict[str, bytes]:
    """The files of parts, by their names."""
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if not path.name.startswith((".", "_"))
    }


def test_another_format_is_another_run() -> None:
    written(["c.jsonl"], "out/", "html", files=True)
    with pytest.raises(CrfcleanError, match="--format was html/, is md/"):
        written(["c.jsonl"], "out/", "md", files=True, resume=ResumeParams(resume=True))
    written(["c.jsonl"], "out/", "md", files=True, resume=ResumeParams(overwrite=True))
    assert {path.suffix for path in Path("out").glob("part-*/*")} == {".md"}


@pytest.mark.parametrize(("out", "files"), [("out/", False), ("out/", True), ("out.vert", False)])
def test_duplicates_are_left_out(out: str, files: bool) -> None:  # noqa: FBT001
    Path("twice.jsonl").write_bytes(jsonl() + jsonl())
    signer = Signer("exact", 9, "vert")
    statuses = written(["twice.jsonl"], out, "vert", files=files, signer=signer)
    assert statuses.count(OK) == statuses.count("duplicate") == WITH_TEXT
    text = Path(out).read_bytes() if Path(out).is_file() else b"".join(read_tree("out").values())
    assert pages_in(text, "vert") == WITH_TEXT


LEFT_OUT = {
    "a low score": ({"min_score": 1.01}, "low-score"),
    "few words": ({"page_filter": PageFilter(min_words=99)}, "filtered"),
}


@pytest.mark.parametrize(("options", "status"), LEFT_OUT.values(), ids=LEFT_OUT)
@pytest.mark.parametrize("form", ["vert", "tei"])
def test_pages_that_are_left_out_have_no_text(
    options: dict[str, Any], status: str, form: str
) -> None:
    statuses = written(["c.jsonl"], f"out.{form}", form, **options)
    assert (statuses.count(status), statuses.count(OK)) == (WITH_TEXT, 0)
    assert b"runs" not in Path(f"out.{form}").read_bytes()


def test_own_files_have_names_of_their_addresses() -> None:
    Path("same.jsonl").write_text(
        "".join(
            json.dumps({"id": name, "url": url, "html": "<p>It runs again.</p>"}) + "\n"
            for name, url in {
                "a": "https://e.org/a/../../x.html",
                "b": "https://e.org/a/../../x.html",
                "../../c\0": None,
                "..": "https://e.org/" + "é" * 999,
            }.items()
        )
    )
    written(["same.jsonl"], "out/", "txt", files=True)
    names = sorted(path.name for path in Path("out").rglob("*.txt"))
    assert len(names) == 4
    assert sum(name.endswith("-x.txt") for name in names) == 2
    assert all(len(name.encode()) < 256 for name in names)


def test_the_command_says_what_it_wrote_and_what_is_possible(
    crfclean: Callable[..., Any], model: Path
) -> None:
    done = crfclean("clean", "c.warc.gz", "c.jsonl", "all.xml", "--model", model, "-j", 1)
    assert "2 without text" in done.err
    check_corpus(Path("all.xml").read_bytes())
    again = crfclean("clean", "c.warc.gz", "c.jsonl", "all.xml", "--model", model, "--resume")
    assert "1 output file done before" in again.err
    for arguments, message in WRONG.items():
        wrong = crfclean("clean", *arguments)
        assert (wrong.code, message in wrong.err) == (2, True), wrong.err


WRONG = {
    ("c.jsonl", "out.json"): "use --format jsonl, csv, parquet, txt, md, tei, vert, vertical",
    ("c.jsonl", "-", "--format", "html"): "or --files and a directory as OUT",
    ("c.jsonl", "-", "--files"): "--files needs an output directory",
    ("c.jsonl", "out.md", "--files"): "--files needs an output directory",
    ("c.jsonl", "out", "--files", "--format", "csv"): "--files writes a text for each page",
    ("c.jsonl", "out.vert.gz", "--format", "txt"): "its ending means vert.gz",
}


def test_passages_can_be_written_again(crfclean: Callable[..., Any], model: Path) -> None:
    for _ in range(2):
        assert crfclean("clean", "c.jsonl", "c.passages", "--model", model).code == 0


def test_a_file_of_many_has_what_the_own_file_of_a_page_has() -> None:
    for form in JOININGS:
        if form != "tei":
            page = decode(PAGES["https://e.org/"], "https://e.org/")
            text = TextWriter(form).write(run(page, KeepAll()), "p3")
            written(["c.jsonl"], f"all.{form}", form)
            assert Path(f"all.{form}").read_text().endswith(text + JOININGS[form].after)
