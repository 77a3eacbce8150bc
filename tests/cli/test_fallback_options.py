"""Tests of `cli/fallback_options.py`: `clean --fallback` on the command line."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crfclean.cli.exit_codes import EXIT_OK, EXIT_USAGE

Command = Callable[..., Any]
FAIL = shlex.join([sys.executable, "-c", "import sys; sys.exit(7)"])
SIZE = shlex.join([sys.executable, "-c", "import sys; print(len(sys.stdin.read()), 'characters')"])


@pytest.fixture
def pages(demo: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    for path in sorted((demo / "severnik").glob("*.html"))[:3]:
        (folder / path.name).write_bytes(path.read_bytes())
    return folder


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_pages_below_the_score_get_the_commands_text(
    crfclean: Command, pages: Path, model: Path, tmp_path: Path
) -> None:
    plain, out = tmp_path / "plain.jsonl", tmp_path / "out.jsonl"
    assert crfclean("clean", pages, plain, "--model", model).code == EXIT_OK
    scores = sorted(row["score"] for row in rows(plain))
    cut = (scores[0] + scores[1]) / 2
    options = ["--model", model, "--fallback", SIZE, "--fallback-below", cut]
    done = crfclean("clean", pages, out, *options)
    assert "1 sent to the fallback" in done.err
    for before, row in zip(rows(plain), rows(out), strict=True):
        if before["score"] < cut:
            assert row["extractor"]["status"] == "ok"
            assert row["text"].endswith(" characters")
        else:
            assert row == before
    again = crfclean("clean", pages, out, *options, "--resume")
    assert "sent to the fallback" not in again.err
    assert "1 done before" in again.err


def test_a_command_that_fails_is_counted(
    crfclean: Command, pages: Path, model: Path, tmp_path: Path
) -> None:
    options = ["--model", model, "--fallback", FAIL, "--fallback-below", 1, "--workers", 2]
    done = crfclean("clean", pages, tmp_path / "out.jsonl", *options)
    assert done.code == EXIT_OK
    assert "3 sent to the fallback, 3 without an answer from it" in done.err
    assert {row["extractor"]["status"] for row in rows(tmp_path / "out.jsonl")} == {"exit-7"}


def test_files_have_the_commands_text(
    crfclean: Command, pages: Path, model: Path, tmp_path: Path
) -> None:
    options = ["--model", model, "--fallback", SIZE, "--fallback-below", 1, "--format", "md"]
    assert crfclean("clean", pages, tmp_path / "out", *options).code == EXIT_OK
    for path in (tmp_path / "out").glob("*.md"):
        assert path.read_text("utf-8").strip().endswith("characters")


def test_a_plan_is_shown_at_the_end(
    crfclean: Command, pages: Path, model: Path, tmp_path: Path
) -> None:
    done = crfclean("clean", pages, tmp_path / "out", "--model", model, "--fallback-plan")
    assert done.code == EXIT_OK
    lines = done.err.splitlines()
    assert lines[1].startswith("3 pages, expected F1 0.")
    assert lines[2].startswith("--fallback-below")
    assert lines[3].split()[1:3] == ["1", "0.333"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--fallback", "no-such-extractor x"], "no command 'no-such-extractor'"),
        (["--fallback", " "], "--fallback: no command"),
        (["--fallback", "'"], "--fallback: '"),
        (["--fallback", "cat", "--fallback-seconds", "60"], "must be less than --max-seconds 60"),
        (["--fallback", "cat", "--fallback-plan"], "name one of them"),
    ],
)
def test_what_is_refused(
    crfclean: Command, pages: Path, tmp_path: Path, options: list[str], message: str
) -> None:
    done = crfclean("clean", pages, tmp_path / "out", *options)
    assert done.code == EXIT_USAGE
    assert message in done.err
