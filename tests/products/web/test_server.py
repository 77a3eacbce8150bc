"""Tests of `web/server.py`: a real server in a process of its own."""

from __future__ import annotations

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from http.client import HTTPResponse, RemoteDisconnected
from pathlib import Path

import pytest

pytest.importorskip("uvicorn", reason="needs crfclean[web]")
from serving import Running
from starlette.types import Receive, Scope, Send

from crfclean.products.web.body_limits import BodyLimits
from crfclean.products.web.server import Endpoint, serve_application

SERVER = """
import sys
from pathlib import Path
from crfclean.products.teach.session import open_session
from crfclean.products.teach.annotate_web import label_in_browser
session = open_session(Path(sys.argv[1]))
label_in_browser(session, port=int(sys.argv[2]))
print("ended")
"""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    (tmp_path / "a.html").write_text("<p>One.</p>", "utf-8")
    with closing(Running("-c", SERVER, tmp_path, 0)) as running:
        yield running


def test_it_tells_an_address_that_works(server: Running) -> None:
    assert server.host == "127.0.0.1"
    assert len(server.token) >= 40
    assert server.ask(f"/?token={server.token}")[0] == 200
    assert server.ask("/")[0] == 403
    token = {"x-crfclean-token": server.token}
    assert server.ask("/api/session", **token)[0] == 200
    assert server.ask("/api/session", **token, Host="evil.example")[0] == 403


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


# a server in a thread, and raw sockets

TOKEN = "a-secret-of-the-tests"
LIMIT = 12
NO_LIMIT = 60.0, 60.0  # seconds
ENDPOINT = Endpoint(token=TOKEN, scripts=True, connections=LIMIT)
UNFINISHED = b"GET / HTTP/1.1\r\nHost: x\r\nX-A: "


