"""Tests of the command `drift`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean._version import __version__
from crfclean.cli.messages import EXIT_SOME_FAILED

Command = Callable[..., Any]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs: in the second, one of two sites has lower scores."""
    paths = []
    for run, day in enumerate(("2026-03-01", "2026-03-02")):
        rows = [
            {"id": str(place), "url": f"https://{site}.example/{place}", "crawled": day,
             "status": "ok", "score": 0.5 if run and site == "a" else 0.9}
            for site in "ab"
            for place in range(8)
        ]  # fmt: skip
        paths.append(tmp_path / f"{run}.jsonl")
        paths[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    return paths


def test_a_changed_site_is_named(crfclean: Command, runs: list[Path]) -> None:
    done = crfclean("drift", *runs)
    assert done.code == EXIT_SOME_FAILED
    assert done.out.splitlines()[1].split()[:3] == ["a.example", "score", "2026-03-02"]
    values = json.loads(crfclean("drift", *runs, "--json").out)
    assert values["versions"] == {"crfclean": __version__}
    assert [fall["site"] for fall in values["falls"]] == ["a.example"]
