"""A wish for a page -> the JSON of what becomes of it, made in a process that ends in time.

Pages are hostile: one that takes too long has its process killed, one that wants too much memory
is told so. The processes are anyio's; they keep their models open from page to page.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import Any

from anyio import (
    BrokenWorkerProcess,
    CapacityLimiter,
    fail_after,
    get_cancelled_exc_class,
    to_process,
)

from crfclean.decode import decode
from crfclean.inspection import Inspection, inspect
from crfclean.serving import WorkParams
from crfclean.taggers import load
from crfclean.types import CrfcleanError, Page, Tagger


@dataclass(frozen=True, slots=True)
class Wish:
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


def error(status: int, message: str) -> Answer:
    """An answer that says what went wrong."""
    return Answer(status, json.dumps({"error": message}))


@dataclass(frozen=True)
class Workshop:
    """Processes that clean pages, and who waits for them."""

    params: WorkParams
    _places: list[CapacityLimiter] = field(default_factory=list, compare=False)

    async def fulfil(self, wish: Wish) -> Answer:
        """Clean a page; what is wrong with it, or takes too long, is in the answer."""
        places = self._limiter()
        waiting = places.statistics().tasks_waiting
        if places.available_tokens < 1 and waiting >= self.params.waiting:
            return error(503, "Too many pages at once: try again soon.")
        async with places:
            try:
                with fail_after(self.params.max_seconds):
                    return await to_process.run_sync(
                        fulfil, wish, self.params.max_memory, cancellable=True, limiter=_free()
                    )
            except TimeoutError:
                return error(504, f"The page took over {self.params.max_seconds:g} seconds.")
            except BrokenWorkerProcess:
                return error(500, "The page ended the process that cleaned it.")
            except get_cancelled_exc_class():  # the server waits no longer, nor does anybody
                return error(503, "crfclean is being stopped.")

    def _limiter(self) -> CapacityLimiter:
        """Made at the first page: it belongs to the event loop."""
        if not self._places:
            self._places.append(CapacityLimiter(self.params.workers))
        return self._places[0]


def _free() -> CapacityLimiter:
    """A limiter that lets anybody pass: the time a page waits for its place is not its own."""
    return CapacityLimiter(1)


def fulfil(wish: Wish, max_memory: int) -> Answer:
    """Clean a page, in a process of its own."""
    _limit_memory(max_memory)
    try:
        page = _page(wish)
        view = inspect(page, _tagger(wish.model), wish.inspection)
        if wish.fetching is not None:
            view["html"] = page.html
        return Answer(200, json.dumps(view))
    except MemoryError:
        return error(413, f"The page needs over {max_memory:,} MB of memory.")
    except CrfcleanError as failed:
        return error(_status(failed), str(failed))


def _status(failed: CrfcleanError) -> int:
    """The status of an error: only those of the fetcher say whether they are refusals."""
    refused = getattr(failed, "refused", None)
    return 422 if refused is None else 403 if refused else 502


def _page(wish: Wish) -> Page:
    given = wish.data if wish.html is None else wish.html
    if given is not None:
        return decode(given, wish.url)
    fetched = import_module("crfclean.extras.fetch").fetch(wish.url, wish.fetching)
    return decode(fetched.data, fetched.url, fetched.charset)


@lru_cache(maxsize=8)
def _tagger(model: str) -> Tagger:
    return load(model)


def _limit_memory(megabytes: int) -> None:
    """Let this process have no more memory than that, where the system can see to it."""
    if sys.platform == "win32":
        return
    import resource

    most = resource.getrlimit(resource.RLIMIT_AS)[1]
    wanted = megabytes << 20
    limit = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
