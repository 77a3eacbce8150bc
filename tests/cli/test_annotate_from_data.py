"""Tests of `annotate --from-data`: what is written, counted and refused."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ferrypages import PARAGRAPHS
from warcs import record

from crfclean.carried.bodies import without_bodies
from crfclean.cli.help import EXIT_NOTHING, EXIT_OK, EXIT_USAGE
from crfclean.gold.pages import read_gold
from crfclean.types import Label

Command = Callable[..., Any]


def page(body: str | None = " ".join(PARAGRAPHS), title: str = "Ice on the lake") -> str:
    data = {"@type": "NewsArticle", "headline": title}
    data |= {} if body is None else {"articleBody": body}
    script = f'<script type="application/ld+json">{json.dumps(data)}</script>'
    text = "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS)
    return (
        f"<html lang=en><head><meta charset=windows-1250><title>{title}</title>{script}</head>"
        f"<body><ul><li><a href=/>Home</a></ul><article><h1>{title}</h1>{text}</article></body>"
    )


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bodies = {"whole": " ".join(PARAGRAPHS), "none": None, "short": "Ice.", "other": "word " * 99}
    (tmp_path / "in" / "site").mkdir(parents=True)
    for name, body in bodies.items():
        (tmp_path / "in" / "site" / f"{name}.html").write_text(page(body), "utf-8")
    return tmp_path


def test_pages_that_carry_their_article_become_gold(crfclean: Command, pages: Path) -> None:
    done = crfclean("annotate", "in", "--from-data", "out", "--failures", "left.txt")
    assert done.code == EXIT_OK, done.err
    summary = done.told.splitlines()[-1]
    assert summary == (
        "4 pages: 1 labelled; 1 without the body of an article; 1 with a body that is too short; "
        "1 that do not show the body"
    )
    (gold,) = read_gold(pages / "out")
    assert gold.labels is not None
    assert [text for label, text in gold.labels if label == Label.TEXT] == PARAGRAPHS
    assert [text for label, text in gold.labels if label == Label.HEADER] == ["Ice on the lake"]
    assert gold.site == "site"
    left = (pages / "left.txt").read_text("utf-8").splitlines()
    assert [line.split("\t")[1] for line in left] == ["no-body", "not-shown", "short"]


def test_written_pages_do_not_carry_what_they_teach(crfclean: Command, pages: Path) -> None:
    assert crfclean("annotate", "in", "--from-data", "out").code == EXIT_OK
    written = (pages / "out" / "site" / "whole.html").read_text("utf-8-sig")
    assert written == without_bodies(page())
    assert "articleBody" not in written
    assert json.dumps("Ice on the lake") in written


def test_no_page_with_labels(crfclean: Command, pages: Path) -> None:
    (pages / "in" / "site" / "whole.html").unlink()
    done = crfclean("annotate", "in", "--from-data", "out")
    assert done.code == EXIT_NOTHING
    assert done.err.startswith("3 pages: 0 labelled")


@pytest.mark.parametrize(("target", "said"), [("in", "is the input"), ("in/out", "lies in in")])
def test_pages_are_never_overwritten(
    crfclean: Command, pages: Path, target: str, said: str
) -> None:
    before = (pages / "in" / "site" / "whole.html").read_bytes()
    done = crfclean("annotate", "in", "--from-data", target)
    assert done.code == EXIT_USAGE
    assert said in done.err
    assert (pages / "in" / "site" / "whole.html").read_bytes() == before


def test_pages_that_would_still_carry_the_body_are_left_out(crfclean: Command, pages: Path) -> None:
    whole = pages / "in" / "site" / "whole.html"
    whole.write_text(page().replace("application/ld+json", "application/ld&#43;json"), "utf-8")
    assert crfclean("annotate", "in", "--from-data", "out").code == EXIT_NOTHING


def test_scripts_without_an_end_are_left_in_one_pass() -> None:
    hostile = "<script type=application/ld+json>{" * 50_000
    assert without_bodies(hostile) == hostile
    open_tags = "<script a" * 50_000
    assert without_bodies(open_tags) == open_tags


def test_pages_of_archives_and_rows_are_labelled_by_host(crfclean: Command, pages: Path) -> None:
    rows = [
        {"id": "one", "url": "https://www.lake-ferry.org/ice", "html": page()},
        {"id": "two", "url": "https://../x", "html": page(title="The second")},
        {"id": "none", "url": "https://www.lake-ferry.org/none", "html": page(None)},
        {"id": "broken"},
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (pages / "in" / "crawl.jsonl.gz").write_bytes(gzip.compress(lines))
    archived = record("https://news.example/a", page(title="Of the archive").encode())
    missing = record("https://news.example/b", page().encode(), "404 Not Found")
    (pages / "crawl.warc").write_bytes(archived + missing)
    done = crfclean("annotate", "in", "--from-data", "out", "--failures", "left.txt")
    assert done.err.startswith("8 pages: 3 labelled; 1 that cannot be read whole;"), done.err
    written = {file.relative_to(pages / "out").as_posix() for file in pages.rglob("out/**/*.html")}
    hosts = {"www.lake-ferry.org/crawl-000001.html", "unknown/crawl-000002.html"}
    assert written == hosts | {"site/whole.html"}
    assert "in/crawl.jsonl.gz: none\tno-body\n" in (pages / "left.txt").read_text("utf-8")
    done = crfclean("annotate", "crawl.warc", "--from-data", "labelled")
    assert done.told == "2 pages: 1 labelled; 1 that clean leaves out, too\n"
    (gold,) = read_gold(pages / "labelled")
    assert gold.site == "news.example"
