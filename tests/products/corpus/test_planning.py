"""Tests of `corpus/plan.py`: which page is read from where, and where its text goes."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from jobplans import jobs_of

from crfclean.document.formats import WRITERS
from crfclean.products.corpus.job import Job
from crfclean.products.corpus.output_names import (
    Endings,
    check_folder,
    check_no_page,
    check_suffix,
    endings_of,
    format_of,
    url_stem,
)
from crfclean.products.corpus.params import Fields
from crfclean.products.corpus.plan import Paths, plan
from crfclean.products.corpus.records import FOLDER, PAGE
from crfclean.types import CrfcleanError


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the pages `in/a.html`, `in/b.htm` and `in/sub/c.xhtml.gz`."""
    monkeypatch.chdir(tmp_path)
    for name in ("in/b.htm", "in/a.html", "in/sub/c.xhtml.gz", "in/notes.txt", "in/sub/x.css"):
        touch(tmp_path / name)
    return tmp_path


def touch(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"<p>text</p>")


def told(jobs: list[Job]) -> list[tuple[str, str]]:
    """Names of source and target."""
    return [(job.name, "-" if job.target is None else job.target.as_posix()) for job in jobs]


MIRRORS = {
    "txt": ("out", "txt", ["out/a.txt", "out/b.txt", "out/sub/c.txt"]),
    "json": ("out", "json", ["out/a.json", "out/b.json", "out/sub/c.json"]),
    "deep": ("deep/out", "md", ["deep/out/a.md", "deep/out/b.md", "deep/out/sub/c.md"]),
    "inside the input": ("in/out", "txt", ["in/out/a.txt", "in/out/b.txt", "in/out/sub/c.txt"]),
    "standard output": ("-", "html", ["-", "-", "-"]),
}


def shards(pages: Path) -> None:
    for name in ("x.warc.gz", "sub/y.jsonl", "odd name.bin"):
        path = pages / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"WARC/1.0\r\n" if "warc" in name else b'{"html": ""}\n'
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)


@pytest.mark.parametrize(("out", "ending", "targets"), MIRRORS.values(), ids=MIRRORS)
def test_directory_is_mirrored(pages: Path, out: str, ending: str, targets: list[str]) -> None:
    names = ["in/a.html", "in/b.htm", "in/sub/c.xhtml.gz"]
    assert told(jobs_of("in", out, ending)) == list(zip(names, targets, strict=True))
    assert not Path(out).exists(), "the run makes it"


def test_clash_is_refused_and_names_the_first(pages: Path) -> None:
    touch(pages / "in" / "a.htm")
    touch(pages / "in" / "a.html.gz")
    jobs = jobs_of("in", "out", "txt")
    assert [job.name for job in jobs if not job.refused] == [
        "in/a.htm",
        "in/b.htm",
        "in/sub/c.xhtml.gz",
    ]
    assert [(job.name, job.target, job.refused) for job in jobs if job.refused] == [
        (name, None, "would write the same out/a.txt as in/a.htm")
        for name in ("in/a.html", "in/a.html.gz")
    ]


WRONG = {
    "input missing": ("absent", "out", "absent: no such file or directory"),
    "page missing": ("in/absent.html", "out", r"in/absent\.html: no such file or directory"),
    "no pages": ("empty", "out", r"empty: no pages \(\.html"),
    "output is a file": ("in", "file", "file: is a file"),
    "output promises a file": ("in", "all.html", "need a directory: write all.html/$"),
    "output below a file": ("in", "file/out", "file/out: cannot be made"),
}


@pytest.mark.parametrize(("source", "out", "message"), WRONG.values(), ids=WRONG)
def test_wrong_paths(pages: Path, source: str, out: str, message: str) -> None:
    touch(pages / "file")
    (pages / "empty").mkdir()
    with pytest.raises(CrfcleanError, match=message):
        jobs_of(source, out, "html" if out.endswith(".html") else "txt")
    assert not (pages / "out").exists()


