"""Tests of `web/service.py`: which page gets a worker, with pools that end on command."""

from __future__ import annotations

import asyncio
import gzip
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from crfclean.products.web import service as module
from crfclean.products.web.inspection import Inspection, WorkParams
from crfclean.products.web.service import Answer, PageRequest, PageService, ServedModels

STEP, LARGE = 2**16, 2**20


class HeldPool:
    """Stands for `Pool`: its page ends when the test says so, or when it is stopped."""

    begun: queue.Queue[tuple[str, HeldPool]]

    def __init__(self, *_: object) -> None:
        self.may_end, self.stopped = threading.Semaphore(0), False

    def run(self, _function: object, request: PageRequest, _shared: object) -> Answer:
        """Wait; the name of a page is how it begins."""
        name = (request.html or request.url or "").partition(" ")[0]
        self.begun.put((name, self))
        self.may_end.acquire()
        return Answer(200, name)

    def stop(self) -> None:
        """End the page."""
        self.stopped = True
        self.may_end.release()


class Desk:
    """A service with such pools, and what was asked of it."""

    def __init__(self, **params: Any) -> None:
        HeldPool.begun = queue.Queue()
        self.service = PageService(WorkParams(**params), ServedModels({}))

    async def ask(self, name: str, size: int = 0, **page: Any) -> asyncio.Task[Answer]:
        """A page of this size that has taken its place."""
        page = page or {"html": f"{name} {'x' * size}"}
        request = PageRequest("m", Inspection(), **page)
        asked = asyncio.ensure_future(self.service.answer(request))
        await asyncio.sleep(0)
        return asked

    async def begun(self) -> tuple[str, HeldPool]:
        """The next page that begins, and its pool."""
        return await asyncio.to_thread(HeldPool.begun.get, timeout=60)

    async def order(self, count: int) -> str:
        """The names of the next pages; each ends when it has begun."""
        names = ""
        for _ in range(count):
            name, pool = await self.begun()
            names += name
            pool.may_end.release()
        return names


@pytest.fixture(autouse=True)
def held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Pool", HeldPool)
    monkeypatch.setattr(module, "_NEW_WORKER_SECONDS", 0.0)


def play(scene: Callable[[Desk], Awaitable[None]], **params: Any) -> None:
    async def played() -> None:
        await scene(Desk(**params))

    asyncio.run(played())


def test_small_pages_go_first_but_not_for_ever() -> None:
    async def scene(desk: Desk) -> None:
        pages = [("a", 0), ("L", 3 * STEP), ("b", 0), ("c", 0), ("d", 0), ("e", 0)]
        asked = [await desk.ask(*page) for page in pages]
        assert await desk.order(6) == "abcdLe"  # three pass a page of three steps
        assert [answer.json for answer in await asyncio.gather(*asked)] == list("aLbcde")

    play(scene, workers=1)


PACKED = gzip.compress(bytes(LARGE))
LARGE_PAGES = {
    "text": {"html": f"L {'x' * LARGE}"},
    "to fetch": {"url": "L", "fetching": "how"},
    "packed": {"url": "L", "data": PACKED},
    "packed, damaged": {"url": "L", "data": PACKED[:20] + b"\xff" * 20},
    "packed, several members": {"url": "L", "data": gzip.compress(b"") * 2},
}


@pytest.mark.parametrize("page", LARGE_PAGES.values(), ids=LARGE_PAGES)
def test_large_pages_leave_a_worker(page: dict[str, Any]) -> None:
    async def scene(desk: Desk) -> None:
        asked = [await desk.ask("L", **page) for _ in range(2)]
        _, first = await desk.begun()
        for _ in range(3):
            asked.append(await desk.ask("s"))
            assert await desk.order(1) == "s"
            await asked[-1]
        first.may_end.release()
        assert await desk.order(1) == "L"
        assert {answer.status for answer in await asyncio.gather(*asked)} == {200}

    play(scene, workers=2)


def test_small_pages_have_places_of_their_own() -> None:
    async def scene(desk: Desk) -> None:
        asked = [await desk.ask(*page) for page in [("a", 0), *[("L", STEP), ("s", 0)] * 2]]
        assert await desk.order(3) == "asL"
        assert [answer.status for answer in await asyncio.gather(*asked)] == [200] * 3 + [429] * 2

    play(scene, workers=1, waiting=1)


def test_pages_that_nobody_awaits_leave_the_queue() -> None:
    async def scene(desk: Desk) -> None:
        asked = {name: await desk.ask(name) for name in "abcd"}
        for name in "bc":
            asked.pop(name).cancel()
        assert await desk.order(2) == "ad"
        await asyncio.gather(*asked.values())

    play(scene, workers=1)


def test_a_page_that_nobody_awaits_gives_its_worker_to_the_next() -> None:
    async def scene(desk: Desk) -> None:
        first, second = await desk.ask("a"), await desk.ask("b")
        _, left = await desk.begun()
        first.cancel()
        name, pool = await desk.begun()
        assert (name, left.stopped, pool is left) == ("b", True, False)
        pool.may_end.release()
        assert (await second).json == "b"

    play(scene, workers=1)


def test_a_page_that_ends_soon_keeps_its_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_NEW_WORKER_SECONDS", 600.0)

    async def scene(desk: Desk) -> None:
        first, second = await desk.ask("a"), await desk.ask("b")
        _, left = await desk.begun()
        first.cancel()
        left.may_end.release()
        name, pool = await desk.begun()
        assert (name, left.stopped, pool is left) == ("b", False, True)
        pool.may_end.release()
        assert (await second).json == "b"

    play(scene, workers=1)


def test_all_are_cancelled_at_once_when_the_server_ends() -> None:
    async def scene(desk: Desk) -> None:
        asked = [await desk.ask(name) for name in "abc"]
        _, pool = await desk.begun()
        for each in asked:
            each.cancel()
        ended = await asyncio.gather(*asked, return_exceptions=True)
        assert [type(each) for each in ended] == [asyncio.CancelledError] * 3
        assert pool.stopped
        assert HeldPool.begun.empty()

    play(scene, workers=1)
