"""Tests of `corpus/jobs.py`: which page is read from where, and where its text goes."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from jobplans import jobs_of

from crfclean.corpus.jobs import Job, shard_job
from crfclean.corpus.records import FOLDER, JSONL, PAGE, WARC
from crfclean.gold.pages import HTML_SUFFIXES
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
    "standard output": ("-", "txt", ["-", "-", "-"]),
}


@pytest.mark.parametrize(("out", "ending", "targets"), MIRRORS.values(), ids=MIRRORS)
def test_directory_is_mirrored(pages: Path, out: str, ending: str, targets: list[str]) -> None:
    names = ["in/a.html", "in/b.htm", "in/sub/c.xhtml.gz"]
    assert told(jobs_of("in", out, ending)) == list(zip(names, targets, strict=True))
    assert out == "-" or Path(out).is_dir()


def test_every_kind_of_page_is_found(pages: Path) -> None:
    for suffix in HTML_SUFFIXES:
        touch(pages / "all" / f"page-{suffix.replace('.', '-')}{suffix}")
    jobs = jobs_of("all", "out", "txt")
    assert len(jobs) == len(HTML_SUFFIXES) == 6
    assert not any(job.refused for job in jobs)


def test_endings_may_be_in_upper_case(pages: Path) -> None:
    for name in ("A.HTML", "B.Htm", "C.XHTML.GZ"):
        touch(pages / "shouted" / name)
    targets = [target for _, target in told(jobs_of("shouted", "out", "txt"))]
    assert targets == ["out/A.txt", "out/B.txt", "out/C.txt"]


def test_order_is_that_of_paths(pages: Path) -> None:
    for name in ("z.html", "sub/a.html", "a/z.html", "B.html"):
        touch(pages / "more" / name)
    sources = [job.source for job in jobs_of("more", "-", "txt")]
    assert sources == sorted(path for path in sources if path)
    assert len(sources) == 4


def test_other_files_are_no_pages(pages: Path) -> None:
    (pages / "in" / "folder.html").mkdir()
    touch(pages / "in" / "folder.html" / "d.html")
    names = [job.name for job in jobs_of("in", "-", "txt")]
    assert names == ["in/a.html", "in/b.htm", "in/folder.html/d.html", "in/sub/c.xhtml.gz"]


SINGLE = {
    "to a file": ("in/a.html", "page.txt", "page.txt"),
    "to a file of another ending": ("in/a.html", "page.out", "page.out"),
    "to a new directory's file": ("in/a.html", "new/page.txt", "new/page.txt"),
    "to a directory": ("in/a.html", "sub", "sub/a.txt"),
    "gzipped, to a directory": ("in/sub/c.xhtml.gz", "sub", "sub/c.txt"),
    "of any name": ("in/notes.txt", "sub", "sub/notes.txt"),
    "to standard output": ("in/a.html", "-", "-"),
    "from standard input": ("-", "page.txt", "page.txt"),
    "from standard input to a directory": ("-", "sub", "sub/stdin.txt"),
    "from standard input to standard output": ("-", "-", "-"),
}


@pytest.mark.parametrize(("source", "out", "target"), SINGLE.values(), ids=SINGLE)
def test_single_page(pages: Path, source: str, out: str, target: str) -> None:
    (pages / "sub").mkdir()
    assert told(jobs_of(source, out, "txt")) == [(source, target)]


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


def test_same_name_in_two_directories_is_no_clash(pages: Path) -> None:
    touch(pages / "in" / "sub" / "a.html")
    assert not any(job.refused for job in jobs_of("in", "out", "txt"))


def test_no_clash_on_standard_output(pages: Path) -> None:
    touch(pages / "in" / "a.htm")
    assert not any(job.refused for job in jobs_of("in", "-", "txt"))


WRONG = {
    "input missing": ("absent", "out", "absent: no such file or directory"),
    "page missing": ("in/absent.html", "out", r"in/absent\.html: no such file or directory"),
    "no pages": ("empty", "out", r"empty: no pages \(\.html"),
    "output is a file": ("in", "file", "file: is a file"),
    "output below a file": ("in", "file/out", "file/out: cannot be made"),
    "output is the input": ("in", "in", "in: is the input"),
    "output is the input by another name": ("in", "in/sub/..", "is the input"),
    "output is the input by a link": ("in", "link", "link: is the input"),
    "output is the page": ("in/a.html", "in/a.html", r"in/a\.html: is the input"),
    "output is the page by another name": ("in/a.html", "in/sub/../a.html", "is the input"),
    "output is the page in its directory": ("in/notes.txt", "in", "is the input"),
}


@pytest.mark.parametrize(("source", "out", "message"), WRONG.values(), ids=WRONG)
def test_wrong_paths(pages: Path, source: str, out: str, message: str) -> None:
    touch(pages / "file")
    (pages / "empty").mkdir()
    (pages / "link").symlink_to("in")
    with pytest.raises(CrfcleanError, match=message):
        jobs_of(source, out, "txt")
    assert not (pages / "out").exists() or source == "empty"


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


def test_output_that_cannot_be_written_is_refused(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (pages / "out").mkdir()
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(CrfcleanError, match="out: cannot be written"):
        jobs_of("in", "out", "txt")


def test_links_to_pages_are_pages(pages: Path) -> None:
    (pages / "in" / "link.html").symlink_to("a.html")
    (pages / "in" / "broken.html").symlink_to("absent.html")
    names = [job.name for job in jobs_of("in", "out", "txt")]
    assert "in/link.html" in names
    assert "in/broken.html" in names, "a page that cannot be read is reported, not passed over"


def test_name_of_standard_input() -> None:
    assert Job(None, None).name == "-"
    assert Job(Path("a/b.html"), None).name == "a/b.html"


# shards


def shards(pages: Path) -> None:
    for name in ("x.warc.gz", "sub/y.jsonl", "odd name.bin"):
        path = pages / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        data = b"WARC/1.0\r\n" if "warc" in name else b'{"html": ""}\n'
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)


def test_shards_are_found_among_pages(pages: Path) -> None:
    shards(pages)
    found = [(job.name, str(job.target), job.kind, job.shard) for job in jobs_of("in", "out")]
    assert found == [
        ("in/a.html", "out/a.txt", PAGE, ""),
        ("in/b.htm", "out/b.txt", PAGE, ""),
        ("in/odd name.bin", "out/odd name.jsonl.gz", JSONL, "jsonl.gz"),
        ("in/sub/c.xhtml.gz", "out/sub/c.txt", PAGE, ""),
        ("in/sub/y.jsonl", "out/sub/y.jsonl.gz", JSONL, "jsonl.gz"),
        ("in/x.warc.gz", "out/x.jsonl.gz", WARC, "jsonl.gz"),
    ]


@pytest.mark.parametrize("out", ["all.jsonl", "all.jsonl.gz", "new/all.jsonl.xz"])
def test_directory_becomes_one_shard(pages: Path, out: str) -> None:
    (job,) = jobs_of("in", out)
    ending = out.partition(".")[2]
    assert job == Job(Path("in"), Path(out), "", FOLDER, ending)


def test_format_goes_before_the_ending(pages: Path) -> None:
    (job,) = jobs_of("in", "all.jsonl", "jsonl.gz")
    assert (job.shard, job.target) == ("jsonl.gz", Path("all.jsonl"))
    assert {job.shard for job in jobs_of("in", "out", "jsonl.gz")} == {"jsonl.gz"}
    assert {job.shard for job in jobs_of("in", "out2", "jsonl")} == {""}


def test_page_becomes_a_shard_where_out_ends_so(pages: Path) -> None:
    (job,) = jobs_of("in/a.html", "a.jsonl.gz")
    assert (job.kind, job.shard, job.target) == (PAGE, "jsonl.gz", Path("a.jsonl.gz"))


def test_shard_job(pages: Path) -> None:
    shards(pages)
    job = shard_job(Path("in/x.warc.gz"), Path("x.jsonl"))
    assert job == Job(Path("in/x.warc.gz"), Path("x.jsonl"), "", WARC, "jsonl")
    assert shard_job(Path("in"), Path("x.jsonl")).kind == FOLDER
