"""Tests of `web/server.py`."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from crfclean.cli.messages import LOG
from crfclean.products.web import body_limits
from crfclean.products.web.body_limits import BodyLimits
from crfclean.products.web.guard import POLICY, TOKEN_HEADER, AccessRules, Guard

HOST = "127.0.0.1:8123"
GATE = AccessRules(HOST, "secret-token")
ORIGIN = {"origin": f"http://{HOST}"}
TOKEN = {TOKEN_HEADER: "secret-token"}


async def application(scope: Any, receive: Any, send: Any) -> None:
    headers = {"content-security-policy": "sandbox"} if scope["path"] == "/own" else {}
    await PlainTextResponse("passed", headers=headers)(scope, receive, send)


@pytest.fixture
def client() -> TestClient:
    return TestClient(Guard(application, GATE), base_url=f"http://{HOST}")


@pytest.fixture
def reader(client: TestClient) -> TestClient:
    assert client.get("/", params={"token": "secret-token"}).text == "passed"
    return client


def test_the_first_address_gives_a_cookie_to_read_with(client: TestClient) -> None:
    assert GATE.address == "http://127.0.0.1:8123/?token=secret-token"
    assert client.get("/data").status_code == 403
    answer = client.get(GATE.address)
    assert answer.text == "passed"
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("crfclean-8123=")
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert "secret-token" not in cookie
    assert client.get("/data").text == "passed"
    assert "set-cookie" not in client.get("/data").headers


@pytest.mark.parametrize(
    "address", ["/", "/?token=", "/?token=Secret-token", "/?token=secret-tokené", "/data?token="]
)
def test_wrong_tokens(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code == 403
    assert "Open the address" in answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER "])
def test_the_token_as_a_bearer(client: TestClient, scheme: str) -> None:
    sent = {"authorization": f"{scheme} {TOKEN['x-crfclean-token']}"}
    assert client.get("/data", headers=sent).status_code == 200
    assert client.post("/data", headers=sent | ORIGIN).status_code == 200
    for wrong in (f"Basic {TOKEN['x-crfclean-token']}", "Bearer", "Bearer x", "Bearer \u00e9"):
        value = wrong.encode("latin-1")
        assert client.get("/data", headers={b"authorization": value}).status_code == 403


def test_health_needs_no_token_but_the_host(client: TestClient) -> None:
    assert client.get("/health").status_code == 200
    assert client.get("/health", headers={"host": "evil.example"}).status_code == 403
    assert client.get("/health/x").status_code == 403


def test_requests_are_logged_without_their_query(
    client: TestClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(LOG, "propagate", False)  # if other tests opened it, records come twice
    monkeypatch.setattr(LOG, "handlers", [caplog.handler])
    with caplog.at_level("INFO", logger="crfclean"):
        client.get("/data?token=secret", headers=TOKEN)
        client.get("/data%0aforged?token=secret")
    first, second = (record.getMessage() for record in caplog.records)
    assert re.fullmatch(r"testclient GET /data 200, \d+ bytes, \d+\.\d{3} s", first)
    assert re.fullmatch(r"testclient GET /data\\nforged 403, \d+ bytes, .*", second)
    assert "secret" not in first + second


@pytest.mark.parametrize("value", ["", "x", "secret-token", "é"])
def test_wrong_cookies(client: TestClient, value: str) -> None:
    cookie = f"crfclean-8123={value}".encode()
    assert client.get("/data", headers={b"cookie": cookie}).status_code == 403


@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8123", "localhost:8123", "127.0.0.1", "127.0.0.1:8124"),
        *("", "127.0.0.1:8123.evil.example", "127.0.0.1.nip.example:8123", "[::1]:8123"),
    ],
)
def test_other_hosts(reader: TestClient, host: str) -> None:
    for method in ("GET", "POST"):
        answer = reader.request(method, "/data", headers={"host": host, **TOKEN, **ORIGIN})
        assert answer.status_code == 403
        assert "Host" in answer.text


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"])
def test_writing_needs_the_token_and_the_origin(reader: TestClient, method: str) -> None:
    assert reader.request(method, "/data").status_code == 403
    assert reader.request(method, "/data", headers=ORIGIN).status_code == 403  # a cookie only
    assert reader.request(method, "/data", headers=TOKEN).status_code == 403
    assert reader.request(method, "/data", headers={**ORIGIN, **TOKEN}).status_code == 200


@pytest.mark.parametrize(
    "origin",
    [
        *("null", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:8124", ""),
        *("https://127.0.0.1:8123", "http://localhost:8123", "http://127.0.0.1:8123/"),
    ],
)
def test_other_origins(reader: TestClient, origin: str) -> None:
    for method in ("GET", "POST"):
        answer = reader.request(method, "/data", headers={"origin": origin, **TOKEN})
        assert answer.status_code == 403
        assert "origin" in answer.text


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_other_sites_cannot_embed_anything(reader: TestClient, site: str) -> None:
    assert reader.get("/data", headers={"sec-fetch-site": site}).status_code == 403
    assert reader.get("/", headers={"sec-fetch-site": site}).status_code == 200  # a link to it
    for own in ("same-origin", "none"):
        assert reader.get("/data", headers={"sec-fetch-site": own}).status_code == 200


def test_every_answer_has_the_headers(reader: TestClient) -> None:
    for answer in (reader.get("/"), reader.get("/data", headers={"origin": "null"})):
        assert answer.headers["content-security-policy"] == POLICY
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "access-control-allow-origin" not in answer.headers


def test_policy_allows_nothing_inline() -> None:
    parts = dict(part.strip().partition(" ")[::2] for part in POLICY.split(";"))
    assert parts["default-src"] == "'none'"
    assert {parts[name] for name in ("script-src", "style-src", "connect-src")} == {"'self'"}
    assert parts["frame-ancestors"] == parts["form-action"] == parts["base-uri"] == "'none'"
    assert parts["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in POLICY


# servers that others can reach, and programs that ask

OPEN = AccessRules("192.168.1.5:8123", "secret-token", anywhere=True)


def reached(gate: AccessRules, host: str) -> TestClient:
    return TestClient(Guard(application, gate), base_url=f"http://{host}")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://clean.example.evil.example", "clean.example"]
)
def test_other_origins_stay_outside_of_it(origin: str) -> None:
    client = reached(OPEN, "clean.example")
    assert client.post("/data", headers={"origin": origin, **TOKEN}).status_code == 403
    assert client.get("/data", headers={"origin": origin, **TOKEN}).status_code == 403


def test_programs_write_with_the_token_alone() -> None:
    client = reached(AccessRules(HOST, "secret-token", scripts=True), HOST)
    assert client.post("/data", headers=TOKEN).text == "passed"
    assert client.post("/data").status_code == 403
    assert client.post("/data", headers={TOKEN_HEADER: "x"}).status_code == 403
    for origin in ("http://evil.example", "null", ""):
        assert client.post("/data", headers={"origin": origin, **TOKEN}).status_code == 403
    assert client.get("/?token=secret-token").text == "passed"
    assert client.post("/data").status_code == 403  # the cookie is only for reading


# the size and the number of request bodies


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
    monkeypatch.setattr(body_limits, "_MAX_DISCARDED_BYTES", 30)
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
    assert client.ask(limited(max_requests=0)) == (429, message)
    assert client.taken == 2
    assert (b"retry-after", b"1") in client.answers[0]["headers"]
    assert Client([b""]).ask(limited(max_requests=0))[0] == 200  # this takes no memory