async def application(_scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the number of bytes in the body."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(len(body)).encode()})


class Served:
    """A server in a thread, and where it is."""

    def __init__(self, head_seconds: float, body_seconds: float) -> None:
        addresses: queue.Queue[str] = queue.Queue()
        self.stop: Callable[[], None] = lambda: None

        def build(stop: Callable[[], None]) -> BodyLimits:
            self.stop = stop
            return BodyLimits(application, 1_000, seconds=body_seconds)

        endpoint = replace(ENDPOINT, head_seconds=head_seconds)
        self.thread = threading.Thread(
            target=serve_application, args=(build, endpoint, addresses.put), daemon=True
        )
        self.thread.start()
        address = addresses.get(timeout=10)
        self.port = int(address.removeprefix("http://127.0.0.1:").partition("/")[0])

    def open(self, data: bytes = b"") -> socket.socket:
        """A connection that has sent these bytes."""
        client = socket.create_connection(("127.0.0.1", self.port), timeout=10)
        client.sendall(data)
        return client

    def head(self, method: str = "GET", length: int = 0, token: str = TOKEN) -> bytes:
        """The head of a request."""
        return (
            f"{method} /x HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"X-Crfclean-Token: {token}\r\nContent-Length: {length}\r\n\r\n"
        ).encode()

    def upload(self, length: int) -> socket.socket:
        """A connection whose body the server awaits."""
        head = self.head("POST", length)[:-2] + b"Expect: 100-continue\r\n\r\n"
        client = self.open(head)
        assert client.recv(100).startswith(b"HTTP/1.1 100")
        return client

    def status(self, data: bytes) -> int:
        """The status of the answer to a request of its own connection."""
        with closing(self.open(data)) as client:
            return status_of(client)

    def close(self) -> None:
        """End the server."""
        self.stop()
        self.thread.join(10)
        assert not self.thread.is_alive()


def status_of(client: socket.socket) -> int:
    """The status of the next answer on a connection; 0 if it was closed without one."""
    answer = HTTPResponse(client)
    try:
        answer.begin()
        answer.read()
    except (RemoteDisconnected, ConnectionError):
        return 0
    return answer.status


def is_closed(client: socket.socket) -> bool:
    """Whether the server has closed a connection, whatever it sent before."""
    try:
        while client.recv(65_536):
            pass
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    return True


@pytest.fixture
def serving() -> Iterator[Callable[..., Served]]:
    with ExitStack() as stack:
        yield lambda *limits: stack.enter_context(closing(Served(*limits)))


@pytest.mark.parametrize("data", [b"", b"G", UNFINISHED])
def test_stalled_connections_lock_nobody_out(serving: Callable[..., Served], data: bytes) -> None:
    """A new connection takes the place of the oldest one that sends no request."""
    served = serving(*NO_LIMIT)
    with ExitStack() as stack:
        stalled = [stack.enter_context(closing(served.open(data))) for _ in range(2 * LIMIT)]
        assert served.status(served.head()) == 200
        assert is_closed(stalled[0])
        stalled[-1].settimeout(0.05)
        assert not is_closed(stalled[-1])


def test_refused_bodies_that_trickle_lock_nobody_out(serving: Callable[..., Served]) -> None:
    served = serving(*NO_LIMIT)
    with ExitStack() as stack:
        for _ in range(2 * LIMIT):
            client = stack.enter_context(closing(served.open(served.head("POST", 100, "wrong"))))
            assert status_of(client) == 403
            client.sendall(b"x")
        assert served.status(served.head()) == 200


def test_too_many_requests_at_once_are_refused(serving: Callable[..., Served]) -> None:
    served = serving(*NO_LIMIT)
    with ExitStack() as stack:
        uploads = [stack.enter_context(closing(served.upload(1))) for _ in range(LIMIT - 1)]
        assert served.status(served.head()) == 503
        for client in uploads:
            client.sendall(b"2")
            assert status_of(client) == 200


def test_a_request_is_refused_when_the_server_ends(serving: Callable[..., Served]) -> None:
    served = serving(*NO_LIMIT)
    with closing(served.open(UNFINISHED)) as begins, closing(served.upload(2)) as sends:
        served.stop()
        assert is_closed(begins)
        answer = HTTPResponse(sends)
        answer.begin()
        assert (answer.status, answer.headers["retry-after"]) == (503, "1")
        assert json.load(answer) == {"error": "crfclean is being stopped."}


def test_a_head_that_trickles_has_the_same_limit(serving: Callable[..., Served]) -> None:
    served = serving(0.3, 60.0)
    with closing(served.open(UNFINISHED)) as client:
        client.settimeout(0.02)
        while not is_closed(client):  # a server that goes on waiting would never end this
            try:
                client.sendall(b"a")
            except ConnectionError:
                break


def test_a_body_has_a_time_limit(serving: Callable[..., Served]) -> None:
    """Bodies that are read get an answer; the rest of a refused one is not awaited."""
    served = serving(60.0, 0.1)
    with closing(served.open(served.head("POST", 9) + b"1")) as client:
        assert status_of(client) == 408
        assert is_closed(client)
    served = serving(0.1, 60.0)
    with closing(served.open(served.head("POST", 9, "wrong") + b"1")) as client:
        assert status_of(client) == 403
        assert is_closed(client)


@pytest.mark.parametrize("earlier", [0, 1])
def test_a_request_may_take_longer_than_the_limit_to_be_answered(
    serving: Callable[..., Served], earlier: int
) -> None:
    """The limit of the head ends with the head, also if the request before is answered later."""
    served = serving(0.5, 60.0)
    with closing(served.open(served.head() * earlier + served.head("POST", 2))) as client:
        for _ in range(earlier):
            assert status_of(client) == 200
        time.sleep(0.7)
        client.sendall(b"12")
        assert status_of(client) == 200


def test_an_address_that_cannot_be_told_stops_no_server() -> None:
    begun = []

    def build(stop: Callable[[], None]) -> BodyLimits:
        stop()
        begun.append(True)
        return BodyLimits(application, 1_000)

    def tell(_address: str) -> None:
        raise OSError

    serve_application(build, ENDPOINT, tell)
    assert begun
