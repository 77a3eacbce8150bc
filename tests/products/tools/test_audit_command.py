"""Tests of the command `audit`: judgements in a spreadsheet, kept, locked."""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest
from auditruns import row, write_run
from click.testing import CliRunner, Result

from crfclean._version import __version__
from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK
from crfclean.products.corpus.locks import session_lock
from crfclean.products.tools.audit_command import audit_command
from crfclean.types import CrfcleanError


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return write_run(tmp_path / "texts.jsonl", [row(number) for number in range(200)])


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    return tmp_path / "texts.audit.csv"


def run(*arguments: object) -> Result:
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(audit_command, words, standalone_mode=False)


def code(*arguments: object) -> int:
    result = run(*arguments)
    if result.exception is not None:
        raise result.exception
    value: int = result.return_value
    return value


def fill(sheet: Path, answer: str) -> None:
    """Answer all blocks of a spreadsheet."""
    lines = sheet.read_text("utf-8").splitlines(keepends=True)
    filled = [lines[0], *(line.replace(",", f",{answer}", 1) for line in lines[1:])]
    sheet.write_text("".join(filled), "utf-8")


def test_by_a_spreadsheet(out: Path, sheet: Path) -> None:
    assert code(out, "--write", "--sample", 40) == EXIT_OK
    assert len(sheet.read_text("utf-8").splitlines()) == 41
    assert code(out, "--report") == EXIT_NOTHING
    fill(sheet, "yes")
    done = run(out, "--report")
    assert done.return_value == EXIT_OK
    assert done.output.startswith("40 blocks judged of 200 pages with 2,600 words")
    fields = json.loads(run(out, "--report", "--json").output)
    assert fields["versions"] == {"crfclean": __version__}
    assert fields["estimates"]["precision"]["estimate"] == 1.0
    assert fields["estimates"]["recall"]["estimate"] < 1.0


def test_more_judgements_later_keep_the_first(out: Path, sheet: Path) -> None:
    code(out, "--write", "--sample", 20)
    fill(sheet, "no")
    first = sheet.read_text("utf-8").splitlines()
    code(out, "--write", "--sample", 60)
    lines = sheet.read_text("utf-8").splitlines()
    assert lines[:21] == first
    assert len(lines) == 61
    code(out, "--write", "--sample", 10)
    assert sheet.read_text("utf-8").splitlines() == first


def test_judgements_are_not_saved_over_what_has_changed(
    out: Path, sheet: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = SimpleNamespace(isatty=lambda: True)
    streams = SimpleNamespace(stdin=terminal, stdout=terminal)
    monkeypatch.setattr("crfclean.products.tools.audit_command.sys", streams)
    keys = iter("ttttq")

    def press(_text: str) -> str:
        """Judge three blocks, while another program writes the file after the first."""
        key = next(keys)
        if sheet.exists() and ",yes," in sheet.read_text("utf-8"):
            sheet.write_text("of another program", "utf-8")  # the next answer is refused
        return key

    monkeypatch.setattr("crfclean.products.tools.audit_command._press", press)
    assert run(out).stdout.startswith("3 blocks judged")
    assert sheet.read_text("utf-8") == "of another program"
    kept = sheet.with_name("texts.audit.kept.csv")
    assert run(out, "--report", "--judgements", kept).output.startswith("3 blocks judged")


def test_a_second_audit_is_refused(out: Path, sheet: Path) -> None:
    with (
        session_lock(sheet.with_name(".texts.audit.csv.lock"), sheet),
        pytest.raises(CrfcleanError, match=f"writes there, process {os.getpid()} on"),
    ):
        code(out, "--write")
