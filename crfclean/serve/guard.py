"""Requests -> those that may pass to a web page of one user, with headers that shut its answers in.

A page in another tab can send requests to a server on loopback. So the Host must be the one bound
(or a name that is made to point here would do), and who writes must bring the token in a header
that foreign pages cannot set, from our own origin. The token comes with the first address,
`/?token=...`, which sets a cookie to read with. The cookie is another secret made from the token:
cookies go to all ports of a host, so another server on it may see it, and could not write with it.
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
"""The Content-Security-Policy of answers without one of their own: no text becomes markup."""

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
    """What requests must bring: `host` is the bound one with its port.

    With `anywhere` the Host may be any name of the machine: the secrets alone keep strangers out
    (a name that is made to point here has no cookie). With `scripts` a client that sends no
    Origin, and so is no browser, may write with the token.
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
        """Name and value of the cookie to read with; the name tells servers on a host apart."""
        key = hmac.digest(self.token.encode(), b"read", sha256).hex()
        return f"crfclean-{self.host.rpartition(':')[2]}", key


def error_response(message: str, status: int, **headers: str) -> Response:
    """What went wrong, as programs are told."""
    body = json.dumps({"error": message})
    return Response(body, status, headers=headers, media_type="application/json")


def _refusal(rules: AccessRules, request: Request) -> str:
    """Why a request may not pass, "" if it may."""
    return next((told for wrong, told in _CHECKS if wrong(rules, request)), "")


def _brings_token(rules: AccessRules, request: Request) -> bool:
    """Whether a request is the first one, with the token in its address."""
    given = request.query_params.get("token", "")
    return request.method == "GET" and request.url.path == "/" and _same(given, rules.token)


def _same(given: str, wanted: str) -> bool:
    """Whether two secrets are the same, in a time that does not tell how much of them is."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def _wrong_host(rules: AccessRules, request: Request) -> bool:
    hosts = request.headers.getlist("host")
    return len(hosts) != 1 if rules.anywhere else hosts != [rules.host]


def _wrong_origin(rules: AccessRules, request: Request) -> bool:
    origins = request.headers.getlist("origin")
    if not origins:
        return request.method not in _SAFE_METHODS and not rules.scripts
    return len(origins) != 1 or origins[0] not in _own_origins(rules, request)


def _own_origins(rules: AccessRules, request: Request) -> tuple[str, ...]:
    """The origins of our own pages; a proxy before us may speak TLS."""
    if not rules.anywhere:
        return (rules.origin,)
    host = request.headers.get("host", "")
    return f"http://{host}", f"https://{host}"


def _foreign(_rules: AccessRules, request: Request) -> bool:
    """Whether a browser says that another site asks, for more than the first page."""
    told = request.headers.get("sec-fetch-site", "none")
    return told not in ("none", "same-origin") and request.url.path != "/"


def _no_secret(rules: AccessRules, request: Request) -> bool:
    if _same(request.headers.get(TOKEN_HEADER, ""), rules.token):
        return False
    name, key = rules.cookie
    reads = request.method in _SAFE_METHODS and _same(request.cookies.get(name, ""), key)
    return not reads and not _brings_token(rules, request)


_CHECKS: Iterable[tuple[Callable[[AccessRules, Request], bool], str]] = (
    (_wrong_host, "The Host of this request is not the one that crfclean listens on."),
    (_wrong_origin, "This request comes from another origin."),
    (_foreign, "This request comes from another site."),
    (_no_secret, "Open the address that crfclean printed: it has the token that is missing here."),
)


@dataclass(frozen=True, slots=True)
class Guard:
    """An ASGI application behind a rules."""

    app: ASGIApp
    rules: AccessRules

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":  # no other protocol is spoken here
            return
        request = Request(scope)
        added = dict(_HEADERS)
        if refused := _refusal(self.rules, request):
            plain = PlainTextResponse(refused + "\n", status_code=403)
            is_api = self.rules.scripts and request.url.path != "/"
            answer: ASGIApp = error_response(refused, 403) if is_api else plain
        else:
            answer = self.app
            if _brings_token(self.rules, request):
                name, key = self.rules.cookie
                added["set-cookie"] = f"{name}={key}; Path=/; HttpOnly; SameSite=Strict"
        await answer(scope, receive, _with_headers(send, added))


def _with_headers(send: Send, added: dict[str, str]) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, text in added.items():
                headers.setdefault(name, text)
        await send(message)

    return sender
