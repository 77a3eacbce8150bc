"""Protect a web page of one user from requests of other pages and hosts.

A page in another tab can send requests to a server on loopback. So the Host must be the one bound
(against DNS rebinding), and a request that writes must come from our own origin with the token in
a header that foreign pages cannot set. The token stands in the first address, `/?token=...`,
which sets a cookie that allows reading. The cookie is another secret, derived from the token:
browsers send cookies to all ports of a host, so another server there may see it, but cannot write
with it.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

TOKEN_HEADER = "x-crfclean-token"  # noqa: S105  # the header's name
_SAFE_METHODS = ("GET", "HEAD")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""The Content-Security-Policy of answers that set none: text cannot become markup."""

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
    """What requests must have; `host` is the bound one with its port.

    With `anywhere` the Host may be any name: the secrets alone protect then (after DNS rebinding
    the browser has no cookie for the name). With `scripts` a client that sends no Origin, and so
    is no browser, may write with the token.
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
    """An error as JSON."""
    body = json.dumps({"error": message})
    return Response(body, status, headers=headers, media_type="application/json")


def _refusal(rules: AccessRules, request: Request) -> str:
    """The message for a request that is refused, "" for one that may pass."""
    return next((message for violates, message in _CHECKS if violates(rules, request)), "")


def _brings_token(rules: AccessRules, request: Request) -> bool:
    """Whether a request is the first one, with the right token in its address."""
    token = request.query_params.get("token", "")
    return request.method == "GET" and request.url.path == "/" and _same_secret(token, rules.token)


def _same_secret(secret: str, expected: str) -> bool:
    """Compare two secrets in constant time."""
    return hmac.compare_digest(secret.encode("utf-8", "replace"), expected.encode())


def _wrong_host(rules: AccessRules, request: Request) -> bool:
    hosts = request.headers.getlist("host")
    return len(hosts) != 1 if rules.anywhere else hosts != [rules.host]


def _wrong_origin(rules: AccessRules, request: Request) -> bool:
    origins = request.headers.getlist("origin")
    if not origins:
        return request.method not in _SAFE_METHODS and not rules.scripts
    return len(origins) != 1 or origins[0] not in _own_origins(rules, request)


def _own_origins(rules: AccessRules, request: Request) -> tuple[str, ...]:
    """The origins of our own pages; behind a proxy they may have TLS."""
    if not rules.anywhere:
        return (rules.origin,)
    host = request.headers.get("host", "")
    return f"http://{host}", f"https://{host}"


def _foreign(_rules: AccessRules, request: Request) -> bool:
    """Whether a browser reports another site as the source; links to the first page may pass."""
    site = request.headers.get("sec-fetch-site", "none")
    return site not in ("none", "same-origin") and request.url.path != "/"


def _no_secret(rules: AccessRules, request: Request) -> bool:
    if _same_secret(request.headers.get(TOKEN_HEADER, ""), rules.token):
        return False
    name, key = rules.cookie
    reads = request.method in _SAFE_METHODS and _same_secret(request.cookies.get(name, ""), key)
    return not reads and not _brings_token(rules, request)


_CHECKS: Iterable[tuple[Callable[[AccessRules, Request], bool], str]] = (
    (_wrong_host, "The Host of this request is not the one that crfclean listens on."),
    (_wrong_origin, "This request comes from another origin."),
    (_foreign, "This request comes from another site."),
    (_no_secret, "Open the address that crfclean printed: it has the token that is missing here."),
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
        if refusal := _refusal(self.rules, request):
            plain = PlainTextResponse(refusal + "\n", status_code=403)
            is_api = self.rules.scripts and request.url.path != "/"
            answer: ASGIApp = error_response(refusal, 403) if is_api else plain
        else:
            answer = self.app
            if _brings_token(self.rules, request):
                name, key = self.rules.cookie
                headers["set-cookie"] = f"{name}={key}; Path=/; HttpOnly; SameSite=Strict"
        await answer(scope, receive, _with_headers(send, headers))


def _with_headers(send: Send, headers_to_add: dict[str, str]) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, text in headers_to_add.items():
                headers.setdefault(name, text)
        await send(message)

    return sender
