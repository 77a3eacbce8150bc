"""Requests for pages -> the JSON of what becomes of them, made by worker processes.

Pages are hostile: the workers are those of `pool.Pool`, with the limits of `clean`. They keep
their models open from page to page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from anyio import CapacityLimiter, get_cancelled_exc_class, to_thread

from crfclean.corpus.pool import Pool
from crfclean.corpus.tasks import Lost
from crfclean.metadata.read import open_models
from crfclean.page.decode import decode
from crfclean.serve.inspection import Inspection, inspect
from crfclean.serve.params import WorkParams
from crfclean.taggers.load import by_name
from crfclean.types import CrfcleanError, Page, Tagger

_STATUSES = {"over-time": 504, "over-memory": 413, "stopped": 503}
"""Why a page was lost -> the status of the answer; 500 for what is not here."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A page, and what is to be shown of it.

    The page is `html` or `data`; without them it is fetched from `url`, with `fetching` (the
    parameters of `extras.fetch`), and comes back in the answer.
    """

    model: str
    inspection: Inspection
    html: str | None = None
    data: bytes | None = None
    url: str | None = None
    fetching: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """An HTTP status, and the JSON that goes with it."""

    status: int
    json: str


def _error_answer(status: int, message: str) -> Answer:
    """An answer that says what went wrong."""
    return Answer(status, json.dumps({"error": message}))


@dataclass(frozen=True, slots=True)
class ServedModels:
    """The taggers that can be asked for, by the names of their models; workers share them."""

    taggers: Mapping[str, Tagger]

    def prepare(self, request: PageRequest) -> None:
        """Open the models of metadata where some is asked for, before the clock runs."""
        if request.inspection.show.metadata:
            open_models()


def open_served(models: Sequence[str]) -> ServedModels:
    """The models by their names; raises `ModelError`."""
    return ServedModels({model: by_name(model) for model in models})


class PageService:
    """A worker process for each place; requests that find no place wait, some are refused."""

    def __init__(self, params: WorkParams, served: ServedModels) -> None:
        self._params, self._served = params, served
        self._free = [Pool(1, params) for _ in range(params.workers)]
        self._places: CapacityLimiter | None = None

    async def answer(self, request: PageRequest) -> Answer:
        """Clean a page; what is wrong with it, or takes too long, is in the answer."""
        places = self._limiter()
        waiting = places.statistics().tasks_waiting
        if places.available_tokens < 1 and waiting >= self._params.waiting:
            return _error_answer(503, "Too many pages at once: try again soon.")
        async with places:
            pool = self._free.pop()
            try:
                return await to_thread.run_sync(
                    self._answer, pool, request, abandon_on_cancel=True, limiter=CapacityLimiter(1)
                )
            except get_cancelled_exc_class():  # the server waits no longer, nor does anybody
                pool.stop()
                pool = Pool(1, self._params)
                return _error_answer(503, "crfclean is being stopped.")
            finally:
                self._free.append(pool)

    def close(self) -> None:
        """End all processes."""
        for pool in self._free:
            pool.close()

    def _limiter(self) -> CapacityLimiter:
        """PageOutput at the first page: it belongs to the event loop."""
        if self._places is None:
            self._places = CapacityLimiter(self._params.workers)
        return self._places

    def _answer(self, pool: Pool, request: PageRequest) -> Answer:
        """Wait for a worker's answer, in a thread."""
        try:
            answer: Answer | Lost = pool.run(answer_request, request, self._served)
        except CrfcleanError as failed:  # the models are not what they were
            return _error_answer(422, str(failed))
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
    """The status of an error: only those of the fetcher say whether they are refusals."""
    refused = getattr(failed, "refused", None)
    return 422 if refused is None else 403 if refused else 502


def _page(request: PageRequest) -> Page:
    given = request.data if request.html is None else request.html
    if given is not None:
        return decode(given, request.url)
    fetched = import_module("crfclean.fetch.fetch").fetch(request.url, request.fetching)
    return decode(fetched.data, fetched.url, fetched.charset)
