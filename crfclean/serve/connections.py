"""Connections that cannot be held without sending a request.

A client that opens connections and never ends its requests would keep all others out: uvicorn has
a limit of connections, but none of the time that a request may take to come in. Here the head and
the body have one each, and a new connection takes the place of the one that has been idle longest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

_TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class ReceiveLimits:
    """Seconds in which the head of a request, and then its body, have to come in.

    The head of the first request counts from the opening of the connection.
    """

    head_seconds: float = 10.0
    body_seconds: float = 30.0  # more than `BodyLimits` has, whose answer says more


class Connection(H11Protocol):
    """A connection of uvicorn with limits of the time that its requests take to come in."""

    def __init__(self, limits: ReceiveLimits, **options: Any) -> None:
        super().__init__(**options)
        self._seconds = {h11.IDLE: limits.head_seconds, h11.SEND_BODY: limits.body_seconds}
        self._stage: object = None
        self._timer: asyncio.TimerHandle | None = None
        self.opened = 0.0

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a head; make room if there are too many connections."""
        super().connection_made(transport)
        self.opened = self.loop.time()
        self._make_room()
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Start to wait for the next request, or for the rest of a body that nobody reads."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the time limit."""
        self._stop_timer()
        super().connection_lost(exc)

    def _make_room(self) -> None:
        """Close the connections that have been idle longest, so that this one is below the limit.

        Idle are those without a request that is being answered: their heads are not complete, or
        their requests were refused and are still being sent.
        """
        if self.limit_concurrency is None:
            return
        excess = len(self.connections) - self.limit_concurrency + 1
        others = [each for each in self.connections - {self} if isinstance(each, Connection)]
        idle = sorted((each for each in others if each.is_idle), key=lambda each: each.opened)
        for connection in idle[: max(0, excess)]:
            self.connections.discard(connection)  # now: `connection_lost` comes later
            connection.transport.abort()

    @property
    def is_idle(self) -> bool:
        """Whether no request of this connection is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def _watch(self) -> None:
        """Limit the time of what is being received; a stage that goes on keeps its limit."""
        stage = (self.conn.their_state, self.cycle)
        if stage == self._stage:
            return
        self._stop_timer()
        self._stage = stage
        seconds = self._seconds.get(self.conn.their_state)
        if seconds is not None and not self.transport.is_closing():
            self._timer = self.loop.call_later(seconds, self._hang_up)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hang_up(self) -> None:
        """Close the connection; a head that was begun is answered."""
        if self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]:
            self.transport.write(_TOO_LATE)
        self.transport.close()


def connection_with(limits: ReceiveLimits) -> Callable[..., Connection]:
    """What makes the connections of a server."""
    return partial(Connection, limits)
