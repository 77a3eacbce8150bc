"""Tests of `cli/mcp.py`; tests/extras/test_mcp.py talks to the server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from crfclean.cli import mcp
from crfclean.cli.exit_codes import EXIT_OK, EXIT_USAGE
from crfclean.extras import page_tools
from crfclean.extras.page_tools import ToolParams

Command = Callable[..., Any]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[ToolParams]:
    """What the command serves, in place of a server."""
    calls: list[ToolParams] = []
    modules = {
        "extras.mcp": SimpleNamespace(serve=calls.append),
        "extras.page_tools": page_tools,
        "fetch.fetch": None,
    }
    monkeypatch.setattr(mcp, "extra", lambda name, package: modules[name])
    return calls


def test_nothing_is_read_by_default(crfclean: Command, served: list[ToolParams]) -> None:
    done = crfclean("mcp")
    assert (done.code, done.out, done.err) == (EXIT_OK, "", "")
    assert served == [ToolParams("default", None, fetches=False)]


def test_options_allow_more(crfclean: Command, served: list[ToolParams], tmp_path: Path) -> None:
    assert crfclean("mcp", "--pages", tmp_path, "--allow-fetch", "--model", "mlp").code == EXIT_OK
    assert served == [ToolParams("mlp", tmp_path, fetches=True)]


def test_a_directory_must_be_there(
    crfclean: Command, served: list[ToolParams], tmp_path: Path
) -> None:
    done = crfclean("mcp", "--pages", tmp_path / "none")
    assert done.code == EXIT_USAGE
    assert "no directory" in done.err
    assert served == []
