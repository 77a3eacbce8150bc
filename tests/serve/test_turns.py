"""Tests of `serve/service.py`: which page gets a worker, with pools that end on command."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from crfclean.serve import service as module
from crfclean.serve.inspection import Inspection
from crfclean.serve.params import WorkParams
from crfclean.serve.service import Answer, PageRequest, PageService, ServedModels


class HeldPool:
    """Stands for `Pool`: its page ends when the test says so, or when it is stopped."""

    begun: queue.Queue[tuple[str, HeldPool]]

    def __init__(self, *_: object) -> None:
        self.may_end, self.stopped = threading.Semaphore(0), False

    def run(self, _function: object, request: PageRequest, _shared: object) -> Answer:
        """Wait; the page is its name."""
        self.begun.put((request.html or "", self))
        self.may_end.acquire()
        return Answer(200, request.html or "")

    def stop(self) -> None:
        """End the page."""
        self.stopped = True
        self.may_end.release()


class Desk:
    """A service with such pools, and what was asked of it."""

    def __init__(self, **params: Any) -> None:
        HeldPool.begun = queue.Queue()
        self.service = PageService(WorkParams(**params), ServedModels({}))

    async def ask(self, name: str) -> asyncio.Task[Answer]:
        """A page that has taken its place."""
        request = PageRequest("m", Inspection(), html=name)
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
