"""An ASGI application -> a server on loopback, until Ctrl-C or until the application stops it."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from uvicorn import Config, Server

from crfclean.extras.guard import Gate, Guard
from crfclean.types import CrfcleanError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
MAX_SECONDS_TO_END = 3  # answers under way when the server is stopped

Application = Callable[..., object]
Stop = Callable[[], None]


def run_on_loopback(
    build: Callable[[Stop], Application],
    host: str,
    port: int,
    tell: Callable[[str], object],
) -> None:
    """Serve `build(stop)` behind a guard with a new token; `tell` is given the address to open.

    Port 0 takes a free one. Raises `CrfcleanError` for a host that others can reach, and for a
    port that is taken.
    """
    if host not in LOOPBACK:
        raise CrfcleanError(f"{host}: not a loopback address; use one of {', '.join(LOOPBACK)}")
    config = _config(host, port)
    listener, bound = _bind(config)
    server = Server(config)

    def stop() -> None:
        server.should_exit = True

    gate = Gate(f"[{host}]:{bound}" if ":" in host else f"{host}:{bound}", secrets.token_urlsafe())
    config.app = Guard(build(stop), gate)  # type: ignore[arg-type]
    tell(gate.address)
    with suppress(KeyboardInterrupt):
        server.run([listener])


def _config(host: str, port: int) -> Config:
    return Config(
        _unused,
        host=host,
        port=port,
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
