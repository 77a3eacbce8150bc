"""Tests of the command `doctor`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean._version import __version__
from crfclean.cli import doctor
from crfclean.cli.messages import EXIT_OK, EXIT_SOME_FAILED
from crfclean.page import walk
from crfclean.page.libxml2 import old_parser
from crfclean.types import ModelError

Command = Callable[..., Any]


def rows(out: str) -> dict[str, str]:
    pairs = (line[:17].strip() for line in out.splitlines())
    return {name: line[17:] for name, line in zip(pairs, out.splitlines(), strict=True)}


def test_an_installation_that_works(crfclean: Command) -> None:
    done = crfclean("doctor")
    assert (done.code, done.err) == (EXIT_SOME_FAILED if old_parser() else EXIT_OK, "")
    found = rows(done.out.partition("PROBLEM:")[0])
    assert found["crfclean"].startswith(f"{__version__}, in ")
    assert found["core"] == "works"
    expected = ("libxml2 inside lxml, called directly", walk.lxml_note(), old_parser())
    assert found["parser"] in expected
    for name in ("default", "mlp", "forum", "pagetype", "kinds"):
        assert found[f"model {name}"].startswith("works, sha256 ")
    assert found["extra parquet"].startswith(("pyarrow ", "not installed"))
    assert not {"extra test", "extra peers"} & set(found)


def test_a_model_that_does_not_open_is_a_problem(
    crfclean: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(folder: Path) -> None:
        raise ModelError(f"{folder}: weights are damaged")

    monkeypatch.setattr("crfclean.model.kind_model.load_kind_model", load)
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert done.out.splitlines()[-1].startswith("PROBLEM: model kinds: ")


def test_a_parser_that_cannot_be_called_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walk, "parses_alone", lambda: False)
    parser = doctor._parser()
    assert not parser.problem
    assert parser.says.startswith("the parser inside lxml (libxml2 2.")


def test_a_parser_that_loses_text_is_a_problem(
    crfclean: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lxml.etree.LIBXML_VERSION", (2, 9, 14))
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert "PROBLEM: parser: the parser inside lxml here (libxml2 2.9.14) loses text" in done.out
    assert rows(done.out)["model default"].startswith("works, ")


def test_a_missing_core_is_a_problem(crfclean: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = doctor.Finding("core", "it is not there", problem=True)
    monkeypatch.setattr(doctor, "_core", lambda: problem)
    done = crfclean("doctor")
    assert done.code == EXIT_SOME_FAILED
    assert "model default" not in rows(done.out), "no model can be opened"
    assert done.out.splitlines()[-1] == "PROBLEM: core: it is not there"
