"""Protect a web page of one user from requests of other pages and hosts."""

from __future__ import annotations

import asyncio
import hmac
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crfclean.cli.messages import LOG
from crfclean.page.chars import escaped
from crfclean.shell import read_asset, served_type

TOKEN_HEADER = "x-crfclean-token"  # noqa: S105  # the header's name
HEALTH = "/health"
"""The path that tells without a token that the server answers."""

_SAFE_METHODS = ("GET", "HEAD")
_LOGGED_PATH = 200  # characters
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of answers that set none; it keeps text from becoming markup."""

_HEADERS = {
    "content-security-policy": POLICY,
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-dns-prefetch-control": "off",
}


@dataclass(frozen=True, slots=True)
class AccessRules:
    """The requirements of requests; `host` is the bound one, with its port.

    With `anywhere`, the Host may be any name, and only the secrets protect: after DNS rebinding,
    the browser has no cookie for the name. With `scripts`, a client without an Origin, which is no
    browser, may write with the token.
    """

    host: str
    token: str = field(repr=False)
    anywhere: bool = False
    scripts: bool = False

    @property
    def origin(self) -> str:
        """The origin of our own pages."""
        return f"http://{self.host}"

    @property
    def address(self) -> str:
        """The address to open."""
        return f"{self.origin}/?token={self.token}"

    @property
    def cookie(self) -> tuple[str, str]:
        """Name and value of the cookie that allows reading; the name has the port."""
        key = hmac.digest(self.token.encode(), b"read", sha256).hex()
        return f"crfclean-{self.host.rpartition(':')[2]}", key


def error_response(message: str, status: int, **headers: str) -> Response:
    """Return an error as JSON."""
    body = json.dumps({"error": message})
    return Response(body, status, headers=headers, media_type="application/json")


BUSY_STATUSES = frozenset([429, 503])
"""Statuses of requests that the client may send again: too many at once, or the server stops."""

RETRY = {"retry-after": "1"}
"""The header of answers with these statuses: the seconds until the client may try again."""


def try_again(message: str, status: int) -> Response:
    """Return the answer to a request that the client may send again."""
    return error_response(message, status, connection="close", **RETRY)


def static_file(name: str) -> Response:
    """Answer with a static file, for a route `/static/{name}`."""
    media = served_type(name)
    if media is None:
        return error_response("no such file", 404)
    return Response(read_asset(name), media_type=media)


def _brings_token(rules: AccessRules, request: Request) -> bool:
    """Return whether the address of a request is the printed one, with the right token."""
    token = request.query_params.get("token", "")
    return request.method == "GET" and request.url.path == "/" and _same_secret(token, rules.token)


def _same_secret(secret: str, expected: str) -> bool:
    return hmac.compare_digest(secret.encode("utf-8", "replace"), expected.encode())


def _wrong_host(rules: AccessRules, request: Request) -> bool:
    hosts = request.headers.getlist("host")
    return len(hosts) != 1 if rules.anywhere else hosts != [rules.host]


def _wrong_origin(rules: AccessRules, request: Request) -> bool:
    origins = request.headers.getlist("origin")
    if not origins:
        return request.method not in _SAFE_METHODS and not rules.scripts
    host = request.headers.get("host", "")  # behind a proxy our own pages may have TLS
    own = (f"http://{host}", f"https://{host}") if rules.anywhere else (rules.origin,)
    return len(origins) != 1 or origins[0] not in own


def _foreign(_rules: AccessRules, request: Request) -> bool:
    """Return whether a browser reports another site as the source; the first page is exempt."""
    site = request.headers.get("sec-fetch-site", "none")
    return site not in ("none", "same-origin") and request.url.path != "/"


def _no_secret(rules: AccessRules, request: Request) -> bool:
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    sent = [request.headers.get(TOKEN_HEADER, ""), bearer.strip() * (scheme.lower() == "bearer")]
    if any(_same_secret(token, rules.token) for token in sent) or request.url.path == HEALTH:
        return False
    name, key = rules.cookie
    reads = request.method in _SAFE_METHODS and _same_secret(request.cookies.get(name, ""), key)
    return not reads and not _brings_token(rules, request)


_TOKEN_MISSING = (
    "The token is missing or wrong. Open the address that crfclean printed, or send its token in "
    f"a header: {TOKEN_HEADER}: TOKEN, or Authorization: Bearer TOKEN."
)
_CHECKS: Iterable[tuple[Callable[[AccessRules, Request], bool], str]] = (
    (_wrong_host, "The Host of this request is not the one that crfclean listens on."),
    (_wrong_origin, "This request comes from another origin."),
    (_foreign, "This request comes from another site."),
    (_no_secret, _TOKEN_MISSING),
)


@dataclass(frozen=True, slots=True)
class Guard:
    """An ASGI application behind access rules."""

    app: ASGIApp
    rules: AccessRules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on or refuse it; add the security headers."""
        if scope["type"] != "http":  # no other protocol is spoken here
            return
        request = Request(scope)
        headers = dict(_HEADERS)
        checks = (message for violates, message in _CHECKS if violates(self.rules, request))
        if refusal := next(checks, ""):
            plain = PlainTextResponse(refusal + "\n", status_code=403)
            is_api = self.rules.scripts and request.url.path != "/"
            answer: ASGIApp = error_response(refusal, 403) if is_api else plain
        else:
            answer = self.app
            if _brings_token(self.rules, request):
                name, key = self.rules.cookie
                headers["set-cookie"] = f"{name}={key}; Path=/; HttpOnly; SameSite=Strict"
        noted = _Noted(_with_headers(send, headers))
        try:
            await answer(scope, receive, noted)
        except asyncio.CancelledError:  # by `_Server.shutdown`, before anything was sent
            await try_again("crfclean is being stopped.", 503)(scope, receive, noted)
        finally:
            noted.log(request)


@dataclass(slots=True)
class _Noted:
    """A `send` that notes status, bytes and time of an answer, for the access log."""

    send: Send
    status: int = 0
    size: int = 0
    began: float = field(default_factory=time.perf_counter)

    async def __call__(self, message: Message) -> None:
        self.status = message.get("status", self.status)
        self.size += len(message.get("body", b""))
        await self.send(message)

    def log(self, request: Request) -> None:
        """Log a request at the level INFO, without its query, which may hold the token."""
        client = request.client.host if request.client else "-"
        path = escaped(request.scope["path"][:_LOGGED_PATH])
        what = f"{client} {request.method} {path}"
        seconds = time.perf_counter() - self.began
        LOG.info("%s %d, %d bytes, %.3f s", what, self.status, self.size, seconds)


def _with_headers(send: Send, headers_to_add: dict[str, str]) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, text in headers_to_add.items():
                headers.setdefault(name, text)
        await send(message)

    return sender
