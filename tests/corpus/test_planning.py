"""Tests of `corpus/planning.py`: which page is read from where, and where its text goes."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest
from jobplans import jobs_of

from crfclean.corpus.jobs import Job, Paths
from crfclean.corpus.listing import GOLD, NO_HTML
from crfclean.corpus.planning import plan
from crfclean.corpus.records import FOLDER, JSONL, PAGE, WARC
from crfclean.page.file_names import HTML_SUFFIXES
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
    assert not Path(out).exists(), "the run makes it"


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


def test_directories_among_several_inputs_keep_their_names(pages: Path) -> None:
    touch(pages / "in2" / "a.html")
    assert told(planned("in", "in2", "in/a.html")) == [
        ("in/a.html", "out/in/a.txt"),
        ("in/b.htm", "out/in/b.txt"),
        ("in/sub/c.xhtml.gz", "out/in/sub/c.txt"),
        ("in2/a.html", "out/in2/a.txt"),
        ("in/a.html", "out/a.txt"),
    ]


def test_missing_inputs_are_refused_one_by_one(pages: Path) -> None:
    long = "x" * 5_000
    jobs = planned("in/a.html", "absent", long, "a\0b", "in/b.htm")
    assert [job.refused for job in jobs] == ["", *["no such file or directory"] * 3, ""]


def test_one_input_of_a_list_is_one_of_many(pages: Path) -> None:
    listed = plan(Paths(("in/a.html",), "out", listed=True))
    assert told(list(listed.jobs)) == [("in/a.html", "out/a.txt")]
    (job,) = plan(Paths(("absent",), "out", listed=True)).jobs
    assert job.refused == "no such file or directory"


def test_several_inputs_go_into_one_shard(pages: Path) -> None:
    (job,) = planned("in/a.html", "in", "absent", out="all.jsonl.gz")
    assert (job.sources, job.shard, job.kind) == (("in/a.html", "in", "absent"), "jsonl.gz", FOLDER)
    assert (job.source, job.target, job.name) == (None, Path("all.jsonl.gz"), "all.jsonl.gz")


def test_same_names_of_several_inputs_are_refused(pages: Path) -> None:
    touch(pages / "more" / "a.html")
    jobs = planned("in/a.html", "more/a.html", "in/a.html")
    refused = "would write the same out/a.txt as in/a.html"
    assert [job.refused for job in jobs] == ["", refused, refused]
    assert [job.name for job in jobs] == ["in/a.html", "more/a.html", "in/a.html"]


SAME_ELSEWHERE = {
    "case": ("A.html", "a.html"),
    "case of a directory": ("SUB/a.html", "sub/a.html"),
    "composed letters": ("n\u00e1.html", "na\u0301.html"),
    "both": ("N\u00c1.html", "na\u0301.html"),
    "sharp s": ("Stra\u00dfe.html", "strasse.html"),
}


@pytest.mark.parametrize("names", SAME_ELSEWHERE.values(), ids=SAME_ELSEWHERE)
def test_names_that_are_the_same_on_other_systems_are_refused(
    pages: Path, names: tuple[str, str]
) -> None:
    for name in names:
        touch(pages / "two" / name)
    if len(list((pages / "two").rglob("*.html"))) < 2:
        pytest.skip("this file system ignores case or Unicode's forms")
    first, second = jobs_of("two", "out")
    assert not first.refused
    expected = f"would write the same file as {first.name} where names ignore case"
    assert (second.refused, second.target) == (expected, None)


MORE_WRONG = {
    "standard input twice": (("-", "-"), "out", "can only be read once"),
    "output is an input": (("in/a.html", "in/b.htm"), "in/b.htm", "is the input"),
    "output is a directory of input": (("in/a.html", "in"), "in", "is the input: its texts"),
    "output among the pages": (("in/a.html", "in"), "in/all.jsonl", "lies among the pages"),
    "output is a file": (("in/a.html", "in/b.htm"), "file", "is a file; several inputs need"),
    "output is of one text": (
        ("in/a.html", "in/b.htm"),
        "o.md",
        r"one file of md, .* o\.md/ makes",
    ),
    "directory to one text": (("in",), "o.json", r"one file of json, but a directory's pages"),
}


@pytest.mark.parametrize(("sources", "out", "message"), MORE_WRONG.values(), ids=MORE_WRONG)
def test_wrong_paths_of_several(
    pages: Path, sources: tuple[str, ...], out: str, message: str
) -> None:
    touch(pages / "file")
    with pytest.raises(CrfcleanError, match=message):
        planned(*sources, out=out)


def test_a_slash_names_a_directory(pages: Path) -> None:
    assert told(planned("in/a.html", out="new/deep/")) == [("in/a.html", "new/deep/a.txt")]
    assert told(planned("in", out="all.jsonl/"))[0] == ("in/a.html", "all.jsonl/a.txt")
    assert not Path("all.jsonl").exists(), "the run makes it"


# pages that become rows of shards in a directory


def test_pages_of_a_directory_share_a_shard(pages: Path) -> None:
    """A file of one row for each page would be of no use."""
    touch(pages / "in" / "sub" / "deep" / "d.html")
    touch(pages / "in" / "z.html")
    shards(pages)
    jobs = jobs_of("in", "out", "jsonl.xz")
    found = {str(job.target): job.sources or (str(job.source),) for job in jobs}
    assert found == {
        "out/in.jsonl.xz": ("in/a.html", "in/b.htm", "in/z.html"),
        "out/odd name.jsonl.xz": ("in/odd name.bin",),
        "out/sub.jsonl.xz": ("in/sub/c.xhtml.gz",),
        "out/sub/deep.jsonl.xz": ("in/sub/deep/d.html",),
        "out/sub/y.jsonl.xz": ("in/sub/y.jsonl",),
        "out/x.jsonl.xz": ("in/x.warc.gz",),
    }


def test_single_pages_do_not_say_what_their_shard_is_called(pages: Path) -> None:
    with pytest.raises(CrfcleanError, match=r"name it, as in out\.jsonl\.gz$"):
        planned("in/a.html", "in/b.htm", ending="jsonl.gz")


# what is left out


def test_what_is_left_out_is_planned(pages: Path) -> None:
    touch(pages / "in" / "a.txt")
    (pages / "in" / "style.css").write_bytes(b"p {}")
    left_out = plan(Paths(("in",), "out")).left_out
    names = [(file.path.as_posix(), file.left_out) for file in left_out]
    assert ("in/a.txt", GOLD) in names
    assert ("in/style.css", NO_HTML) in names
    more = plan(Paths(("in", "in/b.htm"), "out2")).left_out
    assert more == left_out


def test_a_directory_without_pages_says_what_it_has(pages: Path) -> None:
    (pages / "only").mkdir()
    (pages / "only" / "style.css").write_bytes(b"p {}")
    with pytest.raises(CrfcleanError, match=r"only: no pages .*; files left out: 1$"):
        jobs_of("only", "out")
    (job,) = planned("only", "only")[:1]
    assert job.refused == "no pages in it"
