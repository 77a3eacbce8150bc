"""Tests of the command `mcp`; `test_mcp.py` talks to the server."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crfclean.cli.messages import EXIT_OK, EXIT_USAGE
from crfclean.products.corpus.params import TaskLimits
from crfclean.products.tools.page_tools import ToolParams

Command = Callable[..., Any]


Served = tuple[ToolParams, TaskLimits]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[Served]:
    """What the command serves, in place of a server."""
    calls: list[Served] = []
    server = SimpleNamespace(serve_tools=lambda *given: calls.append(given))
    for name, module in {"tools.mcp": server, "corpus.fetch": SimpleNamespace()}.items():
        monkeypatch.setitem(sys.modules, f"crfclean.products.{name}", module)
    return calls


def test_nothing_is_read_by_default(crfclean: Command, served: list[Served]) -> None:
    done = crfclean("mcp")
    assert (done.code, done.out, done.err) == (EXIT_OK, "", "")
    assert served == [(ToolParams("default", None, fetches=False), TaskLimits())]


def test_options_allow_more(crfclean: Command, served: list[Served], tmp_path: Path) -> None:
    assert crfclean("mcp", "--pages", tmp_path, "--allow-fetch", "--model", "mlp").code == EXIT_OK
    assert served == [(ToolParams("mlp", tmp_path, fetches=True), TaskLimits())]


def test_limits_are_options(crfclean: Command, served: list[Served]) -> None:
    options = ("--max-seconds", "5", "--max-memory", "512")
    assert crfclean("mcp", *options).code == EXIT_OK
    assert [limits for _, limits in served] == [TaskLimits(5.0, 512)]
    assert crfclean("mcp", "--max-seconds", "0").code == EXIT_USAGE


def test_a_directory_must_be_there(crfclean: Command, served: list[Served], tmp_path: Path) -> None:
    done = crfclean("mcp", "--pages", tmp_path / "none")
    assert done.code == EXIT_USAGE
    assert "is not a directory" in done.err
    assert served == []
