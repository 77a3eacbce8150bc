"""An ASGI application -> a server, until Ctrl-C or until the application stops it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from uvicorn import Config, Server

from crfclean.serve.guard import Gate, Guard
from crfclean.types import CrfcleanError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_SECONDS_TO_END = 3  # answers under way when the server is stopped
_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # all addresses, and one to open

Application = Callable[..., object]
Stop = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Door:
    """Where a server listens, and what it asks of who comes in; see `guard.Gate`.

    Port 0 takes a free one. `token` "" makes a new one. `connections` is how many there may be at
    once, None any number.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str = field(default="", repr=False)
    scripts: bool = False
    connections: int | None = None


def run_on_loopback(
    build: Callable[[Stop], Application], host: str, port: int, tell: Callable[[str], object]
) -> None:
    """Serve `build(stop)` to one user of this machine; `tell` is given the address to open.

    Raises `CrfcleanError` for a host that others can reach, and for a port that is taken.
    """
    if host not in LOOPBACK:
        raise CrfcleanError(f"{host}: not a loopback address; use one of {', '.join(LOOPBACK)}")
    run(build, Door(host, port), tell)


def run(build: Callable[[Stop], Application], door: Door, tell: Callable[[str], object]) -> None:
    """Serve `build(stop)` behind a guard; `tell` is given the address to open.

    Raises `CrfcleanError` for a host that is not this machine's, and for a port that is taken.
    """
    config = _config(door)
    listener, bound = _bind(config)
    server = Server(config)

    def stop() -> None:
        server.should_exit = True

    named = _WILDCARDS.get(door.host, door.host)
    gate = Gate(
        f"[{named}]:{bound}" if ":" in named else f"{named}:{bound}",
        door.token or secrets.token_urlsafe(),
        anywhere=door.host not in LOOPBACK,
        scripts=door.scripts,
    )
    config.app = Guard(build(stop), gate)  # type: ignore[arg-type]
    tell(gate.address)
    with suppress(KeyboardInterrupt):
        server.run([listener])


def _config(door: Door) -> Config:
    return Config(
        _unused,
        host=door.host,
        port=door.port,
        limit_concurrency=door.connections,
        access_log=False,  # addresses hold the token
        log_config=None,
        log_level="error",
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=MAX_SECONDS_TO_END,
    )


async def _unused(*_: object) -> None:
    """Stand in for the application, which needs the port."""


def _bind(config: Config) -> tuple[Any, int]:
    """A socket that listens from now on, and its port."""
    try:
        listener = config.bind_socket()
    except SystemExit as error:  # that is how uvicorn says so
        raise _taken(config) from error
    try:
        listener.listen()
    except OSError as error:
        listener.close()
        raise _taken(config) from error
    return listener, listener.getsockname()[1]


def _taken(config: Config) -> CrfcleanError:
    return CrfcleanError(f"{config.host}:{config.port}: cannot listen there")
