"""Tests of `cli/measures.py`: runs in, changed sites out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean._version import __version__
from crfclean.cli.help import EXIT_SOME_FAILED, EXIT_USAGE

Command = Callable[..., Any]


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Two runs: in the second, one of two sites has lower scores."""
    paths = []
    for run, day in enumerate(("2026-03-01", "2026-03-02")):
        rows = [
            {"id": str(place), "url": f"https://{site}.example/{place}", "date": day,
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


def test_a_picture(crfclean: Command, runs: list[Path], tmp_path: Path) -> None:
    done = crfclean("drift", *runs, "--html", tmp_path / "drift.html")
    assert (done.code, done.out) == (EXIT_SOME_FAILED, crfclean("drift", *runs).out)
    html = (tmp_path / "drift.html").read_text("utf-8")
    assert "https://a.example/7" in html
    assert html.count("<svg") == 2
    missing = crfclean("drift", *runs, "--html", tmp_path / "missing" / "drift.html")
    assert (missing.code, "cannot be written" in missing.err) == (EXIT_USAGE, True)


def test_wrong_calls(crfclean: Command, tmp_path: Path) -> None:
    assert crfclean("drift").code == EXIT_USAGE
    assert crfclean("drift", tmp_path / "missing.jsonl").code == EXIT_USAGE
    (tmp_path / "pages.jsonl").write_text('{"html": "<p>"}\n')
    assert "no row of clean" in crfclean("drift", tmp_path / "pages.jsonl").err
