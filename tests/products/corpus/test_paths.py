"""Tests of `corpus/command_paths.py`: IN, OUT and lists, as users type them, for every command."""

from __future__ import annotations

import gzip
import io
import json
import os
import quopri
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from warcs import record

from crfclean import extract
from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED, EXIT_USAGE
from crfclean.products.corpus.listing import GOLD
from crfclean.products.corpus.records import CORPUS_AT_STDIN
from crfclean.products.corpus.rows import row_lines

Command = Callable[..., Any]
GOOD = "The lake froze over in January, and the ferry stayed in its harbour for three weeks. "
PAGE = (
    "<!DOCTYPE html><html><head><title>Ferry</title></head><body>"
    f"<h1>Ferry in the ice</h1><p>{GOOD * 3}</p></body></html>"
)
ARCHIVE = (
    b"From: <Saved by Blink>\r\nSnapshot-Content-Location: https://example.org/ferry\r\n"
    b'MIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="x"\r\n\r\n'
    b"--x\r\nContent-Type: text/html\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n"
    + quopri.encodestring(PAGE.encode())
    + b"\r\n--x--\r\n"
)
SUMMARY = "{}: {} cleaned, 0 without text, 0 failed"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the pages `in/a.html` and `in/b.php`."""
    monkeypatch.chdir(tmp_path)
    for name in ("in/a.html", "in/b.php"):
        put(name)
    return tmp_path


def put(name: str, data: bytes = PAGE.encode()) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_bytes(data)


def files(name: str) -> list[str]:
    """The files below a directory but for the record of its run."""
    paths = (path for path in Path(name).rglob("*") if path.is_file() and path.name[0] != ".")
    return sorted(path.relative_to(name).as_posix() for path in paths)


@pytest.fixture
def clean(crfclean: Command, model: Path) -> Command:
    """Run `crfclean clean` with the small model, in this process."""
    return lambda *arguments, **more: crfclean("clean", *arguments, "--model", model, **more)


# saved pages of every name


def test_saved_pages_are_cleaned_whatever_their_names_are(clean: Command, folder: Path) -> None:
    for name in ("c.aspx", "d.shtml", "page?id=3", "none", "Ferry.htm"):
        put(f"in/{name}")
    put("in/old.gz", gzip.compress(PAGE.encode()))
    put("in/saved.mhtml", ARCHIVE)
    put("in/Ferry_files/frame.html")
    put("in/Ferry_files/style.css", b"p {}")
    put("in/style.css", b"p {}")
    put("in/Ferry.txt", b"gold")
    done = clean("in", "out", "--failures", "failures.tsv")
    left_out = f"2 in the folder of a saved page, 1 {GOLD}, 1 no HTML (.css)"
    assert done.told == f"{SUMMARY.format('9 pages', 9)}; 4 files left out: {left_out}\n"
    assert done.code == EXIT_OK
    names = ["Ferry", "a", "b", "c", "d", "none", "old", "page?id=3", "saved"]
    assert files("out") == [f"{name}.txt" for name in names]
    assert len({Path("out", f"{name}.txt").read_text() for name in names}) == 1
    assert Path("failures.tsv").read_text().splitlines() == [
        f"in/Ferry.txt\tleft-out\t{GOLD}",
        "in/Ferry_files/frame.html\tleft-out\tin the folder of a saved page",
        "in/Ferry_files/style.css\tleft-out\tin the folder of a saved page",
        "in/style.css\tleft-out\tno HTML",
    ]


def test_output_below_the_input_is_not_read_again(clean: Command, folder: Path) -> None:
    for _ in range(2):
        done = clean("in", "in/out", "--format", "md")
        assert SUMMARY.format("2 pages", 2) in done.err
    assert "3 files left out: in the folder of the output" in done.err
    assert files("in/out") == ["a.md", "b.md"]


# entries of a directory that cannot be read

LOOP = "cannot be read: Too many levels of symbolic links"


@pytest.mark.skipif(sys.platform != "linux", reason="names of errors")
@pytest.mark.parametrize("out", ["out/", "out.jsonl"])
def test_a_link_to_itself_ends_no_run(clean: Command, folder: Path, out: str) -> None:
    Path("in/loop").symlink_to("loop")
    Path("in/loop.html").symlink_to("loop.html")
    done = clean("in", out, "--failures", "failures.tsv")
    assert done.code == EXIT_SOME_FAILED
    assert "4 pages: 2 cleaned, 0 without text, 2 failed\n" in done.err
    lines = Path("failures.tsv").read_text().splitlines()
    assert [line.split("\t")[1:] for line in lines] == [["failed", LOOP]] * 2
    assert ["in/loop" in line for line in lines] == [True, True]


def test_a_directory_that_may_not_be_read_is_a_failure(
    clean: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is IN itself here: `'.' is not in the subpath of 'in'` was all that a user saw."""

    def scandir(path: str) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(os, "scandir", scandir)
    done = clean("in", "out/")
    assert done.code == EXIT_NOTHING
    assert done.err.startswith("in: cannot be listed: Permission denied\n1 page: 0 cleaned")


