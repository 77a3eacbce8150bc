"""Limit the size of request bodies and the time to receive them."""

from __future__ import annotations

from dataclasses import dataclass

from anyio import fail_after
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crfclean.serve.guard import error_response

_MAX_DISCARDED_BYTES = 64 * 2**20  # read beyond the limit so that the client gets the answer


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """An ASGI application behind limits: bodies of `max_bytes`, received in `max_seconds`."""

    app: ASGIApp
    max_bytes: int
    max_seconds: float

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, then call the application or refuse the request."""
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
            message = f"A request has at most {self.max_bytes:,} bytes."
            await error_response(message, 413, connection="close")(scope, receive, send)
            return
        await self.app(scope, _replay(body, receive), send)


async def _body(scope: Scope, receive: Receive, max_bytes: int) -> bytes | None:
    """The body of a request, None if it is larger than `max_bytes`.

    A larger one is read up to a further limit and discarded: a client that is still sending does
    not read the answer.
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
    """A `receive` that yields the body in one message, then what follows it."""
    pending = [body]

    async def receive_again() -> Message:
        if pending:
            return {"type": "http.request", "body": pending.pop(), "more_body": False}
        return await receive()

    return receive_again
