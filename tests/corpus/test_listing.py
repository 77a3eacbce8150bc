"""Tests of `corpus/listing.py`: pages, shards, and what is left out of a directory."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crfclean.corpus.listing import (
    GOLD,
    OUTPUT,
    SAVED,
    SAVED_FOLDERS,
    SPECIAL,
    list_files,
    listed_file,
)
from crfclean.corpus.records import JSONL, PAGE, WARC
from crfclean.types import install

HTML = b"<!DOCTYPE html><title>Ferry</title><p>The ferry sails again.</p>"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    return tmp_path


def put(name: str, data: bytes = HTML) -> Path:
    path = Path("in", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def listed(output: Path | None = None) -> dict[str, str]:
    """Name of each file -> its kind, or why it is left out."""
    files = list_files(Path("in"), output=output)
    return {f.path.relative_to("in").as_posix(): f.left_out or f.kind for f in files}


NAMES = ["a.html", "b.php", "c.aspx", "d.shtml", "page?id=3", "e.php?id=4", "none", "Article.12345"]


@pytest.mark.parametrize("name", [*NAMES, "notes.txt", "x.css", "odd.md"])
def test_a_page_is_one_whatever_its_name_is(folder: Path, name: str) -> None:
    put(name)
    assert listed() == {name: PAGE}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_pages_may_be_packed_by_gzip(folder: Path, name: str, suffix: str) -> None:
    put(name + suffix, gzip.compress(HTML))
    assert listed() == {name + suffix: PAGE}


def test_shards_are_known_by_their_content(folder: Path) -> None:
    put("a.warc.gz", gzip.compress(b"WARC/1.0\r\n"))
    put("b.bin", b'{"html": ""}\n')
    assert listed() == {"a.warc.gz": WARC, "b.bin": JSONL}


def test_a_file_that_needs_an_extra_stops_no_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    put("a.html")
    put("x.zst", b"\x28\xb5\x2f\xfd")
    files = {file.path.name: file.refused for file in list_files(Path("in"))}
    assert files == {"a.html": "", "x.zst": f"zstd needs its extra: {install('zst')}"}
    assert listed_file(Path("in/x.zst")).refused == files["x.zst"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_arc_files_are_refused(folder: Path, pack: Callable[[bytes], bytes]) -> None:
    put("x.arc.gz", pack(b"filedesc://x.arc 0.0.0.0 20080101000000 text/plain 9\n"))
    (file,) = list_files(Path("in"))
    assert file == listed_file(Path("in/x.arc.gz"))
    assert file.refused.endswith("warcio recompress x.arc.gz x.warc.gz")


# gold


def test_gold_beside_a_page_is_gold(folder: Path) -> None:
    golds = ["a.txt", "a.labels.tsv", "a.optional.txt", "a.with.txt", "a.without.txt"]
    for name in ("a.html", "b.txt", "c.d.htm.gz", "c.d.txt"):
        put(name)
    for name in golds:
        put(name, b"TEXT\tx")
    found = listed()
    assert {name for name, what in found.items() if what == GOLD} == {*golds, "c.d.txt"}
    assert found["b.txt"] == PAGE, "there is no page beside it, and it begins as one"


# saved pages


@pytest.mark.parametrize("end", [*SAVED_FOLDERS, "_FILES"])
@pytest.mark.parametrize("page", ["A. ferry.html", "A. ferry.htm", "A. ferry.php"])
def test_the_folder_of_a_saved_page_is_left_out(folder: Path, end: str, page: str) -> None:
    put(page)
    put(f"A. ferry{end}/frame.html")
    put(f"A. ferry{end}/deep/er/x.js", b"x")
    put(f"A. ferry{end}.html")
    found = listed()
    assert found[page] == found[f"A. ferry{end}.html"] == PAGE
    assert found[f"A. ferry{end}/frame.html"] == found[f"A. ferry{end}/deep/er/x.js"] == SAVED


def test_a_folder_of_a_saved_page_that_is_named_is_read(folder: Path) -> None:
    put("a.html")
    put("a_files/frame.html")
    assert [file.left_out for file in list_files(Path("in/a_files"))] == [""]


# output, links, special files


def test_the_output_is_no_input(folder: Path) -> None:
    put("a.html")
    put("out/a.html")
    put("out/sub/b.html")
    assert set(listed().values()) == {PAGE}
    found = listed(Path("in/../in/out"))
    assert found == {"a.html": PAGE, "out/a.html": OUTPUT, "out/sub/b.html": OUTPUT}


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_not_opened(folder: Path) -> None:
    os.mkfifo("in/pipe")
    os.mkfifo("in/pipe.html")
    files = {file.path.name: file for file in list_files(Path("in"))}
    assert files["pipe"].left_out == files["pipe.html"].refused == SPECIAL
