"""Tests of `serve/server.py`: a real server in a process of its own."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs crfclean[web]")


SERVER = """
import sys
from pathlib import Path
from crfclean.annotate.session import open_session
from crfclean.annotate.web import label_in_browser
session = open_session(Path(sys.argv[1]))
label_in_browser(session, port=int(sys.argv[2]))
print("ended")
"""


class Running:
    """A server, and where it is."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(folder), "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(root)},
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        found = re.fullmatch(r"http://(.+):(\d+)/\?token=([\w-]{40,})", self.address)
        assert found, (self.address, self.process.stderr.read() if self.process.stderr else "")
        self.host, self.port, self.token = found[1], int(found[2]), found[3]

    def ask(self, method: str, path: str, **headers: str) -> tuple[int, str]:
        """Status and text of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        told = answer.status, answer.read().decode()
        connection.close()
        return told

    def end(self) -> tuple[str, str]:
        """What it printed from the address on."""
        return self.process.communicate(timeout=20)


@pytest.fixture
def server(tmp_path: Path, root: Path) -> Iterator[Running]:
    (tmp_path / "a.html").write_text("<p>One.</p>", "utf-8")
    running = Running(tmp_path, root)
    yield running
    running.process.kill()
    running.end()


def test_it_tells_an_address_that_works(server: Running) -> None:
    assert server.host == "127.0.0.1"
    assert server.ask("GET", f"/?token={server.token}")[0] == 200
    assert server.ask("GET", "/")[0] == 403
    token = {"x-crfclean-token": server.token}
    assert server.ask("GET", "/api/session", **token)[0] == 200
    assert server.ask("GET", "/api/session", **token, Host="evil.example")[0] == 403


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_at_a_signal_without_a_word(server: Running, number: signal.Signals) -> None:
    """Whatever the connections do: one waits for a request, one for the rest of a body."""
    address = ("127.0.0.1", server.port)
    head = f"POST /api/session HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n".encode()
    with socket.create_connection(address) as waits, socket.create_connection(address) as sends:
        waits.sendall(head + b"Content-Length: 0\r\n\r\n")
        assert waits.recv(12) == b"HTTP/1.1 403"
        sends.sendall(head + b"Content-Length: 9\r\n\r\n{")
        server.process.send_signal(number)
        assert server.end() == ("ended\n", "")
    assert server.process.returncode == 0


def test_a_port_that_is_taken(server: Running, tmp_path: Path, root: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SERVER, str(tmp_path), str(server.port)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": str(root)},
    )
    assert (
        f"CrfcleanError: 127.0.0.1:{server.port}: cannot listen there; choose another --port"
        in done.stderr
    )
    assert done.stdout == ""
