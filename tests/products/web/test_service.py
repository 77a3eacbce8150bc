"""Tests of `web/service.py`: real processes, some of which have to die."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from doubles import Obeys

from crfclean.products.forum.tagger import ForumTagger
from crfclean.products.web import service
from crfclean.products.web.service import default_names
from crfclean.systems.capabilities import name_of
from crfclean.systems.load import NAMED, SHIPPED, load
from crfclean.types import ModelError

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from crfclean.products.corpus import pool
from crfclean.products.corpus.worker_process import WorkerProcess
from crfclean.products.web import service as module
from crfclean.products.web.inspection import Inspection, WorkParams
from crfclean.products.web.service import (
    Answer,
    PageRequest,
    PageService,
    ServedModels,
    answer_request,
    open_served,
)
from crfclean.types import CrfcleanError, WorkerError

PAGE = "<h1>Ice on the upper lake</h1><p>The ferry stays in its harbour, for there is ice."
HUGE = f"<p>{'word ' * 20}" * 49_000  # seconds of work, and hundreds of megabytes
PLAIN = Inspection(blocks=True)
OBEYS = ServedModels({"obeys": Obeys()})


@pytest.fixture
def served(model: Path) -> ServedModels:
    return open_served([str(model)])


@pytest.fixture
def request_(model: Path) -> PageRequest:
    return PageRequest(str(model), PLAIN, html=PAGE)


def told(answer: Answer) -> Any:
    return json.loads(answer.json)


def order(word: str) -> PageRequest:
    """A page that makes the tagger `Obeys` do something."""
    return PageRequest("obeys", PLAIN, html=f"<p>{word}</p>{PAGE}")


def run(served: ServedModels, *requests: PageRequest, **params: Any) -> list[Answer]:
    """What becomes of requests that come at once."""
    with closing(PageService(WorkParams(**params), served)) as service:

        async def all_of_them() -> list[Answer]:
            return await asyncio.gather(*map(service.answer, requests))

        return asyncio.run(all_of_them())


# in this process


def test_a_page_as_text_or_bytes(request_: PageRequest, served: ServedModels) -> None:
    answer = answer_request(request_, served)
    assert answer.status == 200
    assert [one["tag"] for one in told(answer)["blocks"]] == ["h1", "p"]
    assert "html" not in told(answer)
    assert answer_request(replace(request_, html=None, data=PAGE.encode()), served) == replace(
        answer, json=answer.json.replace('"encoding": null', '"encoding": "utf-8"')
    )
    assert told(answer_request(replace(request_, html=""), served))["status"] == "empty"


class Fetching:
    """Stands for `products.corpus.fetch`."""

    class FetchError(CrfcleanError):
        refused = False

    def __init__(self, refused: bool | None) -> None:  # noqa: FBT001
        self.refused = refused

    def fetch(self, url: str, params: object) -> Any:
        if self.refused is not None:
            error = self.FetchError(f"{url} {params}")
            error.refused = self.refused
            raise error
        return type(
            "Fetched", (), {"data": b"<p>caf\xe9 noir", "url": url + "2", "charset": "latin1"}
        )


@pytest.mark.parametrize(("refused", "status"), [(True, 403), (False, 502), (None, 200)])
def test_pages_that_are_fetched(
    request_: PageRequest,
    served: ServedModels,
    monkeypatch: pytest.MonkeyPatch,
    refused: bool | None,  # noqa: FBT001
    status: int,
) -> None:
    monkeypatch.setattr(module, "import_module", lambda _: Fetching(refused))
    asked = replace(request_, html=None, url="http://a/", fetching="how")
    answer = answer_request(asked, served)
    assert answer.status == status
    if status == 200:
        assert (told(answer)["url"], told(answer)["html"]) == ("http://a/2", "<p>café noir")
        assert told(answer)["encoding"] == "windows-1252"
    else:
        assert told(answer) == {"error": "http://a/ how"}


# in processes


def test_pages_at_once(request_: PageRequest, served: ServedModels) -> None:
    answers = run(served, request_, replace(request_, html="<p>Another"), request_, workers=2)
    assert [one.status for one in answers] == [200, 200, 200]
    assert answers[0] == answers[2] != answers[1]
    assert len(told(answers[1])["blocks"]) == 1


ENDS = {
    "hang": (504, "it took more than 1 s"),
    "segfault": (500, "its process ended (SIGSEGV)"),
    "raise": (500, "ZeroDivisionError: a bug"),
}
if sys.platform == "linux":
    ENDS |= {"eat": (413, "it needed more than 300 MB of memory")}


def test_bad_pages_end_alone() -> None:
    limits = {"max_seconds": 1.0, "max_memory": 300}
    answers = run(OBEYS, *map(order, ENDS), workers=1, waiting=9, **limits)
    assert {
        word: (one.status, told(one)["error"]) for word, one in zip(ENDS, answers, strict=True)
    } == ENDS


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits of memory")
def test_a_page_that_needs_too_much_memory(request_: PageRequest, served: ServedModels) -> None:
    huge = replace(request_, html=HUGE)
    answer, after = run(served, huge, request_, workers=1, max_memory=150, max_seconds=200.0)
    assert answer == Answer(413, '{"error": "it needed more than 150 MB of memory"}')
    assert after.status == 200


class Changed:
    """A model that is not what it was when a worker opens it."""

    def __reduce__(self) -> Any:
        return refuse, ()


def refuse() -> None:
    raise CrfcleanError("the file was changed")


def test_a_model_that_has_changed() -> None:
    changed: Any = {"obeys": Changed()}
    (answer,) = run(ServedModels(changed), order("fine"))
    assert answer == Answer(422, '{"error": "the file was changed"}')


def test_a_worker_that_cannot_start(
    request_: PageRequest, served: ServedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(limits: WorkParams) -> WorkerProcess:
        raise WorkerError("no free process")

    monkeypatch.setattr(pool, "start_worker", full)
    (answer,) = run(served, request_)
    assert answer == Answer(503, '{"error": "no free process"}')


def test_a_page_that_nobody_awaits_leaves_its_worker() -> None:
    async def left() -> Answer:
        asked = asyncio.ensure_future(made.answer(order("hang")))
        await asyncio.sleep(0.5)  # whether the page has begun or not, the next one is answered
        asked.cancel()
        return await made.answer(order("fine"))

    with closing(PageService(WorkParams(max_seconds=500.0, workers=1), OBEYS)) as made:
        assert asyncio.run(left()).status == 200


def test_who_comes_when_all_places_are_taken(request_: PageRequest, served: ServedModels) -> None:
    answers = run(served, *[request_] * 6, workers=1, waiting=2)
    assert sorted(one.status for one in answers) == [200, 200, 200, 429, 429, 429]
    busy: Callable[[Answer], bool] = lambda one: one.status == 429  # noqa: E731
    assert "Too many pages" in next(filter(busy, answers)).json


# taggers by name


def test_all_taggers_of_the_installation() -> None:
    assert default_names() == (*SHIPPED.values(), *NAMED)
    assert [name_of(load(name)) for name in default_names()] == [*SHIPPED, *NAMED]


def test_models_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str) -> Path:
        if name == "mlp":
            raise ModelError(name)
        return Path(name)

    monkeypatch.setattr(service, "find_model", find)
    assert default_names() == ("default", *NAMED)


def test_the_forum_model_is_loaded_with_the_first_page() -> None:
    tagger = load("forum")
    assert isinstance(tagger, ForumTagger)
    assert "model" not in vars(tagger)
    tagger.open()
    assert "model" in vars(tagger)
