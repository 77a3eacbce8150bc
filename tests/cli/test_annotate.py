"""Tests of `cli/teach.py` (at a terminal: test_terminal.py): messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crfclean.cli.teach import labelling_summary
from crfclean.corpus.outputs import LOCK, session_lock
from crfclean.teach.gold import gold_paths
from crfclean.teach.session import open_session
from crfclean.types import install

Command = Callable[..., Any]
MISSING = f"crfclean: prompt_toolkit is missing: {install('terminal')}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / f"{name}.html").write_text(f"<p>{name} 1</p><p>{name} 2</p>", "utf-8")
    return tmp_path


def test_annotate_needs_a_terminal(crfclean: Command, folder: Path) -> None:
    outcome = crfclean("annotate", folder)
    assert outcome.code == 2
    assert f"labelling needs a terminal: run crfclean annotate {folder} at" in (outcome.err)
    assert "--web for the browser" in outcome.err


def test_a_second_session_is_refused(crfclean: Command, folder: Path) -> None:
    pytest.importorskip("fastapi")
    with session_lock(folder / LOCK, folder):
        outcome = crfclean("annotate", folder, "--web", "--no-guess")
    assert outcome.code == 2
    assert f"{folder}: another session or run writes there, process {os.getpid()} on" in outcome.err
    (folder / LOCK).mkdir()  # a file that cannot be written, as in a folder that is read-only
    outcome = crfclean("annotate", folder, "--web", "--no-guess")
    assert outcome.err == f"crfclean: {folder}: nothing can be saved there: Is a directory\n"


def test_train_without_gold_says_how_to_label(crfclean: Command, folder: Path) -> None:
    outcome = crfclean("train", folder, "-o", folder / "model")
    assert outcome.code == 2
    assert "no gold found" in outcome.err
    assert f"crfclean annotate {folder} at a terminal" in outcome.err
    assert not (folder / "model").exists()


def test_train_leaves_unfinished_pages_out(crfclean: Command, folder: Path) -> None:
    for name, label in (("a", "TEXT"), ("b", "?")):
        path = gold_paths(folder / f"{name}.html")[0]
        path.write_text(f"OTHER\t{name} 1\n{label}\t{name} 2\n", "utf-8")
    outcome = crfclean("train", folder, "-o", folder / "model", "--iterations", 5)
    assert outcome.code == 0
    assert "left out: 1 page not labelled completely" in outcome.err
    assert "trained on 1 page" in outcome.err


def test_a_terminal_needs_its_extra(
    crfclean: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    streams = SimpleNamespace(stdin=terminal, stdout=terminal)
    monkeypatch.setattr("crfclean.cli.options.sys", streams)
    monkeypatch.setitem(sys.modules, "prompt_toolkit", None)
    for name in [name for name in sys.modules if name.startswith("prompt_toolkit.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "crfclean.teach.terminal", raising=False)
    outcome = crfclean("annotate", folder)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == MISSING
    assert not list(folder.glob("*.tsv")), "no page has been looked at"


def test_summary(folder: Path) -> None:
    session = open_session(folder)
    session.label(0, {0: 1, 1: 1})
    session.label(1, {0: 1})
    assert labelling_summary(session) == "1 of 2 pages finished, 3 of 4 blocks labelled"
    gold_paths(folder / "b.html")[0].write_text("TEXT\tx\n", "utf-8")
    assert labelling_summary(open_session(folder)).startswith("b.html: ")
