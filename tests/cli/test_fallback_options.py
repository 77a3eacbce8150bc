"""Tests of `cli/fallback_options.py`: `clean --fallback` on the command line."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from checkout import ROOT

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


class Stub(BaseHTTPRequestHandler):
    """A server with OpenAI's interface, that answers with the first words of the page."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, self.headers["Authorization"], body))
        words = " ".join(body["messages"][1]["content"].split()[:5])
        answer = json.dumps({"choices": [{"message": {"content": f"Read: {words}"}}]}).encode()
        self.send_response(200 if body["model"] == "small" else 500)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Be silent."""


@pytest.fixture
def stub() -> Iterator[Any]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    server.asked = []
    Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(("name", "status"), [("small", "ok"), ("none", "exit-1")])
def test_the_example_of_the_docs_asks_a_language_model(  # noqa: PLR0917
    crfclean: Command,
    pages: Path,
    model: Path,
    tmp_path: Path,
    stub: Any,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    status: str,
) -> None:
    text = (ROOT / "docs" / "fallback.md").read_text("utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    script = tmp_path / "ask.py"
    script.write_text(code, "utf-8")
    monkeypatch.setenv("LLM_URL", f"http://127.0.0.1:{stub.server_port}/v1")
    monkeypatch.setenv("LLM_MODEL", name)
    monkeypatch.setenv("LLM_KEY", "secret")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]]))
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    page, out = min(pages.iterdir()), tmp_path / "out.json"
    command = shlex.join([sys.executable, str(script)])
    options = ["--model", model, "--fallback", command, "--fallback-below", 1]
    options += ["--fallback-seconds", 50]
    assert crfclean("clean", page, out, *options).code == EXIT_OK
    ((path, key, body),) = stub.asked
    assert (path, key, body["model"]) == ("/v1/chat/completions", "Bearer secret", name)
    text = json.loads(out.read_text("utf-8"))["text"]
    assert text.startswith("Read: ") == (status == "ok")
