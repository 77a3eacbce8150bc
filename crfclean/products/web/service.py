"""Answer requests to clean pages with worker processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from anyio import CancelScope, CapacityLimiter, to_thread

from crfclean.metadata.read import open_models
from crfclean.model.folder import find_model
from crfclean.page.decode import decode, unpacked_size
from crfclean.products.corpus.pool import Pool
from crfclean.products.corpus.tasks import Lost
from crfclean.products.web.inspection import Inspection, WorkParams, inspect
from crfclean.systems.capabilities import Opens, capability
from crfclean.systems.load import NAMED, SHIPPED, load
from crfclean.types import CrfcleanError, ModelError, Page, Tagger, WorkerError


def default_names() -> tuple[str, ...]:
    """Return the names of all taggers that can be opened: of shipped models, and `NAMED`."""
    return tuple(name for name in (*SHIPPED.values(), *NAMED) if _is_installed(name))


def _is_installed(name: str) -> bool:
    try:
        _ = load(name) if name in NAMED else find_model(name)
    except ModelError:
        return False
    return True


# Pages may be hostile, so they are cleaned by the workers of `pool.Pool`, with the limits of
# `clean`. A worker keeps its models open from page to page.

_STATUSES = {"over-time": 504, "over-memory": 413, "stopped": 503}
"""Status of a page that was lost -> HTTP status; 500 for all others."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page and how to inspect it.

    The page is `html` or `data`; without them it is fetched from `url` with `fetching` (a
    `fetch.FetchParams`), and its HTML is part of the answer.
    """

    model: str
    inspection: Inspection
    html: str | None = None
    data: bytes | None = None
    url: str | None = None
    fetching: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status and the JSON of the body."""

    status: int
    json: str


def _error_answer(status: int, message: str) -> Answer:
    return Answer(status, json.dumps({"error": message}))


@dataclass(frozen=True, slots=True)
class ServedModels:
    """The taggers by name; each worker has them all."""

    taggers: Mapping[str, Tagger]

    def prepare(self, request: PageRequest) -> None:
        """Open the further models that a page needs; its time is counted from then on."""
        reads = capability(self.taggers[request.model], Opens)
        if reads is not None:
            reads.open()
        if request.inspection.show.metadata:
            open_models()


def open_served(models: Sequence[str]) -> ServedModels:
    """Open taggers by their names; raises `ModelError`."""
    return ServedModels({model: load(model) for model in models})


# The order of waiting pages: small pages go first, but large ones do not starve. The size of a
# page counts in steps of 64 kB, at most 16, and a page lets as many later ones pass. Pages of less
# than a step have waiting places of their own. Pages of 16 steps never take the last worker, if
# there are several.

_STEP_BYTES = 2**16
_LARGE = 16  # steps
_MANY = _STEP_BYTES * _LARGE  # bytes
_NEW_WORKER_SECONDS = 0.2  # to start a worker: a cancelled page may still end within this time


@dataclass(order=True, slots=True)
class _Turn:
    """The place of a waiting page, its size in steps, and the worker that it gets."""

    place: int
    steps: int
    pool: asyncio.Future[Pool] = field(compare=False)


def _steps(request: PageRequest) -> int:
    """Return the size of a page in steps; a page to be fetched counts as a large one."""
    if request.fetching is not None:
        return _LARGE
    size = len(request.html or b"") if request.data is None else unpacked_size(request.data, _MANY)
    return min(size // _STEP_BYTES, _LARGE)


class PageService:
    """A fixed number of workers and a queue; pages are refused if the queue is full."""

    def __init__(self, params: WorkParams, served: ServedModels) -> None:
        self._params, self._served = params, served
        self._free = [Pool(1, params) for _ in range(params.workers)]
        self._waiting: list[_Turn] = []
        self._arrived = self._large = 0  # pages so far, and large ones in workers

    async def answer(self, request: PageRequest) -> Answer:
        """Clean a page; errors and timeouts become answers.

        A call that is cancelled, because the client has gone, leaves its place to the next page.
        """
        turn, waiting = self._enter(_steps(request)), self._waiting
        alike = sum(bool(other.steps) == bool(turn.steps) for other in waiting)
        if turn in waiting and alike > self._params.waiting:
            waiting.remove(turn)
            return _error_answer(429, "Too many pages at once. Try again soon.")
        try:
            pool = await turn.pool
        except asyncio.CancelledError:
            if turn in waiting:
                waiting.remove(turn)
            else:
                self._leave(turn, turn.pool.result())
            raise
        return await self._answer_in(pool, turn, request)

    def close(self) -> None:
        """End all processes."""
        for pool in self._free:
            pool.close()

    def _enter(self, steps: int) -> _Turn:
        self._arrived += 1
        turn = _Turn(self._arrived + steps, steps, asyncio.get_running_loop().create_future())
        self._waiting.append(turn)
        self._begin()
        return turn

    def _begin(self) -> None:
        """Give the free workers to the next pages."""
        while self._free:
            longest = _LARGE if self._large < max(self._params.workers - 1, 1) else _LARGE - 1
            awaited = [turn for turn in self._waiting if not turn.pool.cancelled()]
            turn = min((turn for turn in awaited if turn.steps <= longest), default=None)
            if turn is None:
                return
            self._waiting.remove(turn)
            self._large += turn.steps == _LARGE
            turn.pool.set_result(self._free.pop())

    def _leave(self, turn: _Turn, pool: Pool) -> None:
        self._large -= turn.steps == _LARGE
        self._free.append(pool)
        self._begin()

    async def _answer_in(self, pool: Pool, turn: _Turn, request: PageRequest) -> Answer:
        limiter = CapacityLimiter(1)
        work = asyncio.ensure_future(
            to_thread.run_sync(self._answer, pool, request, limiter=limiter)
        )
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            with CancelScope(shield=True):
                await asyncio.wait([work], timeout=_NEW_WORKER_SECONDS)
            raise
        finally:
            if not work.done():
                pool.stop()
                pool = Pool(1, self._params)
            self._leave(turn, pool)

    def _answer(self, pool: Pool, request: PageRequest) -> Answer:
        try:
            answer: Answer | Lost = pool.run(answer_request, request, self._served)
        except CrfcleanError as failed:  # no room for a worker, or the model's folder has changed
            return _error_answer(503 if isinstance(failed, WorkerError) else 422, str(failed))
        if isinstance(answer, Lost):
            return _error_answer(_STATUSES.get(answer.status, 500), answer.message)
        return answer


def answer_request(request: PageRequest, served: ServedModels) -> Answer:
    """Clean a page, in a worker process."""
    try:
        page = _page(request)
        view = inspect(page, served.taggers[request.model], request.inspection)
    except CrfcleanError as failed:
        return _error_answer(_status(failed), str(failed))
    if request.fetching is not None:
        view["html"] = page.html
    return Answer(200, json.dumps(view))


def _status(failed: CrfcleanError) -> int:
    """The HTTP status of an error; only errors of `fetch` have `refused`."""
    refused = getattr(failed, "refused", None)
    return 422 if refused is None else 403 if refused else 502


def _page(request: PageRequest) -> Page:
    source = request.data if request.html is None else request.html
    if source is not None:
        return decode(source, request.url)
    fetched = import_module("crfclean.products.corpus.fetch").fetch(request.url, request.fetching)
    return decode(fetched.data, fetched.url, fetched.charset)
