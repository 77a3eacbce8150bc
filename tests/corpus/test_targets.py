"""Tests of `corpus/plan.py`: formats and names of outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from crfclean.corpus.plan import (
    Defaults,
    Endings,
    check_folder,
    check_no_page,
    endings_of,
    format_of,
    url_stem,
)
from crfclean.corpus.records import Fields
from crfclean.document.formats import WRITERS
from crfclean.types import CrfcleanError


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
}


@pytest.mark.parametrize(("target", "ending"), PROMISES.items(), ids=PROMISES)
def test_format_that_a_name_promises(target: str, ending: str | None) -> None:
    assert format_of(target, None, WRITERS) == ending


ENDINGS = {
    "nothing said": ("-", None, Endings("txt", "jsonl")),
    "a directory": ("out", None, Endings("txt", "jsonl.gz")),
    "a format": ("out", "md", Endings("md", "md")),
    "a shard": ("out.jsonl.xz", None, Endings("", "jsonl.xz", "jsonl.xz")),
    "a directory to be made": ("out.jsonl/", None, Endings("txt", "jsonl.gz")),
    "rows": ("out", "jsonl.gz", Endings("", "jsonl.gz")),
    "JSON of a page, a line": ("out", "jsonl", Endings("jsonl", "jsonl")),
}


@pytest.mark.parametrize(("out", "ending", "expected"), ENDINGS.values(), ids=ENDINGS)
def test_endings(out: str, ending: str | None, expected: Endings) -> None:
    assert endings_of(out, ending, Defaults()) == expected


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
    "b.warc": b"WARC/1.0\r\n",
}


@pytest.mark.parametrize("name", PAGES)
def test_pages_are_not_overwritten(name: str) -> None:
    """A shell makes `a.html b.html` of `*.html`, and the second would be OUT."""
    Path(name).write_bytes(PAGES[name])
    with pytest.raises(CrfcleanError, match=f"^{name}: is an input page, but the last path is"):
        check_no_page(name, Fields())


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