@pytest.mark.skipif(sys.platform != "linux", reason="names of errors")
def test_other_commands_name_what_they_leave_out(
    crfclean: Command, model: Path, folder: Path
) -> None:
    put("in/a.txt", GOOD.encode())
    Path("in/loop.html").symlink_to("loop.html")
    done = crfclean("eval", "in", "--model", model)
    assert done.err.startswith(f"left out: in/loop.html: {LOOP}\n")
    assert done.code == EXIT_OK


@pytest.mark.skipif(sys.platform != "linux", reason="names of errors")
def test_an_input_that_cannot_be_read_is_not_missing(clean: Command, folder: Path) -> None:
    Path("loop").symlink_to("loop")
    done = clean("loop", "out/")
    assert (done.code, done.err) == (EXIT_USAGE, f"crfclean: loop: {LOOP}\n")


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="no links")
def test_an_output_that_links_to_itself_is_refused(clean: Command, folder: Path) -> None:
    Path("loop").symlink_to("loop")
    done = clean("in", "loop/")
    assert done.code != EXIT_OK
    assert "loop: cannot be" in done.err


# records of crawls


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet"])
def test_cut_pages_are_told_in_rows_and_summary(clean: Command, folder: Path, ending: str) -> None:
    whole = record("https://e.org/1", PAGE.encode())
    partly = record("https://e.org/2", PAGE.encode(), "206 Partial Content")
    put("in.warc.gz", whole + partly)
    done = clean("in.warc.gz", f"out.{ending}")
    assert SUMMARY.format("2 pages", 2) + ", 1 truncated" in done.told
    rows = map(json.loads, row_lines(Path(f"out.{ending}"), ending))
    assert [row["truncated"] for row in rows] == ["", "http"]


# WACZ


def test_a_wacz_is_read_like_its_warc_file(clean: Command, folder: Path) -> None:
    pages = [PAGE.replace("Ferry in", f"Ferry {number} in").encode() for number in range(40)]
    warc = b"".join(record(f"https://e.org/{n}", page) for n, page in enumerate(pages))
    put("in.warc.gz", warc)
    with zipfile.ZipFile("in.wacz", "w") as archive:
        archive.writestr("archive/data.warc.gz", warc)
    assert clean("in.warc.gz", "one.jsonl").code == EXIT_OK
    for out, more in {"a.jsonl": (), "b.jsonl": ("--workers", 2)}.items():
        done = clean("in.wacz", out, *more)
        assert SUMMARY.format("40 pages", 40) in done.told
        told = Path(out).read_text("utf-8").replace("in.wacz", "in.warc.gz")
        assert told == Path("one.jsonl").read_text("utf-8")
    put("in/c.wacz", Path("in.wacz").read_bytes())
    put("in/d.wacz", Path("in.wacz").read_bytes()[:500])
    done = clean("in", "out.jsonl")
    assert "in/d.wacz: cannot be read: a damaged or incomplete zip archive" in done.err
    assert "43 pages: 42 cleaned, 0 without text, 1 failed" in done.err


# web archives


@pytest.mark.parametrize("name", ["x.mhtml", "x.MHT", "x", "x.html"])
def test_a_web_archive_is_a_page(clean: Command, folder: Path, name: str) -> None:
    put(name, ARCHIVE)
    done = clean(name, "-", "--format", "jsonl")
    assert done.code == EXIT_OK
    row = json.loads(done.out)
    assert (row["url"], row["title"]) == ("https://example.org/ferry", "Ferry in the ice")
    assert clean("-", "-", "--format", "jsonl", stdin=ARCHIVE).out == done.out


