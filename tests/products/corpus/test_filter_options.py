"""Tests of the options that leave pages out: texts, rows, counts, resumed runs, errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, EXIT_USAGE

Command = Callable[..., Any]
PAGES = {
    "cs": "Trajekt zůstal v pondělí ráno v přístavu, protože celé jezero pokryl led, řekl kapitán.",
    "en": "The ferry stayed in its harbour on Monday morning, since ice had covered the lake.",
    "de": "Kurz.",
}


@pytest.fixture
def pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    lines = []
    for lang, text in PAGES.items():
        html = f"<html lang={lang}><body><article><h1>Led</h1><p>{text}</p></article></body></html>"
        (tmp_path / "in" / f"{lang}.html").write_text(html, "utf-8")
        lines.append(json.dumps({"id": lang, "html": html}))
    (tmp_path / "in.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return tmp_path


def test_pages_of_other_languages_are_left_out_and_counted(crfclean: Command, pages: Path) -> None:
    done = crfclean("clean", "in", "out", "--language", "cs, sk", "--failures", "left.txt")
    assert done.code == EXIT_OK
    assert [path.name for path in (pages / "out").rglob("*.txt")] == ["cs.txt"]
    summary = "3 pages: 1 cleaned, 0 without text, 0 failed, 2 filtered out"
    assert done.told.splitlines()[0] == summary  # no line for a page that a filter left out
    assert (
        "in/de.html: its language is de"
        in crfclean(*("clean", "in", "out", "--language", "cs", "-v")).err.splitlines()
    )
    rows = [line.split("\t") for line in (pages / "left.txt").read_text("utf-8").splitlines()]
    assert rows == [
        ["in/de.html", "filtered", "its language is de"],
        ["in/en.html", "filtered", "its language is en"],
    ]


EMPTIED = {
    "of other kinds": ["--keep", "caption"],
    "switched off": ["--keep", "title,heading", "--no-headings"],
    "of a kind left out": ["--without", "title,heading,paragraph,lead,list,caption,byline"],
}


@pytest.mark.parametrize("options", EMPTIED.values(), ids=EMPTIED)
@pytest.mark.parametrize("ending", ["txt", "html"])
def test_texts_that_an_option_empties_are_not_written(
    crfclean: Command, pages: Path, options: list[str], ending: str
) -> None:
    done = crfclean("clean", "in", "out", "--format", ending, *options)
    assert "3 pages: 0 cleaned, 3 without text, 0 failed" in done.err
    assert (done.code, [*(pages / "out").glob("[!.]*")]) == (EXIT_NOTHING, [])
    assert crfclean("clean", "in.jsonl", "out.jsonl", *options).code == EXIT_NOTHING
    rows = map(json.loads, (pages / "out.jsonl").read_text("utf-8").splitlines())
    assert [row["status"] for row in rows] == ["nothing-kept"] * 3


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--language", "klingonese!", "no language 'klingonese!'"),
        ("--page-type", "blog", "no type of pages 'blog'"),
        ("--min-words", "-1", "--min-words"),
    ],
)
def test_errors(crfclean: Command, pages: Path, option: str, value: str, message: str) -> None:
    done = crfclean("clean", pages / "in", pages / "out", option, value)
    assert done.code == EXIT_USAGE
    assert message in done.err
