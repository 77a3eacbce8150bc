"""Tests of `web/server.py`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from crfclean.web import server
from crfclean.web.server import BodyLimits


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the length of the body, and what came after it."""
    first, then = await receive(), await receive()
    told = {"body": len(first["body"]), "more": first["more_body"], "then": then["type"]}
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": json.dumps(told).encode()})


class Client:
    """Sends a body in parts, and notes how many were taken."""

    def __init__(self, parts: list[bytes]) -> None:
        self.parts, self.taken = parts, 0
        self.messages = self.sent()
        self.answers: list[Any] = []

    def sent(self) -> Iterator[dict[str, Any]]:
        for place, part in enumerate(self.parts):
            more = place + 1 < len(self.parts)
            yield {"type": "http.request", "body": part, "more_body": more}
        while True:
            yield {"type": "http.disconnect"}

    async def receive(self) -> Any:
        self.taken += 1
        return next(self.messages)

    async def send(self, message: Any) -> None:
        self.answers.append(message)

    def ask(self, app: Any, *headers: tuple[bytes, bytes], kind: str = "http") -> tuple[int, Any]:
        """Status and JSON of the answer; 0 for none."""
        scope = {"type": kind, "method": "POST", "path": "/", "headers": list(headers)}
        asyncio.run(app(scope, self.receive, self.send))
        if not self.answers:
            return 0, None
        return self.answers[0]["status"], json.loads(self.answers[1]["body"])


def limited(app: Any = echo, max_requests: int = 1) -> BodyLimits:
    return BodyLimits(app, 10, max_requests)


@pytest.mark.parametrize("parts", [[b"0123456789a"], [b"01234", b"56789", b"a"], [b"a"] * 11])
def test_larger_ones_are_refused(parts: list[bytes]) -> None:
    longest = Client([b"01234", b"56789"]).ask(limited())
    assert longest == (200, {"body": 10, "more": False, "then": "http.disconnect"})
    client = Client(parts)
    assert client.ask(limited()) == (413, {"error": "A request has at most 10 bytes."})
    assert client.taken == len(parts)  # who still sends would hear nothing


def test_of_a_flood_only_so_much_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_MAX_DISCARDED_BYTES", 30)
    client = Client([b"0123456789"] * 1_000)
    assert client.ask(limited())[0] == 413
    assert client.taken == 5


@pytest.mark.parametrize("length", [b"99999999999", b"-1", b"x", b"", b"1e3"])
def test_what_is_announced_is_not_awaited(length: bytes) -> None:
    client = Client([b"a"])
    assert client.ask(limited(), (b"content-length", length))[0] == 413
    assert client.taken == 0


async def unending(_scope: Any, _receive: Any, _send: Any) -> None:
    await asyncio.Event().wait()


def test_a_request_ends_when_its_client_has_gone() -> None:
    app = limited(unending)
    for _ in range(2):  # the second is not one too many
        assert Client([b"a"]).ask(app) == (0, None)


def test_too_many_at_once_are_refused_when_they_are_read() -> None:
    client = Client([b"a", b"b"])
    message = {"error": "Too many requests at once: try again soon."}
    assert client.ask(limited(max_requests=0)) == (503, message)
    assert client.taken == 2
    assert (b"retry-after", b"1") in client.answers[0]["headers"]
    assert Client([b""]).ask(limited(max_requests=0))[0] == 200  # this takes no memory
