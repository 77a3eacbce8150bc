"""Tests of `extras/workshop.py`: real processes, some of which have to die."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from crfclean.extras import workshop as module
from crfclean.extras.workshop import Answer, Wish, Workshop, fulfil
from crfclean.inspection import Inspection
from crfclean.serving import WorkParams
from crfclean.types import CrfcleanError

PAGE = "<h1>Ice on the upper lake</h1><p>The ferry stays in its harbour, for there is ice."
HUGE = "<p>a" * 400_000  # seconds of work, and gigabytes
PLAIN = Inspection()


@pytest.fixture
def wish(model: Path) -> Wish:
    return Wish(str(model), PLAIN, html=PAGE)


@pytest.fixture
def freely(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in this process, whose memory is not to be limited."""
    monkeypatch.setattr(module, "_limit_memory", lambda _: None)


def told(answer: Answer) -> Any:
    return json.loads(answer.json)


def run(*wishes: Wish, **params: Any) -> list[Answer]:
    """What becomes of wishes that come at once."""
    shop = Workshop(WorkParams(**params))

    async def all_of_them() -> list[Answer]:
        return await asyncio.gather(*map(shop.fulfil, wishes))

    return asyncio.run(all_of_them())


# in this process


@pytest.mark.usefixtures("freely")
def test_a_page_as_text_or_bytes(wish: Wish) -> None:
    answer = fulfil(wish, 1_000)
    assert answer.status == 200
    assert [one["tag"] for one in told(answer)["blocks"]] == ["h1", "p"]
    assert "html" not in told(answer)
    assert fulfil(replace(wish, html=None, data=PAGE.encode()), 1_000) == replace(
        answer, json=answer.json.replace('"encoding": null', '"encoding": "utf-8"')
    )
    assert told(fulfil(replace(wish, html=""), 1_000))["status"] == "empty"


@pytest.mark.usefixtures("freely")
def test_urls_of_pages_that_are_given_are_only_told(wish: Wish) -> None:
    assert told(fulfil(replace(wish, url="http://127.0.0.1/"), 1_000))["url"] == "http://127.0.0.1/"


@pytest.mark.usefixtures("freely")
def test_what_is_wrong_is_told(wish: Wish, tmp_path: Path) -> None:
    answer = fulfil(replace(wish, model=str(tmp_path)), 1_000)
    assert (answer.status, list(told(answer))) == (422, ["error"])


@pytest.mark.usefixtures("freely")
def test_too_little_memory(wish: Wish, monkeypatch: pytest.MonkeyPatch) -> None:
    def starve(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(module, "inspect", starve)
    assert fulfil(wish, 1_234) == Answer(
        413, '{"error": "The page needs over 1,234 MB of memory."}'
    )


class Fetching:
    """Stands for `extras.fetch`."""

    class FetchError(CrfcleanError):
        refused = False

    def __init__(self, refused: bool | None) -> None:  # noqa: FBT001
        self.refused = refused

    def fetch(self, url: str, params: object) -> Any:
        if self.refused is not None:
            error = self.FetchError(f"{url} {params}")
            error.refused = self.refused  # type: ignore[misc]
            raise error
        return type(
            "Fetched", (), {"data": b"<p>caf\xe9 noir", "url": url + "2", "charset": "latin1"}
        )


@pytest.mark.usefixtures("freely")
@pytest.mark.parametrize(("refused", "status"), [(True, 403), (False, 502), (None, 200)])
def test_pages_that_are_fetched(
    wish: Wish,
    monkeypatch: pytest.MonkeyPatch,
    refused: bool | None,  # noqa: FBT001
    status: int,
) -> None:
    monkeypatch.setattr(module, "import_module", lambda _: Fetching(refused))
    answer = fulfil(replace(wish, html=None, url="http://a/", fetching="how"), 1_000)
    assert answer.status == status
    if status == 200:
        assert (told(answer)["url"], told(answer)["html"]) == ("http://a/2", "<p>café noir")
        assert told(answer)["encoding"] == "cp1252"
    else:
        assert told(answer) == {"error": "http://a/ how"}


# in processes


def test_pages_at_once(wish: Wish) -> None:
    answers = run(wish, replace(wish, html="<p>Another"), wish, workers=2)
    assert [one.status for one in answers] == [200, 200, 200]
    assert answers[0] == answers[2] != answers[1]
    assert len(told(answers[1])["blocks"]) == 1


def test_a_page_that_takes_too_long_really_ends(wish: Wish) -> None:
    begin = time.monotonic()
    slow = replace(wish, html=HUGE, inspection=Inspection(reasons=20))
    (answer,) = run(slow, max_seconds=2.0, max_memory=8_000)
    assert answer == Answer(504, '{"error": "The page took over 2 seconds."}')
    assert time.monotonic() - begin < 20
    assert not left_over()


def left_over() -> list[str]:
    """Command lines of processes that this one has left behind."""
    if not Path("/proc/self/task").is_dir():
        pytest.skip("needs /proc")
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text("utf-8").split()
    lines = [Path(f"/proc/{one}/cmdline").read_bytes().decode() for one in children]
    return [line for line in lines if "anyio" in line]


def test_the_next_page_is_cleaned_as_ever(wish: Wish) -> None:
    shop = Workshop(WorkParams(workers=1, max_seconds=6.0, max_memory=8_000))

    async def both() -> list[Answer]:
        return [await shop.fulfil(replace(wish, html=HUGE)), await shop.fulfil(wish)]

    assert [one.status for one in asyncio.run(both())] == [504, 200]


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits of memory")
def test_a_page_that_needs_too_much_memory(wish: Wish) -> None:
    begin, (answer, after) = (
        time.monotonic(),
        run(replace(wish, html=HUGE), wish, workers=1, max_memory=800, max_seconds=200.0),
    )
    assert answer == Answer(413, '{"error": "The page needs over 800 MB of memory."}')
    assert after.status == 200
    assert time.monotonic() - begin < 200


def die(*_: object) -> None:
    os._exit(1)


def test_a_page_that_ends_its_process(wish: Wish, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "fulfil", die)
    assert run(wish) == [Answer(500, '{"error": "The page ended the process that cleaned it."}')]


def test_who_comes_when_all_places_are_taken(wish: Wish) -> None:
    answers = run(*[wish] * 6, workers=1, waiting=2)
    assert sorted(one.status for one in answers) == [200, 200, 200, 503, 503, 503]
    busy: Callable[[Answer], bool] = lambda one: one.status == 503  # noqa: E731
    assert "Too many pages" in next(filter(busy, answers)).json


def test_nobody_may_wait(wish: Wish) -> None:
    answers = run(*[wish] * 3, workers=1, waiting=0)
    assert [one.status for one in answers] == [200, 503, 503]


def test_waiting_is_not_the_pages_own_time(wish: Wish) -> None:
    slow = replace(wish, html="<p>Some words. " * 3_000)
    answers = run(*[slow] * 6, workers=1, waiting=9, max_seconds=60.0)
    assert {one.status for one in answers} == {200}
