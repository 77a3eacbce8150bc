"""Serve an ASGI application until Ctrl-C or until it stops itself."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn import Config, Server

from crfclean.products.web.guard import AccessRules, Guard
from crfclean.types import CrfcleanError

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
