"""Tests of `teach/terminal.py`: the lines of the screen, keys through a pipe and a terminal."""

from __future__ import annotations

import csv
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from auditruns import row, write_run
from checkout import ROOT
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from crfclean.systems.load import load
from crfclean.teach.gold import gold_paths
from crfclean.teach.keyboard import HELP, KEY_HINTS, Keyboard
from crfclean.teach.session import open_session
from crfclean.teach.terminal import (
    label_at_terminal,
    screen,
    truncate,
)

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


def test_chosen_blocks_and_doubt_are_shown(keyboard: Keyboard) -> None:
    for key in ("d", "v", "down", "down"):
        keyboard.press(key)
    lines = shown(keyboard)
    assert [line[0] for line in lines[1:6]] == [" ", "|", "|", ">", " "]
    assert lines[1].startswith("  DOUBT      ")
    assert "3 blocks are chosen for the next label. Esc: only this one." in lines[-3]
    keyboard.press("escape")
    assert [line[0] for line in shown(keyboard)[1:6]] == [" ", " ", " ", ">", " "]


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


SIZE = "stty rows 24 cols 80;"
COMMAND = (sys.executable, "-m", "crfclean")
pty = pytest.importorskip("pty", reason="no pseudo-terminals on this system")


def terminal(*arguments: object) -> tuple[subprocess.Popen[bytes], int]:
    """The command line in a terminal of 80 by 24; the process and our end of the terminal."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        ["sh", "-c", f'{SIZE} exec "$@"', "sh", *COMMAND, *map(str, arguments)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(theirs)
    return process, ours


def read_until(ours: int, wanted: bytes, seconds: float = 60) -> bytes:
    """What the terminal shows until something appears."""
    import select

    seen, end = b"", time.monotonic() + seconds
    while wanted not in seen and time.monotonic() < end:
        if select.select([ours], [], [], 0.2)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
    assert wanted in seen, seen[-2000:]
    return seen


def letters(folder: Path) -> str:
    path = gold_paths(folder / "a.html")[0]
    return "".join(line[0] for line in path.read_text("utf-8").splitlines())


def wait_for(folder: Path, begin: str) -> None:
    """Wait until the label file of the first page begins so."""
    end = time.monotonic() + 60
    path = gold_paths(folder / "a.html")[0]
    while time.monotonic() < end and not (path.exists() and letters(folder).startswith(begin)):
        time.sleep(0.02)
    assert letters(folder).startswith(begin)


def test_a_real_terminal_and_kill_9(folder: Path) -> None:
    (folder / "b.html").unlink()
    process, ours = terminal("annotate", folder, "--no-guess")
    read_until(ours, b"labelled 0")
    os.write(ours, b"ht")
    wait_for(folder, "HT?")
    process.send_signal(signal.SIGKILL)
    process.wait()
    os.close(ours)
    process, ours = terminal("annotate", folder, "--no-guess")
    read_until(ours, b"block 3/110")
    os.write(ours, b"oq")
    read_until(ours, b"3 of 110 blocks labelled")
    assert process.wait() == 0
    os.close(ours)
    assert letters(folder)[:4] == "HTO?"


def test_an_audit_at_a_terminal(tmp_path: Path) -> None:
    out = write_run(tmp_path / "texts.jsonl", [row(number) for number in range(20)])
    process, ours = terminal("audit", out, "--sample", "10")
    read_until(ours, b"judged 0")
    os.write(ours, b"tou?jq")  # undo; j leaves the help
    read_until(ours, b"1 blocks judged of 20 pages")
    assert process.wait() == 0
    os.close(ours)
    lines = (tmp_path / "texts.audit.csv").read_text("utf-8").splitlines()
    answers = [line["keep"] for line in csv.DictReader(lines)]
    assert answers == ["yes", *[""] * 9]