# lists


def test_a_list_of_paths(clean: Command, folder: Path) -> None:
    put("list", "\ufeffin/a.html\r\n\n  \nabsent#1.html\nin/b.php".encode())
    done = clean("--input-list", "list", "out", "--failures", "failures.tsv")
    assert (done.code, files("out")) == (EXIT_SOME_FAILED, ["a.txt", "b.txt"])
    told = "absent#1.html\tfailed\tno such file or directory\n"
    assert Path("failures.tsv").read_text() == told


# all commands

COMMANDS = {
    "metadata": ("json", '{\n "url": null', "yaml"),
    "segment": ("json", '{\n "url": null', "txt"),
    "forum": ("jsonl", "", "csv"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_takes_the_same_paths(
    crfclean: Command, folder: Path, root: Path, forum_folder: Path, name: str
) -> None:
    default, start, other = COMMANDS[name]
    more = ["--model", forum_folder] if name == "forum" else []
    posts = (root / "data" / "forum" / "zahradka-forum" / "1.html").read_bytes()
    for page in ("in/a.html", "in/b.php") if name == "forum" else ():
        put(page, posts)
    put("in/style.css", b"p {}")
    done = crfclean(name, "in", "out", *more)
    assert (done.code, files("out")) == (EXIT_OK, [f"a.{default}", f"b.{default}"])
    assert "; 1 file left out: no HTML (.css)\n" in done.err
    put("list", b"in/a.html\nabsent\n")
    done = crfclean(name, "--input-list", "list", "out2/", *more)
    assert (done.code, files("out2")) == (EXIT_SOME_FAILED, [f"a.{default}"])
    assert crfclean(name, "in/a.html", *more).out.startswith(start)
    assert crfclean(name, "in/a.html", f"o.{other}", *more).code == EXIT_OK
    assert Path(f"o.{other}").read_text("utf-8")[:1] not in {"", "{"}
    done = crfclean(name, "in/a.html", "o.tei", *more)
    assert (done.code, "this command does not write tei" in done.err) == (EXIT_USAGE, True)


@pytest.mark.parametrize("table", ["m.csv", "m.parquet"])
def test_the_command_that_writes_a_table_is_named(
    crfclean: Command, folder: Path, model: Path, table: str
) -> None:
    put("pages/a.html")
    done = crfclean("metadata", "pages", table)
    assert done.code == EXIT_USAGE
    assert not Path(table).exists()
    (typed,) = re.findall(r"`crfclean (.*?)` writes title, authors, dates", done.err)
    assert crfclean(*typed.replace("IN", "pages").split(), "--model", model).code == EXIT_OK
    (row,) = map(json.loads, row_lines(Path(table), table.partition(".")[2]))
    assert {"title", "authors", "published"} <= {*row}


_WACZ = io.BytesIO()
with zipfile.ZipFile(_WACZ, "w") as _archive:
    _archive.writestr("archive/data.warc.gz", b"")

CORPORA = {
    "WACZ": _WACZ.getvalue(),
    "JSON array": b'[{"html": "<p>Rain.</p>"}]',
    "WARC": b"WARC/1.0\r\nWARC-Type: response\r\n\r\n<p>Rain.</p>",
    "WARC in gzip": gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n\r\n<p>Rain.</p>"),
    "ARC": b"filedesc://x.arc 0.0.0.0 20080101000000 text/plain 9\n<p>Rain.</p>",
    "JSONL": b'{"html": "<p>Rain.</p>"}\n',
    "JSONL with other fields": b'{"content": "<p>Rain.</p>"}\n',
}


@pytest.mark.parametrize("data", CORPORA.values(), ids=CORPORA)
def test_a_corpus_at_standard_input_is_no_page(clean: Command, data: bytes) -> None:
    done = clean("-", stdin=data)
    assert (done.code, done.out) == (EXIT_NOTHING, "")
    assert done.err.startswith(f"-: {CORPUS_AT_STDIN}\n")
    assert not extract(data) or data.startswith(b"filedesc")
