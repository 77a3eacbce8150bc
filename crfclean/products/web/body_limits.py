"""Limit the size and the number of request bodies."""

from __future__ import annotations

from dataclasses import dataclass

from anyio import create_task_group, move_on_after
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crfclean.products.web.guard import error_response, try_again

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
                await try_again("Too many requests at once: try again soon.", 429)(
                    scope, receive, send
                )
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
