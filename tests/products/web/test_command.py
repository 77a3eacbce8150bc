"""Tests of `web/command.py`: the command, in processes of its own, and what may ask it."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("uvicorn", reason="needs crfclean[web]")
from serving import Running

HTML = "<h1>Ice on the upper lake</h1><p>The ferry stays in its harbour, for there is ice."


class Serve(Running):
    """`crfclean serve`, and what it has started."""

    def __init__(self, *arguments: object, token: str = "") -> None:
        super().__init__("-m", "crfclean", "serve", "--port", "0", *arguments, CRFCLEAN_TOKEN=token)

    def ask(self, path: str = "/extract", body: object = None, **headers: str) -> tuple[int, Any]:
        """Status and JSON (or text) of an answer to a request with the token."""
        sent = {"x-crfclean-token": self.token, "content-type": "application/json", **headers}
        return super().ask(path, body, **sent)

    def processes(self) -> list[int]:
        """All that it has started, and what these have."""
        if not Path("/proc/self/task").is_dir():
            pytest.skip("needs /proc")
        found, todo = list[int](), [self.process.pid]
        while todo:
            tasks = Path(f"/proc/{todo.pop()}/task").glob("*/children")
            children = [int(one) for task in tasks for one in task.read_text("utf-8").split()]
            found += children
            todo += children
        return found

    def end(self) -> tuple[str, str]:
        self.process.send_signal(signal.SIGINT)
        return super().end()


@pytest.fixture
def start(model: Path) -> Iterator[Callable[..., Serve]]:
    with ExitStack() as stack:
        yield lambda *options, token="": stack.enter_context(
            closing(Serve("--model", model, *options, token=token))
        )


def alive(process: int) -> bool:
    """Whether a process runs (no zombie)."""
    try:
        state = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def all_ended(processes: list[int]) -> bool:
    """Whether processes end soon."""
    for _ in range(200):
        if not any(map(alive, processes)):
            return True
        time.sleep(0.05)
    return False


def test_it_cleans_pages_and_leaves_no_process(start: Callable[..., Serve], model: Path) -> None:
    server = start()
    status, told = server.ask(body={"html": HTML, "threshold": 0, "formats": ["txt"]})
    assert status == 200
    assert told["texts"]["txt"].startswith("Ice on the upper lake\nThe ferry")
    assert server.ask("/options")[1]["taggers"][0]["name"] == str(model)
    assert server.ask("/health")[1]["status"] == "ok"
    assert server.ask("/openapi.json")[1]["info"]["title"] == "crfclean"
    assert "<title>crfclean" in server.ask("/")[1]
    children = server.processes()
    assert children
    assert server.end() == ("", "")
    assert server.process.returncode == 0
    assert all_ended(children)


def test_it_ends_while_a_page_is_cleaned(start: Callable[..., Serve]) -> None:
    server = start("--max-seconds", 500, "--max-memory", 16_000, "--max-mb", 64)
    found: list[tuple[int, Any]] = []
    slow = {"html": f"<p>{'word ' * 50}" * 49_000, "reasons": 20}
    asking = threading.Thread(target=lambda: found.append(server.ask(body=slow)))
    asking.start()
    while len(server.processes()) < 3:  # a worker, the server that forks it, and its keeper
        time.sleep(0.05)
    children = server.processes()
    out, told = server.end()
    assert (out, server.process.returncode) == ("", 0)
    assert "Traceback" not in told
    asking.join()
    assert found == [(503, {"error": "crfclean is being stopped."})]
    assert all_ended(children)


def test_with_leave_only_public_addresses_are(start: Callable[..., Serve]) -> None:
    pytest.importorskip("urllib3", reason="needs crfclean[fetch]")
    server = start("--allow-fetch")
    assert server.ask("/options")[1]["fetching"] is True
    for url in (server.address, "http://[::1]/", "http://169.254.169.254/", "file:///etc/passwd"):
        status, told = server.ask(body={"url": url})
        assert status == 403, url
        assert list(told) == ["error"]
    assert server.ask(body={"url": "http://crfclean.invalid/"})[0] in {403, 502}


def test_others_can_reach_it_only_if_told_so(start: Callable[..., Serve]) -> None:
    server = start("--host", "0.0.0.0")
    assert server.host == "127.0.0.1"
    assert server.ask("/options", host="any-name.example")[0] == 200
    assert server.ask(body={"html": HTML}, **{"x-crfclean-token": "wrong"})[0] == 403
    assert "Other machines can reach this server" in server.end()[1]


def test_without_the_extra(crfclean: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastapi", None)
    for name in [one for one in sys.modules if one.startswith("crfclean.products.web.")]:
        monkeypatch.delitem(sys.modules, name)
    done = crfclean("serve")
    assert done.code == 2
    assert "pip install 'crfclean[web]'" in done.err
