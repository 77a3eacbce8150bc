"""Tests of `corpus/listing.py`: pages, shards, and what is left out of a directory."""

from __future__ import annotations

import gzip
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from crfclean.cli.paths import unreadable, why_missing
from crfclean.products.corpus.listing import (
    GOLD,
    LINK,
    OUTPUT,
    SAVED,
    SAVED_FOLDERS,
    SPECIAL,
    list_files,
    listed_file,
)
from crfclean.products.corpus.records import JSONL, PAGE, WARC
from crfclean.products.corpus.sniffing import OTHER_SUFFIXES, SNIFF_BYTES, is_html
from crfclean.types import how_to_install

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


def test_jsonl_with_other_fields_is_left_out(folder: Path) -> None:
    put("log.jsonl", b'{"at": 1}\n')
    assert listed() == {"log.jsonl": 'JSONL without "html"'}
    assert listed_file(Path("in/log.jsonl")).refused.startswith("its first lines have no field")


def test_a_file_that_needs_an_extra_stops_no_other(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    put("a.html")
    put("x.zst", b"\x28\xb5\x2f\xfd")
    files = {file.path.name: file.refused for file in list_files(Path("in"))}
    assert files == {"a.html": "", "x.zst": f"zstd needs its extra: {how_to_install('zst')}"}
    assert listed_file(Path("in/x.zst")).refused == files["x.zst"]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_arc_files_are_refused(folder: Path, pack: Callable[[bytes], bytes]) -> None:
    put("x.arc.gz", pack(b"filedesc://x.arc 0.0.0.0 20080101000000 text/plain 9\n"))
    (file,) = list_files(Path("in"))
    assert file == listed_file(Path("in/x.arc.gz"))
    assert file.refused.endswith("warcio recompress x.arc.gz x.warc.gz")


# gold


def test_gold_beside_a_page_is_gold(folder: Path) -> None:
    golds = [
        "a.txt",
        "a.labels.tsv",
        "a.labels.bert.tsv",
        "a.labels.kept.tsv",
        "a.optional.txt",
        "a.with.txt",
        "a.without.txt",
    ]
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


# entries that cannot be read speak for themselves

LINKS = {
    "loop.html": "loop.html",
    "loop": "loop",
    "gone.html": "nowhere",
    "up": "..",
    "chain.html": "../chain/60",
}
LOOP = "cannot be read: Too many levels of symbolic links"


def put_links() -> None:
    Path("chain").mkdir()
    for number in range(60):
        Path("chain", str(number + 1)).symlink_to(str(number))
    for name, target in LINKS.items():
        Path("in", name).symlink_to(target)


@pytest.mark.skipif(sys.platform != "linux", reason="names of errors")
def test_a_link_speaks_for_itself(folder: Path) -> None:
    put("a.html")
    put_links()
    files = {file.path.name: file for file in list_files(Path("in"))}
    assert files.pop("up").left_out == LINK
    assert {name: file.refused for name, file in files.items()} == {
        "a.html": "",
        "chain.html": LOOP,
        "gone.html": "cannot be read: No such file or directory",
        "loop": LOOP,
        "loop.html": LOOP,
    }


@pytest.mark.skipif(sys.platform != "linux", reason="names of errors")
def test_links_that_lead_nowhere_are_named(folder: Path) -> None:
    put("a.html")
    put_links()
    assert sorted(unreadable(Path("in"))) == [
        f"in/chain.html: {LOOP}",
        "in/gone.html: no such file or directory",
        f"in/loop.html: {LOOP}",
        f"in/loop: {LOOP}",
    ]


def test_a_folder_that_may_not_be_read_speaks_for_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a.html")
    put("closed/b.html")
    put("c.html")
    real = os.scandir

    def scandir(path: str | Path) -> object:
        if Path(path).name == "closed":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    files = {file.path.name: file.refused for file in list_files(Path("in"))}
    assert files == {"a.html": "", "c.html": "", "closed": "cannot be listed: Permission denied"}
    assert list(unreadable(Path("in"))) == ["in/closed: cannot be listed: Permission denied"]


def test_a_file_in_a_folder_that_may_not_be_entered_speaks_for_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a directory of mode 444: it can be listed, but says nothing of its files."""
    put("a.html")
    put("half/b.html")
    real = Path.stat

    def stat(path: Path, **keywords: bool) -> os.stat_result:
        if path.parent.name == "half":
            raise PermissionError(13, "Permission denied", str(path))
        return real(path, **keywords)

    monkeypatch.setattr(Path, "stat", stat)
    files = {file.path.name: file.refused for file in list_files(Path("in"))}
    assert files == {"a.html": "", "b.html": "cannot be read: Permission denied"}
    assert why_missing(Path("in/half/b.html")) == "cannot be read: Permission denied"


# what is a page by its first bytes


PAGES = {
    "doctype": b"<!DOCTYPE html><title>x</title>",
    "old doctype": b'<!doctype HTML PUBLIC "-//W3C//DTD HTML 4.01//EN">',
    "empty doctype": b"<!DOCTYPE>\n<p>x",
    "html": b"<html>",
    "html with attributes": b"<HTML lang=en>",
    "head": b"\n\n <head><title>x</title>",
    "body": b"<body bgcolor=white>",
    "frames": b"<frameset cols='20%,80%'>",
    "piece of a page": b"<div class=x><p>Ferry</p></div>",
    "heading": b"<h1>Ferry in the ice</h1>",
    "break": b"<br/>Ferry",
    "byte order mark": b"\xef\xbb\xbf<html>",
    "UTF-16, little end": "\ufeff<html>".encode("utf-16-le"),
    "UTF-16, big end": "\ufeff<!doctype html>".encode("utf-16-be"),
    "white space": b" \r\n\t" * 5_000 + b"<html>",
    "NULs": b"\0\0<html>",
    "comments": b"<!-- saved from url=(0014)about:internet -->\n<!-- more --><html>",
    "XHTML": b'<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "x"><html xmlns="y">',
    "XHTML without doctype": b"<?xml version='1.0'?>\n<html xmlns='http://www.w3.org/1999/xhtml'>",
    "a warning of PHP first": b"Warning: mysql_connect() failed in /x.php\n<!DOCTYPE html>\n",
    "an answer of HTTP": b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html><body>",
    "web archive": b"MIME-Version: 1.0\nContent-Type: multipart/related; boundary=x\n\n--x",
}


@pytest.mark.parametrize("head", PAGES.values(), ids=PAGES)
@pytest.mark.parametrize("suffix", ["", ".php", ".aspx", ".shtml", ".PHP?id=3", ".cz"])
def test_pages(head: bytes, suffix: str) -> None:
    assert is_html(head, suffix)


OTHERS = {
    "nothing": b"",
    "words": b"Ferry in the ice.",
    "words with a tag": b"Ferry <b>in</b> the ice.",
    "code about pages": b"var page = '<!doctype html>'\n",
    "code about pages, a line of its own": b"// a template\n<html>\n",
    "Python": b"import x\n\nPAGE = '''\n<html>\n'''\n",
    "PHP source": b"<?php include 'head.php'; ?>\n<html><body>",
    "JSP source": b"<%@ page language='java' %>\n<html>",
    "JSON": b'{"html": "<html>"}',
    "a list of JSON": b'[\n"<html>",\n',
    "CSS": b"body { color: red }",
    "CSS comment": b"/*\n<html>\n*/",
    "SVG": b'<svg xmlns="http://www.w3.org/2000/svg"><title>x</title></svg>',
    "SVG with a declaration": b'<?xml version="1.0"?><!DOCTYPE svg PUBLIC "x"><svg><a>x</a></svg>',
    "RSS": b'<?xml version="1.0"?><rss><channel><title>x</title>',
    "RSS without a declaration": b"<rss version='2.0'><channel><title>x</title>",
    "Atom": b'<feed xmlns="http://www.w3.org/2005/Atom"><title>x</title></feed>',
    "sitemap": b'<?xml version="1.0"?><urlset><url><loc>https://x.example/</loc>',
    "JATS": b'<?xml version="1.0"?>\n<article><body>',
    "another doctype": b"<!DOCTYPE plist PUBLIC 'x'><plist>",
    "PNG": b"\x89PNG\r\n\x1a\n" + bytes(100),
    "PDF": b"%PDF-1.7\n<html>\n",
    "zip": b"PK\x03\x04" + bytes(99) + b"\n<html>\n",
    "unclosed comment": b"<!-- " + b"x" * SNIFF_BYTES,
    "mathematics": b"<1> is less than <2>",
}


@pytest.mark.parametrize("head", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("suffix", ["", ".bin"])
def test_other_files(head: bytes, suffix: str) -> None:
    assert not is_html(head, suffix)


@pytest.mark.parametrize("suffix", [*sorted(OTHER_SUFFIXES), ".MD"])
def test_a_tag_makes_no_page_of_a_readme(suffix: str) -> None:
    assert not is_html(b'<div align="center"><h1>My program</h1></div>', suffix)
    assert not is_html(b"Some words\n<html>\n", suffix)
    assert is_html(b"<!doctype html><p>x</p>", suffix), "nothing else begins like this"


@pytest.mark.parametrize("head", [b"<!--", b"<!-- -->", b"\n<", b"<a ", b"<?xml ", b" \t"])
def test_time_is_linear(head: bytes) -> None:
    """Work that grows with the square of 100 times as much would take minutes."""
    assert is_html(head * SNIFF_BYTES * 10) in {True, False}
