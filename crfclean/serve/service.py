"""Answer requests to clean pages with worker processes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from anyio import CapacityLimiter, get_cancelled_exc_class, to_thread

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

# open the taggers that visitors may choose, by the names on the command line

FORUM = "forum"
"""Name of the tagger of forum pages, and of its shipped model."""


def open_offered(name: str) -> Tagger:
    """The tagger of a model, one of `NAMED`, or that of forum pages; raises `ModelError`.

    The forum model is loaded with the first page that needs it. A folder of such a name is
    written `./forum`.
    """
    return ForumTagger(find_model(FORUM)) if name == FORUM else by_name(name)


def default_names() -> tuple[str, ...]:
    """What is offered if no model is named: all taggers that this installation has.

    Those are the shipped models, the taggers without a model, and that of forum pages if
    dateparser (the extra `forum`) is installed.
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


# Pages are hostile: the workers are those of `pool.Pool`, with the limits of `clean`. They keep
# their models open from page to page.

_STATUSES = {"over-time": 504, "over-memory": 413, "stopped": 503}
"""Why a page was lost -> HTTP status; 500 for all other reasons."""


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
    """The taggers by the names of their models; all workers have them."""

    taggers: Mapping[str, Tagger]

    def prepare(self, request: PageRequest) -> None:
        """Open what a page needs beside its tagger, before the time of the page is counted."""
        reads = capability(without_post(self.taggers[request.model]), ForumTagger)
        if reads is not None:
            reads.open()
        if request.inspection.show.metadata:
            open_models()


def open_served(models: Sequence[str]) -> ServedModels:
    """Open taggers by their names; raises `ModelError`."""
    return ServedModels({model: open_offered(model) for model in models})


class PageService:
    """A fixed number of workers; further requests wait, and are refused beyond a limit."""

    def __init__(self, params: WorkParams, served: ServedModels) -> None:
        self._params, self._served = params, served
        self._free = [Pool(1, params) for _ in range(params.workers)]
        self._places: CapacityLimiter | None = None

    async def answer(self, request: PageRequest) -> Answer:
        """Clean a page; errors and timeouts become answers, too."""
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
            except get_cancelled_exc_class():  # the server is shutting down
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
        """The limiter, made at the first page because it belongs to the event loop."""
        if self._places is None:
            self._places = CapacityLimiter(self._params.workers)
        return self._places

    def _answer(self, pool: Pool, request: PageRequest) -> Answer:
        try:
            answer: Answer | Lost = pool.run(answer_request, request, self._served)
        except (
            CrfcleanError
        ) as failed:  # no room for a worker, or a model folder has changed on disk
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