def test_directory_that_cannot_be_listed_is_refused(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = os.scandir

    def scandir(path: str) -> object:
        if Path(path).name == "sub":
            raise PermissionError(13, "Permission denied", str(path))
        return listed(path)

    monkeypatch.setattr(os, "scandir", scandir)
    jobs = jobs_of("in", "out", "txt")
    assert told(jobs[:2]) == [("in/a.html", "out/a.txt"), ("in/b.htm", "out/b.txt")]
    (refused,) = jobs[2:]
    assert (refused.name, refused.refused) == ("in/sub", "cannot be listed: Permission denied")


# corpora


def test_all_that_becomes_rows_is_one_corpus(pages: Path) -> None:
    shards(pages)
    found = [(job.name, str(job.target), job.kind, job.shard) for job in jobs_of("in", "out")]
    assert found == [
        ("in/a.html", "out/a.txt", PAGE, ""),
        ("in/b.htm", "out/b.txt", PAGE, ""),
        ("out", "out", FOLDER, "jsonl.gz"),
        ("in/sub/c.xhtml.gz", "out/sub/c.txt", PAGE, ""),
    ]
    corpus = jobs_of("in", "out")[2]
    assert corpus.sources == ("in/odd name.bin", "in/sub/y.jsonl", "in/x.warc.gz")
    assert corpus.is_folder


ONE = {
    "a directory": (["in"], "out", "parquet", "out", True),
    "a directory to a file": (["in"], "o.csv", None, "o.csv", False),
    "a corpus": (["in/x.warc.gz"], "out", None, "out", True),
    "a corpus to a file": (["in/x.warc.gz"], "o.jsonl", None, "o.jsonl", False),
    "several": (["in/x.warc.gz", "in/sub/y.jsonl"], "out/", "csv", "out", True),
    "pages": (["in/a.html", "in/b.htm"], "out", "parquet", "out", True),
    "standard output": (["in/x.warc.gz", "in/sub/y.jsonl"], "-", None, "None", False),
    "texts to standard output": (["in"], "-", "vert", "None", False),
    "texts to a file": (["in"], "o.vert", "vert", "o.vert", False),
    "texts of a corpus": (["in/x.warc.gz"], "out", "vert.gz", "out", True),
}


@pytest.mark.parametrize("name", ONE)
def test_rows_go_to_a_file_or_to_a_directory(pages: Path, name: str) -> None:
    pytest.importorskip("pyarrow")
    shards(pages)
    sources, out, ending, target, is_folder = ONE[name]
    (job,) = planned(*sources, out=out, ending=ending)
    assert (str(job.target), job.is_folder) == (target, is_folder)
    assert job.shard == (ending or {"o.csv": "csv", "out": "jsonl.gz"}.get(out, "jsonl"))


# several inputs


def planned(*sources: str, out: str = "out", ending: str | None = None) -> list[Job]:
    return list(plan(Paths(sources, out), ending).jobs)


def test_several_inputs_go_into_a_directory(pages: Path) -> None:
    jobs = planned("in/a.html", "in/sub/c.xhtml.gz", "in/notes.txt", "-")
    assert told(jobs) == [
        ("in/a.html", "out/a.txt"),
        ("in/sub/c.xhtml.gz", "out/c.txt"),
        ("in/notes.txt", "out/notes.txt"),
        ("-", "out/stdin.txt"),
    ]
    assert not Path("out").exists(), "the run makes it"


# formats and names of outputs


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


PROMISES = {
    "out.txt": "txt",
    "a/out.md": "md",
    "out.MARKDOWN": "md",
    "out.html": "html",
    "out.htm": "html",
    "out.json": "json",
    "out.tei": "tei",
    "out.tei.xml": "tei",
    "out.xml": "tei",
    "out": None,
    "out.pdf": None,
    "-": None,
    "out.md/": None,
    "out.jsonl": None,
    "out.jsonl.gz": None,
    "out.parquet": None,
    "out.xml.gz": "tei.gz",
    "out.vert.gz": "vert.gz",
}


@pytest.mark.parametrize(("target", "ending"), PROMISES.items(), ids=PROMISES)
def test_format_that_a_name_promises(target: str, ending: str | None) -> None:
    assert format_of(target, None, WRITERS) == ending


@pytest.mark.parametrize("target", ["x.docx", "o.jsonl.bz2", "o.txt.bz2", "o.PDF", "o.zip"])
def test_a_suffix_of_another_format_is_refused(target: str) -> None:
    with pytest.raises(CrfcleanError, match=r"nothing is written as \.\w+: .* \.txt or \.md, "):
        check_suffix(target, None, ["txt", "md"])


@pytest.mark.parametrize("target", ["o.md", "o.jsonl.gz", "o", "-", "old.new/", "a.12", "v1.0"])
def test_other_names_are_not_refused(target: str) -> None:
    check_suffix(target, None, ["txt", "md"])


def test_a_chosen_format_allows_any_suffix_but_a_packing(tmp_path: Path) -> None:
    check_suffix("o.log", "txt", ["txt"])
    check_suffix(str(tmp_path), None, ["txt"])
    with pytest.raises(CrfcleanError, match=r"nothing is written as \.bz2"):
        check_suffix("o.jsonl.bz2", "jsonl", ["txt"])


ENDINGS = {
    "nothing said": ("-", None, Endings("txt", "jsonl")),
    "a directory": ("out", None, Endings("txt", "jsonl.gz")),
    "a format": ("out", "md", Endings("md", "md")),
    "a shard": ("out.jsonl.xz", None, Endings("", "jsonl.xz", "jsonl.xz")),
    "a directory to be made": ("out.jsonl/", None, Endings("txt", "jsonl.gz")),
    "rows": ("out", "jsonl.gz", Endings("", "jsonl.gz")),
    "JSON of a page, a line": ("out", "jsonl", Endings("jsonl", "jsonl")),
    "a file of texts": ("out.vert", "vert", Endings("vert", "vert", "vert")),
    "a packed file of texts": ("out.vert.gz", "vert.gz", Endings("", "vert.gz", "vert.gz")),
    "packed texts": ("out", "vert.gz", Endings("", "vert.gz")),
}


@pytest.mark.parametrize(("out", "ending", "expected"), ENDINGS.values(), ids=ENDINGS)
def test_endings(out: str, ending: str | None, expected: Endings) -> None:
    assert endings_of(out, ending) == expected


URLS = {
    "https://x.example/news.php?id=3": ("news", "news-id-3"),
    "https://x.example/news.php?id=4": ("news", "news-id-4"),
    "https://x.example/": ("x.example", "x.example"),
    "https://x.example/?p=1": ("x.example", "x.example-p-1"),
    "https://[": ("page", "page"),
}


@pytest.mark.parametrize(("url", "stems"), URLS.items(), ids=URLS)
def test_stems_of_urls(url: str, stems: tuple[str, str]) -> None:
    assert (url_stem(url), url_stem(url, query=True)) == stems


# what would be lost

PAGES = {
    "b.html": b"<!DOCTYPE html><html><head><title>x</title><link rel=x></head>",
    "b.php": b"<html><body>",
    "b.jsonl": b'{"html": "<p>x</p>"}\n',
    "c.jsonl.gz": gzip.compress(b'{"id": "1", "content": "<p>x</p>"}\n'),
    "b.warc": b"WARC/1.0\r\n",
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_not_overwritten(name: str) -> None:
    """A shell makes `a.html b.html` of `*.html`, and the second would be OUT."""
    Path(name).write_bytes(PAGES[name])
    with pytest.raises(CrfcleanError, match=f"^{name}: is an input page, but the last path is"):
        check_no_page(name, Fields())


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_rows_of_an_earlier_run_are_overwritten(pack: Callable[[bytes], bytes]) -> None:
    Path("rows").write_bytes(pack(b'{"id": "1", "url": null, "status": "ok", "text": "<p>x"}\n'))
    check_no_page("rows", Fields())


def test_a_directory_that_can_be_made_is_not_made_yet() -> None:
    check_folder(Path("a/b"), "pages")
    assert not Path("a").exists()
    check_folder(Path(), "pages")
    Path("file").touch()
    for name in ("file/a", "file/a/b"):
        with pytest.raises(CrfcleanError, match=rf"^{name}: cannot be made: .*file.*"):
            check_folder(Path(name), "pages")
    with pytest.raises(CrfcleanError, match=r"cannot be made: File name too long$"):
        check_folder(Path("a" * 999), "pages")
    with pytest.raises(CrfcleanError, match=r"^file: is a file; several inputs need a directory$"):
        check_folder(Path("file"), "several inputs")
