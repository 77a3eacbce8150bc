"""Answer requests to clean pages with worker processes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from anyio import CancelScope, CapacityLimiter, to_thread

from crfclean.corpus.pool import Pool
from crfclean.corpus.tasks import Lost
from crfclean.forum.tagger import ForumTagger
from crfclean.metadata.read import open_models
from crfclean.modelfiles.folder import find_model
from crfclean.page.decode import decode
from crfclean.serve.inspection import Inspection, inspect
from crfclean.serve.params import WorkParams
from crfclean.taggers.capabilities import capability
from crfclean.taggers.load import NAMED, SHIPPED, by_name
from crfclean.taggers.postanalysis import without_post
from crfclean.types import CrfcleanError, ModelError, Page, Tagger, WorkerError

# open the taggers that visitors may choose, by name

FORUM = "forum"
"""Name of the tagger of forum pages, and of its shipped model."""


def open_offered(name: str) -> Tagger:
    """Open a model, one of `NAMED`, or the tagger of forum pages; raises `ModelError`.

    The forum model is loaded with the first page that needs it. Write `./forum` for a folder of
    this name.
    """
    return ForumTagger(find_model(FORUM)) if name == FORUM else by_name(name)


def default_names() -> tuple[str, ...]:
    """Return the names of all taggers that this installation has.

    They are the shipped models, the taggers without a model, and that of forum pages if dateparser
    (the extra `forum`) is installed.
    """
    models = [name for name in SHIPPED.values() if _is_installed(name)]
    forum = [FORUM] if _is_installed(FORUM) and find_spec("dateparser") is not None else []
    return (*models, *NAMED, *forum)


def _is_installed(name: str) -> bool:
    try:
        find_model(name)
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
        reads = capability(without_post(self.taggers[request.model]), ForumTagger)
        if reads is not None:
            reads.open()
        if request.inspection.show.metadata:
            open_models()


def open_served(models: Sequence[str]) -> ServedModels:
    """Open taggers by their names; raises `ModelError`."""
    return ServedModels({model: open_offered(model) for model in models})


_NEW_WORKER_SECONDS = 0.2  # to start a worker: a cancelled page may still end within this time


class PageService:
    """A fixed number of workers and a queue; pages are refused if the queue is full."""

    def __init__(self, params: WorkParams, served: ServedModels) -> None:
        self._params, self._served = params, served
        self._free = [Pool(1, params) for _ in range(params.workers)]
        self._turns, self._waiting = asyncio.Semaphore(params.workers), 0

    async def answer(self, request: PageRequest) -> Answer:
        """Clean a page; errors and timeouts become answers.

        A call that is cancelled, because the client has gone, leaves its place to the next page.
        """
        if self._turns.locked() and self._waiting >= self._params.waiting:
            return _error_answer(503, "Too many pages at once. Try again soon.")
        self._waiting += 1
        try:
            await self._turns.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._answer_in(self._free.pop(), request)
        finally:
            self._turns.release()

    def close(self) -> None:
        """End all processes."""
        for pool in self._free:
            pool.close()

    async def _answer_in(self, pool: Pool, request: PageRequest) -> Answer:
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
            self._free.append(pool)

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
    fetched = import_module("crfclean.fetch.fetch").fetch(request.url, request.fetching)
    return decode(fetched.data, fetched.url, fetched.charset)
