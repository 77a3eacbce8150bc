"""Serve an ASGI application until Ctrl-C or until it stops itself."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from uvicorn import Config, Server

from crfclean.serve.connections import ReceiveLimits, connection_with
from crfclean.serve.guard import AccessRules, Guard
from crfclean.types import CrfcleanError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SHUTDOWN_SECONDS = 3  # for answers under way when the server stops
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # listen on all -> address to open

Application = Callable[..., object]
Stop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a server listens and whom it admits; see `guard.AccessRules`.

    Port 0 takes a free one. `token` "" makes a new one. `connections` limits those at once, None
    for no limit; `receive` limits the time that requests take to come in.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default="", repr=False)
    scripts: bool = False
    connections: int | None = None
    receive: ReceiveLimits = field(default_factory=ReceiveLimits)


def run_on_loopback(
    build: Callable[[Stop], Application], host: str, port: int, tell: Callable[[str], object]
) -> None:
    """Serve `build(stop)` to one user of this machine; `tell` receives the address to open.

    Raises `CrfcleanError` for a host that others can reach, and for a port that is taken.
    """
    if host not in LOOPBACK:
        raise CrfcleanError(f"{host}: not a loopback address; use one of {', '.join(LOOPBACK)}")
    serve_application(build, Endpoint(host, port), tell)


def serve_application(
    build: Callable[[Stop], Application], endpoint: Endpoint, tell: Callable[[str], object]
) -> None:
    """Serve `build(stop)` behind a guard; `tell` receives the address to open.

    Raises `CrfcleanError` for a host that is not this machine's, and for a port that is taken.
    """
    config = _config(endpoint)
    listener, port = _bind(config)
    server = Server(config)

    def stop() -> None:
        server.should_exit = True

    host = _WILDCARDS.get(endpoint.host, endpoint.host)
    rules = AccessRules(
        f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
        endpoint.token or secrets.token_urlsafe(),
        anywhere=endpoint.host not in LOOPBACK,
        scripts=endpoint.scripts,
    )
    config.app = Guard(build(stop), rules)  # type: ignore[arg-type]
    tell(rules.address)
    with suppress(KeyboardInterrupt):
        server.run([listener])


def _config(endpoint: Endpoint) -> Config:
    return Config(
        _unused,
        host=endpoint.host,
        port=endpoint.port,
        http=connection_with(endpoint.receive),  # type: ignore[arg-type]  # calls it as a class
        limit_concurrency=endpoint.connections,
        access_log=False,  # addresses hold the token
        log_config=None,
        log_level="error",
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=_SHUTDOWN_SECONDS,
    )


async def _unused(*_: object) -> None:
    """Stand in for the application, which is built once the port is known."""


def _bind(config: Config) -> tuple[Any, int]:
    """A listening socket and its port."""
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
    return CrfcleanError(f"{config.host}:{config.port}: cannot listen there")
