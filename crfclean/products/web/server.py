"""Serve an ASGI application, protected by a token, until Ctrl-C or until it stops itself."""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from collections.abc import Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any

from anyio import create_task_group, move_on_after
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn import Config, Server

from crfclean.shell import read_asset, served_type
from crfclean.types import CrfcleanError

# protect a web page of one user from requests of other pages and hosts
#
# A page in another tab can send requests to a server on loopback. So the Host must be the bound
# one (against DNS rebinding). A request that writes must come from our own origin, with the token
# in a header that foreign pages cannot set. The first address, `/?token=...`, has the token and
# sets a cookie that allows reading. The cookie is another secret, derived from the token: browsers
# send cookies to all ports of a host, so another server there may see it, but cannot write with it.

TOKEN_HEADER = "x-crfclean-token"  # noqa: S105  # the header's name
_SAFE_METHODS = ("GET", "HEAD")
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


RETRY = {"retry-after": "1"}
"""The header of answers with status 503: the seconds until the client may try again."""


def _busy(message: str) -> Response:
    return error_response(message, 503, connection="close", **RETRY)


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
    if _same_secret(request.headers.get(TOKEN_HEADER, ""), rules.token):
        return False
    name, key = rules.cookie
    reads = request.method in _SAFE_METHODS and _same_secret(request.cookies.get(name, ""), key)
    return not reads and not _brings_token(rules, request)


