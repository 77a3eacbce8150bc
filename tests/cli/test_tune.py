"""Tests of `cli/teach.py`: what is printed and written, and which pages are refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.help import EXIT_OK, EXIT_USAGE

Command = Callable[..., Any]


@pytest.fixture
def pages(demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Demo pages of one site whose texts have lost their titles; one page has no text."""
    monkeypatch.chdir(tmp_path)
    folder = Path(shutil.copytree(demo / "hafenblick", tmp_path / "pages"))
    texts = sorted(folder.glob("*.txt"))
    texts[0].unlink()
    for text in texts[1:]:
        text.write_text(text.read_text("utf-8").partition("\n")[2], "utf-8")
    return folder


def test_what_was_understood_is_printed_and_written(crfclean: Command, pages: Path) -> None:
    done = crfclean("tune", pages, "-o", "own.json")
    assert done.code == EXIT_OK, done.err
    lines = done.out.splitlines()
    assert "title: dropped (your texts keep 0 % of the words, on 3 pages)" in lines
    assert lines[-2].startswith("F1 on 3 held-out pages: 0.9")
    assert done.err.endswith("Wrote own.json, settings learned from 3 pages\n")
    assert "left out: 1 page without a corrected text" in done.err
    written = json.loads(Path("own.json").read_text("utf-8"))
    assert written["without"] == ["title"]
    assert written["understood"] == lines


def test_settings_that_change_nothing_are_said_to(crfclean: Command, pages: Path) -> None:
    assert "own.json changes nothing" not in crfclean("tune", pages, "-o", "own.json").err
    for page in sorted(pages.glob("*.html"))[2:]:  # two pages that agree teach nothing
        page.unlink()
    assert crfclean("clean", pages, "as-written").code == EXIT_OK
    done = crfclean("tune", pages, "--texts", "as-written", "-o", "own.json")
    assert "own.json changes nothing: correct more pages" in done.err


def test_edited_settings_are_not_overwritten(crfclean: Command, pages: Path) -> None:
    for _ in range(2):  # what tune has written may be written again
        assert crfclean("tune", pages, "-o", "own.json").code == EXIT_OK
    written = json.loads(Path("own.json").read_text("utf-8"))
    for edited in (json.dumps({**written, "also": ["caption"]}), '{"name": "of a program"}', ""):
        Path("own.json").write_text(edited, "utf-8")
        done = crfclean("tune", pages, "-o", "own.json")
        assert (done.code, done.out) == (EXIT_USAGE, "")
        assert "own.json: was edited, or tune did not write it" in done.err
        assert Path("own.json").read_text("utf-8") == edited


def test_texts_may_stand_in_a_directory_of_their_own(crfclean: Command, pages: Path) -> None:
    beside = crfclean("tune", pages, "-o", "own.json")
    Path("texts").mkdir()
    for text in pages.glob("*.t*"):
        text.rename(Path("texts", text.name))
    assert crfclean("tune", pages).code == EXIT_USAGE
    apart = crfclean("tune", pages, "--texts", "texts", "-o", "own.json")
    assert apart.code == EXIT_OK, apart.err
    assert apart.out == beside.out


def test_gold_may_stand_in_lines_of_a_file(crfclean: Command, pages: Path) -> None:
    rows = [
        {"html": page.read_text("utf-8"), "gold": page.with_suffix(".txt").read_text("utf-8")}
        for page in sorted(pages.glob("*.html"))[1:]
    ]
    rows.append({"html": rows[0]["html"], "gold": ""})
    Path("lines").mkdir()
    Path("lines", "a.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    done = crfclean("tune", "lines", "-o", "own.json")
    assert done.code == EXIT_OK, done.err
    assert done.err.endswith("Wrote own.json, settings learned from 3 pages\n")
    assert "left out: 1 page without a corrected text" in done.err


def test_every_command_takes_the_settings(crfclean: Command, pages: Path) -> None:
    assert crfclean("tune", pages, "-o", "own.json").code == EXIT_OK
    page = sorted(pages.glob("*.html"))[1]
    text = page.with_suffix(".txt").read_text("utf-8")
    cleaned = crfclean("clean", page, "--model", "own.json").out
    assert cleaned.splitlines()[0] == text.splitlines()[0]
    assert "rule.choice=0" in crfclean("explain", page, "--model", "own.json").out
    told = json.loads(crfclean("eval", pages, "--model", "own.json", "--json").out)
    before = json.loads(crfclean("eval", pages, "--json").out)
    assert told["model"]["name"] == "own.json"
    assert told["model"]["fingerprint"] != before["model"]["fingerprint"]
    assert len(told["model"]["fingerprint"]) == 64


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda folder: [text.unlink() for text in folder.glob("*.txt")], "no gold found"),
        (lambda folder: [text.write_text("") for text in folder.glob("*.txt")], "texts are empty"),
        (
            lambda folder: [text.unlink() for text in sorted(folder.glob("*.txt"))[1:]],
            "correct five to ten",
        ),
        (
            lambda folder: [text.write_text("sugar price " * 9) for text in folder.glob("*.txt")],
            "is it another page",
        ),
        (shutil.rmtree, "no such file or directory"),
    ],
)
def test_pages_that_say_nothing_are_refused(
    crfclean: Command, pages: Path, change: Callable[[Path], object], message: str
) -> None:
    change(pages)
    done = crfclean("tune", pages)
    assert done.code == EXIT_USAGE
    assert message in done.err
    assert not Path("tuned.json").exists()
