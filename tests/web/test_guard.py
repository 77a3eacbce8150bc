"""Tests of `web/server.py`."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient

from crfclean.web.server import POLICY, TOKEN_HEADER, AccessRules, Guard

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
