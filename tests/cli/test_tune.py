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
