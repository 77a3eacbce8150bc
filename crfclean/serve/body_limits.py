"""Requests -> those whose body is not too large and comes in time, whole, to an application."""

from __future__ import annotations

from dataclasses import dataclass

from anyio import fail_after
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crfclean.serve.guard import error_response

_MAX_DISCARDED_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """An ASGI application that gets bodies of at most `max_bytes`, sent within `max_seconds`."""

    app: ASGIApp
    max_bytes: int
    max_seconds: float

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, and let the application answer, or refuse it."""
        if scope["type"] != "http":
            return
        try:
            with fail_after(self.max_seconds):
                body = await _body(scope, receive, self.max_bytes)
        except TimeoutError:
            await error_response("The request took too long.", 408, connection="close")(
                scope, receive, send
            )
            return
        if body is None:
            refused = f"A request has at most {self.max_bytes:,} bytes."
            await error_response(refused, 413, connection="close")(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)


async def _body(scope: Scope, receive: Receive, most: int) -> bytes | None:
    """The body of a request, None if it is larger.

    A larger one is read, up to a limit, and thrown away: who is still sending hears no answer.
    """
    announced = dict(scope["headers"]).get(b"content-length", b"0")
    if not announced.isdigit() or int(announced) > most + _MAX_DISCARDED_BYTES:
        return None
    body, size = bytearray(), 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size <= most:
            body += part
        if not message.get("more_body") or size > most + _MAX_DISCARDED_BYTES:
            return bytes(body) if size <= most else None


def _replay(body: bytes, receive: Receive) -> Receive:
    """What the application receives: the body at once, then what comes after it."""
    left = [body]

    async def again() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(), "more_body": False}
        return await receive()

    return again