_TOKEN_MISSING = (
    "The token is missing or wrong. Open the address that crfclean printed, or send its token in "
    f"the header {TOKEN_HEADER}."
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
        send = _with_headers(send, headers)
        try:
            await answer(scope, receive, send)
        except asyncio.CancelledError:  # by `_Server.shutdown`, before anything was sent
            await _busy("crfclean is being stopped.")(scope, receive, send)


def _with_headers(send: Send, headers_to_add: dict[str, str]) -> Send:
    async def sender(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, text in headers_to_add.items():
                headers.setdefault(name, text)
        await send(message)

    return sender


# limit the size and the number of request bodies

_MAX_DISCARDED_BYTES = 64 * 2**20  # read beyond the limit so that the client gets the answer


@dataclass(slots=True)
class BodyLimits:
    """An ASGI application that gets bodies of at most `max_bytes`, `max_requests` at once.

    A body must arrive within `seconds`. A request is cancelled when its client has gone.
    """

    app: ASGIApp
    max_bytes: int
    max_requests: int = 100
    seconds: float = 20.0
    _requests: int = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, then call the application or refuse the request."""
        if scope["type"] != "http":
            return
        is_busy = self._requests >= self.max_requests
        self._requests += 1
        try:
            body = None
            with move_on_after(self.seconds) as limit:
                body = await _body(scope, receive, 0 if is_busy else self.max_bytes)
            if body is None and limit.cancel_called:
                message = "The request took too long."
                await error_response(message, 408, connection="close")(scope, receive, send)
            elif body is not None:
                await _while_connected(self.app, scope, body, receive, send)
            elif is_busy:
                await _busy("Too many requests at once: try again soon.")(scope, receive, send)
            else:
                message = f"A request has at most {self.max_bytes:,} bytes."
                await error_response(message, 413, connection="close")(scope, receive, send)
        finally:
            self._requests -= 1


async def _while_connected(
    app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Call an application with the body of its request; cancel it when the client has gone."""
    async with create_task_group() as group:

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        group.start_soon(watch)
        await app(scope, _replay(body, receive), send)
        group.cancel_scope.cancel()


async def _body(scope: Scope, receive: Receive, max_bytes: int) -> bytes | None:
    """Read the body of a request; None if it is larger than `max_bytes`.

    A larger body is read up to a further limit and discarded, because a client does not read the
    answer while it sends.
    """
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if not announced.isdigit() or int(announced) > max_bytes + _MAX_DISCARDED_BYTES:
        return None
    body, size = bytearray(), 0
    while True:
        message = await receive()
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= max_bytes:
            body += chunk
        if not message.get("more_body") or size > max_bytes + _MAX_DISCARDED_BYTES:
            return bytes(body) if size <= max_bytes else None


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that yields the body in one message, then later messages."""
    pending = [body]

    async def receive_again() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return receive_again


# close connections that send no request
#
# A client that opens connections and never ends its requests would keep all others out: uvicorn
# limits the number of connections, but not the time that a request takes to arrive. So asyncio
# gets this protocol, which passes every event on to the one of uvicorn.

_CONNECTION: ContextVar[_Connection] = ContextVar("_CONNECTION")  # the one of the current request


@dataclass(eq=False, slots=True)
class _Connection:
    """A connection that is closed if it waits too long for a request, or for a newer one."""

    endpoint: Endpoint
    timers: dict[_Connection, asyncio.TimerHandle | None]  # of all; None while it has a request
    protocol: asyncio.Protocol
    transport: asyncio.Transport = field(init=False)
    requests: int = 0  # several if the client sends the next one before the answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.protocol, name)

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Wait for a request; close the longest waiting ones if there are too many connections."""
        self.transport = transport
        self.protocol.connection_made(transport)
        excess = len(self.timers) + 2 - self.endpoint.connections  # uvicorn refuses at the limit
        waiting = [each for each, timer in self.timers.items() if timer]
        for connection in waiting[: max(0, excess)]:
            connection.forget()  # now: `connection_lost` comes later
            connection.transport.abort()
        self.wait()

    def data_received(self, data: bytes) -> None:
        """Pass data on; the task of a request, which begins in this call, knows its connection."""
        _CONNECTION.set(self)
        self.protocol.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self.forget()
        self.protocol.connection_lost(exc)

    def wait(self) -> None:
        """Wait for the head of a request, or for the rest of a refused one."""
        loop = asyncio.get_running_loop()
        self.timers[self] = loop.call_later(self.endpoint.head_seconds, self.transport.close)

    def forget(self) -> None:
        """Stop waiting, and count this connection no longer."""
        if timer := self.timers.pop(self, None):
            timer.cancel()

    async def answer(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Call the application; no time limit of the connection holds meanwhile."""
        self.forget()
        self.timers[self] = None
        self.requests += 1
        try:
            await app(scope, receive, send)
        finally:
            self.requests -= 1
            if self.transport.is_closing():
                self.forget()
            elif not self.requests:
                self.wait()


# serve an ASGI application until Ctrl-C or until it stops itself

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_LAST_SECONDS = 0.5  # for answers under way when the server stops; then they are refused
_SHUTDOWN_SECONDS = 1  # for these refusals to be sent
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # listen on all -> address to open

Stop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The address and the limits of a server; for `scripts` see `AccessRules`.

    Port 0 is a free one, `token` "" a new one. `connections` is the number of connections at once.
    The head of a request must arrive within `head_seconds`, the first one's since the connection.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default="", repr=False)
    scripts: bool = False
    connections: int = 500  # a browser opens six
    head_seconds: float = 10.0


class _Server(Server):
    """A server that ends soon after a signal, and returns, so that the caller can clean up."""

    def handle_exit(self, sig: int, frame: object) -> None:  # noqa: ARG002
        """Stop; uvicorn's own method would raise the signal again."""
        self.should_exit = True

    async def shutdown(self, sockets: Any = None) -> None:
        """End all connections; requests have a short while to end."""
        asyncio.get_running_loop().call_later(_LAST_SECONDS, self._cancel)
        await super().shutdown(sockets)

    def _cancel(self) -> None:
        for task in self.server_state.tasks:
            task.cancel()


def serve_application(
    build: Callable[[Stop], ASGIApp],
    endpoint: Endpoint,
    tell: Callable[[str], object] = partial(print, flush=True),
) -> None:
    """Serve `build(stop)` behind a guard; `tell` receives the address to open.

    Raises `CrfcleanError` for a host that is not this machine's, and for a port that is taken.
    """
    config = _config(endpoint)
    listener, port = _bind(config)
    server = _Server(config)

    def stop() -> None:
        server.should_exit = True

    host = _WILDCARDS.get(endpoint.host, endpoint.host)
    rules = AccessRules(
        f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        endpoint.token or secrets.token_urlsafe(),
        anywhere=endpoint.host not in LOOPBACK,
        scripts=endpoint.scripts,
    )
    _load(config, endpoint, Guard(build(stop), rules))
    with suppress(OSError):  # of a closed standard output: who set the token knows the address
        tell(rules.address)
    with suppress(KeyboardInterrupt):
        server.run([listener])


def _config(endpoint: Endpoint) -> Config:
    return Config(
        "",  # the application: it is built once the port is known
        host=endpoint.host,
        port=endpoint.port,
        http="h11",
        limit_concurrency=endpoint.connections,
        access_log=False,  # addresses hold the token
        log_config=None,
        log_level="error",
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )


def _load(config: Config, endpoint: Endpoint, guard: Guard) -> None:
    """Let uvicorn serve an application over connections with time limits."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        await _CONNECTION.get().answer(guard, scope, receive, send)

    config.app = app
    config.load()
    protocol = config.http_protocol_class
    timers: dict[_Connection, asyncio.TimerHandle | None] = {}
    config.http_protocol_class = lambda **options: _Connection(  # type: ignore[assignment]
        endpoint, timers, protocol(**options)
    )


def _bind(config: Config) -> tuple[Any, int]:
    try:
        listener = config.bind_socket()
    except SystemExit as error:  # how uvicorn reports an address that cannot be bound
        raise _taken(config) from error
    try:
        listener.listen()
    except OSError as error:
        listener.close()
        raise _taken(config) from error
    return listener, listener.getsockname()[1]


def _taken(config: Config) -> CrfcleanError:
    return CrfcleanError(f"{config.host}:{config.port}: cannot listen there; choose another --port")
