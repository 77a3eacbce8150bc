"""Tests of `corpus/fallback.py`: what becomes of pages that another extractor gets."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from batchpages import GOOD, PARAMS
from doubles import KeepLong

from crfclean.corpus.fallback import Answer, FallbackParams, ask, with_fallback
from crfclean.corpus.jobs import Job
from crfclean.corpus.operation import PageInput, process_pages
from crfclean.corpus.record import Record
from crfclean.pipeline import run
from crfclean.types import CrfcleanError, Page

PAGE = Page("<p>Home</p><p>Příliš žluťoučký kůň</p>", "https://example.org/1")
LONG = Page(GOOD, "https://example.org/2")  # score 0.75


def script(code: str, **values: float) -> FallbackParams:
    """A command that runs Python code."""
    return FallbackParams((sys.executable, "-c", f"import os, sys, time\n{code}"), **values)


ECHO = script("sys.stdout.write(sys.stdin.read() + os.environ['CRFCLEAN_URL'])", below=0.9)
LINES = script("print('One <b> & two.\\n\\nThree.')", below=0.9)


def test_a_command_gets_html_and_address() -> None:
    answer = ask(PAGE, ECHO)
    assert answer == Answer("ok", f"{PAGE.html}{PAGE.url}")


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("sys.exit(3)", "exit-3"),
        ("print('half'); sys.exit(1)", "exit-1"),
        ("os.kill(os.getpid(), 9)", f"exit--{int(signal.SIGKILL)}"),
        ("print(' ')", "empty"),
        ("sys.stdout.write('a' * 10_000_001)", "over-size"),
        ("time.sleep(60)", "over-time"),
        ("os.close(1); time.sleep(60)", "over-time"),
        ("sys.stdout.buffer.write(b'\\xff rain')", "ok"),
    ],
)
def test_how_commands_end(code: str, status: str) -> None:
    params = script(code, seconds=1.0 if status == "over-time" else 20.0)
    assert ask(PAGE, params).status == status


def test_a_command_that_is_gone_is_not_run(tmp_path: Path) -> None:
    command = tmp_path / "extract"
    command.write_text("#!/bin/sh\necho rain\n", "utf-8")
    command.chmod(0o755)
    params = FallbackParams((str(command),))
    assert ask(PAGE, params) == Answer("ok", "rain\n")
    command.unlink()
    assert ask(PAGE, params) == Answer("not-run")


def test_what_a_command_starts_ends_with_it(tmp_path: Path) -> None:
    child = tmp_path / "pid"
    code = (
        "import subprocess\n"
        "child = subprocess.Popen(['sleep', '60'])\n"
        f"open({str(child)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    assert ask(PAGE, script(code, seconds=3.0)).status == "over-time"
    number = int(child.read_text("utf-8"))
    for _ in range(100):
        state = Path(f"/proc/{number}/stat")
        if not state.exists() or state.read_text("utf-8").split()[2] == "Z":
            return
        time.sleep(0.05)
    os.kill(number, signal.SIGKILL)
    pytest.fail("it still runs")


def test_only_low_scores_are_sent() -> None:
    document = run(LONG, KeepLong())
    assert with_fallback(document, LONG, replace(LINES, below=0.75)) == (document, "")
    sent, status = with_fallback(document, LONG, LINES)
    assert status == "ok"
    assert sent.text == "One <b> & two.\nThree."
    assert sent.score == 0.75
    assert sent.blocks.source == "extractor"
    assert [block.xpath for block in sent.blocks] == ["", ""]
    assert sent.page_blocks.texts == document.blocks.texts


def test_a_page_without_text_gets_one() -> None:
    document = run(PAGE, KeepLong())
    assert document.status == "nothing-kept"
    sent, status = with_fallback(document, PAGE, LINES)
    assert (sent.status, status, sent.text) == ("ok", "ok", "One <b> & two.\nThree.")


def test_what_is_no_page_is_not_sent() -> None:
    page = Page("", status="binary")
    assert with_fallback(run(page, KeepLong()), page, LINES)[1] == ""


def test_a_command_that_fails_changes_nothing() -> None:
    document = run(LONG, KeepLong())
    params = script("sys.exit(2)", below=0.9)
    assert with_fallback(document, LONG, params) == (document, "exit-2")


def test_a_command_that_is_not_there_is_refused() -> None:
    with pytest.raises(CrfcleanError, match="no command 'no-such-extractor'"):
        FallbackParams(("no-such-extractor",))


def row_of(params: FallbackParams) -> dict[str, object]:
    job = Job(Path("in.jsonl"), Path("out.jsonl"), "jsonl")
    operation = replace(PARAMS, fallback=params, min_score=0.8)
    (result,) = process_pages((PageInput(job, Record("1", GOOD.encode())),), operation)
    assert result.sent == ("ok" if params.command else "")
    return json.loads(result.line) if result.line else {}


def test_rows_say_who_made_their_text() -> None:
    assert row_of(FallbackParams()) == {}  # below the score
    row = row_of(LINES)
    assert row["extractor"] == {"command": sys.executable, "status": "ok"}
    assert row["source"] == "extractor"
    assert row["text"] == "One <b> & two.\nThree."


def test_a_run_cannot_go_on_with_another_command() -> None:
    plain, other = PARAMS.options, replace(PARAMS, fallback=LINES).options
    assert "fallback" not in plain
    assert other["fallback"]["command"] == list(LINES.command)
