"""Tests of `web/server.py`: a real server in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs crfclean[web]")
from serving import Running

SERVER = """
import sys
from pathlib import Path
from crfclean.teach.session import open_session
from crfclean.teach.annotate_web import label_in_browser
session = open_session(Path(sys.argv[1]))
label_in_browser(session, port=int(sys.argv[2]))
print("ended")
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server that the last test ends."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "a.html").write_text("<p>One.</p>", "utf-8")
    with closing(Running("-c", SERVER, folder, 0)) as running:
        yield running


def test_it_tells_an_address_that_works(server: Running) -> None:
    assert server.host == "127.0.0.1"
    assert len(server.token) >= 40
    assert server.ask(f"/?token={server.token}")[0] == 200
    assert server.ask("/")[0] == 403
    token = {"x-crfclean-token": server.token}
    assert server.ask("/api/session", **token)[0] == 200
    assert server.ask("/api/session", **token, Host="evil.example")[0] == 403


def test_a_port_that_is_taken(server: Running, tmp_path: Path, root: Path) -> None:
    (tmp_path / "a.html").write_text("<p>One.</p>", "utf-8")
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


def test_it_ends_at_a_signal_without_a_word(server: Running) -> None:
    """Whatever the connections do: one waits for a request, one for the rest of a body."""
    address = ("127.0.0.1", server.port)
    head = f"POST /api/session HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n".encode()
    with socket.create_connection(address) as waits, socket.create_connection(address) as sends:
        waits.sendall(head + b"Content-Length: 0\r\n\r\n")
        assert waits.recv(12) == b"HTTP/1.1 403"
        sends.sendall(head + b"Content-Length: 9\r\n\r\n{")
        server.process.send_signal(signal.SIGTERM)
        assert server.end() == ("ended\n", "")
    assert server.process.returncode == 0
