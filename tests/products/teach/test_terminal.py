"""Tests of `teach/terminal.py`: the lines of the screen, keys through a pipe and a terminal."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from crfclean.products.teach.gold import gold_paths
from crfclean.products.teach.keyboard import HELP, KEY_HINTS, Keyboard
from crfclean.products.teach.session import open_session
from crfclean.products.teach.terminal import label_at_terminal, screen, truncate
from crfclean.systems.load import load

LONG = "A paragraph of many words that fills more than one line of any terminal there is. " * 7


@pytest.fixture
def folder(demo: Path, tmp_path: Path) -> Path:
    shutil.copy(demo / "severnik" / "hokej-derby-finale.html", tmp_path / "a.html")
    (tmp_path / "b.html").write_text(
        f"<h1>漢字の見出し</h1><p>{LONG}</p><p>\x1b[31mred\x07</p>", "utf-8"
    )
    return tmp_path


@pytest.fixture
def keyboard(folder: Path, default_model: Path) -> Keyboard:
    return Keyboard(open_session(folder, load(default_model), "name"))


def shown(keyboard: Keyboard, columns: int = 80, rows: int = 24) -> list[str]:
    return [text for _, text in screen(keyboard, columns, rows)]


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        ("漢字", 4, "漢字"),
        ("漢字字", 5, "漢字…"),
    ],
)
def test_cut(text: str, columns: int, expected: str) -> None:
    assert truncate(text, columns) == expected


def test_what_80_by_24_shows(keyboard: Keyboard) -> None:
    keyboard.press("h")
    lines = shown(keyboard)
    assert lines[0].startswith(" 1/2 a.html  block 2/110  labelled 1  all 1/113  sure 0.")
    assert lines[1].startswith("  HEADER     ")
    assert lines[2].startswith(">?OTHER .")
    assert lines[3].startswith(" ?OTHER .")
    assert lines[-2:] == list(KEY_HINTS)
    assert max(map(len, (*HELP, *KEY_HINTS))) <= 80


def test_the_block_is_shown_in_full_with_what_is_around(keyboard: Keyboard) -> None:
    for key in ("n", "down"):
        keyboard.press(key)
    lines = shown(keyboard)
    assert "漢字の見出し" in lines[1]
    text = " ".join(line[13:] for line in lines if line.startswith(">"))
    assert text.split() == LONG.split()
    narrow = shown(keyboard, 40, 12)
    assert any(line.endswith("…") and line.startswith(">") for line in narrow)


def test_control_characters_never_reach_the_terminal(keyboard: Keyboard) -> None:
    keyboard.press("n")
    assert all(line.isprintable() for line in shown(keyboard))
    assert any("[31mred" in line for line in shown(keyboard))


def run_keys(folder: Path, keys: str) -> None:
    with create_pipe_input() as pipe:
        pipe.send_text(keys)
        label_at_terminal(open_session(folder), pipe, DummyOutput())


def test_keys_from_a_terminal(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "a.html").write_text("<p>1</p><p>2</p><p>3</p><p>4</p>", "utf-8")
    run_keys(folder, "ht\x1b[Boj\x12uq")  # arrow down, Ctrl-R; q leaves
    path = gold_paths(folder / "a.html")[0]
    assert [line[0] for line in path.read_text("utf-8").splitlines()] == ["H", "T", "?", "?"]
    run_keys(folder, "o\x03")  # Ctrl-C leaves
    assert [line[0] for line in path.read_text("utf-8").splitlines()] == ["H", "T", "O", "?"]
