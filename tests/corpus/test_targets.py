"""Tests of `corpus/targets.py`: formats and names of outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from crfclean.corpus.records import JSONL, PAGE, WARC, Fields
from crfclean.corpus.targets import (
    Defaults,
    Endings,
    check_folder,
    check_overwritten,
    endings_of,
    format_of,
    text_stem,
    url_stem,
)
from crfclean.types import CrfcleanError
from crfclean.types.choices import FORUM_FORMATS, METADATA_FORMATS
from crfclean.writers.formats import WRITERS


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


def test_a_directory_promises_nothing() -> None:
    Path("out.md").mkdir()
    assert format_of("out.md", None, WRITERS) is None
    assert format_of("out.md", "json", WRITERS) == "json"


@pytest.mark.parametrize("target", ["out.md", "out", "out.pdf", "-", "out.txt/"])
def test_the_format_that_is_named_is_taken(target: str) -> None:
    assert format_of(target, "md", WRITERS) == "md"


CONTRADICTIONS = {
    "text in JSON": ("out.json", "txt", "its name says json, but --format says txt"),
    "Markdown in text": ("out.txt", "md", "its name says txt, but --format says md"),
    "rows in text": ("out.md", "jsonl", "its name says md, but --format says jsonl"),
    "unpacked": ("out.jsonl.gz", "jsonl", "its name says jsonl.gz, but --format says jsonl"),
}


@pytest.mark.parametrize(
    ("target", "ending", "message"), CONTRADICTIONS.values(), ids=CONTRADICTIONS
)
def test_contradictions_are_refused(target: str, ending: str, message: str) -> None:
    with pytest.raises(CrfcleanError, match=f"^{target}: {message}: change one of them$"):
        format_of(target, ending, WRITERS)


@pytest.mark.parametrize(("target", "formats"), [("o.md", FORUM_FORMATS), ("o.yaml", WRITERS)])
def test_formats_of_other_commands_are_refused(target: str, formats: tuple[str, ...]) -> None:
    with pytest.raises(CrfcleanError, match=f"{target}: this command does not write {target[2:]}"):
        format_of(target, None, formats)
    assert format_of("o.yml", None, METADATA_FORMATS) == "yaml"


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


def test_parquet_is_not_for_all_commands() -> None:
    with pytest.raises(CrfcleanError, match="only clean writes corpora as tables"):
        endings_of("out.parquet", None, Defaults("json", tables=False))


STEMS = {
    "a.html": "a",
    "a.b.HTML.gz": "a.b",
    "a.php": "a",
    "a.php5": "a",
    "a.shtml.gz": "a",
    "a.mhtml": "a",
    "notes.txt": "notes",
    "page?id=3": "page?id=3",
    "page.php?id=3": "page.php?id=3",
    "article.12345": "article.12345",
    "none": "none",
    ".html": ".html",
}


@pytest.mark.parametrize(("name", "stem"), STEMS.items(), ids=STEMS)
def test_stems_of_pages(name: str, stem: str) -> None:
    assert text_stem(Path("x", name), PAGE) == stem


def test_stems_of_shards() -> None:
    assert text_stem(Path("x.warc.gz"), WARC) == "x"
    assert text_stem(Path("x.y.jsonl"), JSONL) == "x.y"


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
    with pytest.raises(CrfcleanError, match=f"^{name}: holds pages itself and would be lost"):
        check_overwritten(["a.html"], name, Fields())
    check_overwritten([f"../{Path.cwd().name}/{name}"], name, Fields())  # it has its own message


OUTPUTS = {
    "o.html": b'<!DOCTYPE html>\n<html lang="cs">\n<head><meta charset="utf-8">'
    b"<title>x</title></head>\n<body>\n<p>x</p>",
    "o.txt": b"<p> is an element of HTML.\n",
    "o.md": b"<div>\n",
    "o.json": b'{"url": null}',
    "o.jsonl": b'{"id": "1", "text": "html"}\n',
    "o.tei.xml": b'<?xml version="1.0" encoding="UTF-8"?>\n<TEI xmlns="x">',
    "empty": b"",
}


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_are_overwritten(name: str) -> None:
    Path(name).write_bytes(OUTPUTS[name])
    check_overwritten(["a.html"], name, Fields())


@pytest.mark.parametrize("name", ["absent.html", "-", "."])
def test_where_nothing_is_nothing_is_lost(name: str) -> None:
    check_overwritten(["a.html"], name, Fields())


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
