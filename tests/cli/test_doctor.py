"""Tests of `cli/look.py`: what it says of an installation that works, and of one that doesn't."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean._version import __version__
from crfclean.cli import look as doctor
from crfclean.cli.help import EXIT_OK, EXIT_SOME_FAILED
from crfclean.page import walk
from crfclean.types import ModelError

Command = Callable[..., Any]


def rows(out: str) -> dict[str, str]:
    pairs = (line[:17].strip() for line in out.splitlines())
    return {name: line[17:] for name, line in zip(pairs, out.splitlines(), strict=True)}


def test_an_installation_that_works(crfclean: Command) -> None:
    done = crfclean("doctor")
    assert (done.code, done.err) == (EXIT_OK, "")
    found = rows(done.out)
    assert found["crfclean"].startswith(f"{__version__}, in ")
    assert found["core"] in ("calls the parser inside lxml directly", walk.lxml_note())
    for name in ("default", "mlp", "forum", "pagetype", "kinds"):
        assert found[f"model {name}"].startswith("works, sha256 ")
    assert found["extra html"].startswith(("nh3 ", "not installed"))
    assert not {"extra test", "extra peers"} & set(found)


def test_a_model_that_does_not_open_is_a_problem(
    crfclean: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(folder: Path) -> None:
        raise ModelError(f"{folder}: weights are damaged")

    monkeypatch.setattr("crfclean.forum.model.load_forum_model", load)
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert done.out.splitlines()[-1].startswith("PROBLEM: model forum: ")


def test_a_parser_that_cannot_be_called_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "parses_alone", lambda: False)
    core = doctor._core()
    assert not core.problem
    assert core.says.startswith("the parser inside lxml (libxml2 2.")


def test_a_missing_core_is_a_problem(crfclean: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = doctor.Finding("core", "it is not there", problem=True)
    monkeypatch.setattr(doctor, "_core", lambda: problem)
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert "model default" not in rows(done.out), "no model can be opened"
    assert done.out.splitlines()[-1] == "PROBLEM: core: it is not there"
