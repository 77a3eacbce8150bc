"""Tests of `web/app.py`: the API, with good and bad requests."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from fastapi import FastAPI
from jsonschema import Draft202012Validator
from starlette.testclient import TestClient

from crfclean.document.formats import WRITERS
from crfclean.pipeline import clean
from crfclean.products.web import app as clean_web
from crfclean.products.web.app import build_app
from crfclean.products.web.body_limits import BodyLimits
from crfclean.products.web.inspection import ServeParams
from crfclean.products.web.requests import TextRequest, UrlRequest
from crfclean.products.web.service import (
    Answer,
    PageRequest,
    ServedModels,
    answer_request,
    open_served,
)
from crfclean.types.choices import CONVENTIONS

PAGE = "<title>Ice</title><h1>Ice on the upper lake</h1><p>The ferry stays in its harbour."


@pytest.fixture(scope="module")
def params(model: Path) -> ServeParams:
    return ServeParams(models=(str(model), "default"))


class Service:
    """Answers in this process, and notes the requests."""

    requests: list[PageRequest] = []  # noqa: RUF012

    def __init__(self, served: ServedModels) -> None:
        self.served = served

    async def answer(self, request: PageRequest) -> Answer:
        self.requests.append(request)
        return answer_request(request, self.served)


@pytest.fixture(scope="module")
def app(params: ServeParams) -> FastAPI:
    return build_app(params, Service(open_served(params.models)).answer)


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    Service.requests = []
    return TestClient(app, raise_server_exceptions=True)


def ask(client: TestClient, **request: Any) -> Any:
    """The answer with all that can be asked for, but the view."""
    asked = {"blocks": True, "picture": True, "formats": ["txt"]} | request
    answer = client.post("/extract", json=asked)
    assert answer.status_code == 200, answer.text
    return answer.json()


# the page


@pytest.fixture
def all_taggers() -> TestClient:
    params = ServeParams(models=("default", "mlp", *PICTURES))
    return TestClient(build_app(params, Service(open_served(params.models)).answer))


def test_selectors_choose_elements(client: TestClient) -> None:
    answer = ask(client, html="<main><p>Ice<p class=ad>Mud</main>", within="main", drop=".ad")
    assert answer["texts"]["txt"].split() == ["Ice"]
    answer = client.post("/extract", json={"html": "<p>Ice", "drop": "p..x"})
    assert answer.status_code == 422
    assert answer.json()["error"].startswith(
        "drop: no CSS selector: expected ident, got '.'\n  p..x"
    )


def test_the_view_is_told_on_request(client: TestClient) -> None:
    html = "<nav>Home</nav><h1>Ferry</h1>" + "<p>The bay is calm again, at last.</p>" * 9
    assert "view" not in ask(client, html=html)
    told = ask(client, html=html, view=True)
    assert [block["text"] for block in told["view"]["blocks"]] == [
        block["text"] for block in told["blocks"]
    ]
    assert [block["kept"] for block in told["view"]["blocks"]] == [
        block["label"] != "OTHER" for block in told["blocks"]
    ]
    assert 'id="crf-0" data-crf-paint=' in told["view"]["page"]
    everything = ask(client, html=html, view=True, threshold=0.0)["view"]
    assert all(block["kept"] for block in everything["blocks"])


@pytest.mark.parametrize("path", ["/docs", "/redoc", "/extract/", "/static/", "/x"])
def test_there_are_no_other_pages(client: TestClient, path: str) -> None:
    assert client.get(path).json() == {"error": "Not Found"}


def test_what_can_be_chosen(client: TestClient, params: ServeParams) -> None:
    told = client.get("/options").json()
    assert [one["name"] for one in told["taggers"]] == list(params.models)
    assert told["formats"] == list(WRITERS)
    assert told["fetching"] is False
    assert told["max_bytes"] == 16 * 2**20
    assert all(told["steps"].values())
    assert all(one["threshold"] and one["reasons"] for one in told["taggers"])
    assert all(one["conventions"] and one["picture"] is None for one in told["taggers"])
    assert told["conventions"] == list(CONVENTIONS)


PICTURES = {"energy": "segments", "links": "segments", "expert": "roles", "forum": "thread"}


def test_answers_of_every_tagger_are_as_described(all_taggers: TestClient, root: Path) -> None:
    schemas = all_taggers.get("/openapi.json").json()["components"]["schemas"]
    schema = {"$ref": "#/components/schemas/Extracted", "components": {"schemas": schemas}}
    html = (root / "data" / "forum" / "kernel-und-kuchen" / "1.html").read_text("utf-8")
    for tagger in all_taggers.get("/options").json()["taggers"]:
        assert tagger["picture"] == PICTURES.get(tagger["name"])
        answer = ask(all_taggers, html=html, tagger=tagger["name"])
        for more in ({}, {"evidence": True, "view": True}, {"blocks": False, "picture": False}):
            told = ask(all_taggers, html=html, tagger=tagger["name"], **more)
            Draft202012Validator(schema).validate(told)
        drawn = {"segments", "roles", "thread"}
        described = {name for name in drawn if answer[name] is not None}
        assert described == {tagger["picture"]} - {None}
        bare = ask(all_taggers, html=html, tagger=tagger["name"], picture=False)
        assert bare == {name: value for name, value in answer.items() if name not in drawn}


# requests


def test_a_page_as_text(client: TestClient, model: Path) -> None:
    told = ask(client, html=PAGE, url="https://a.example/1")
    document = clean(PAGE, model=model)
    assert told["texts"]["txt"].splitlines() == document.text.splitlines()
    assert told["title"] == document.title == "Ice on the upper lake"
    assert ask(client, html=PAGE, metadata=False)["title"] == "Ice"
    assert Service.requests[0].model == str(model)


def test_texts_name_their_page(client: TestClient) -> None:
    page = {"html": PAGE, "url": "https://a.example/1", "id": "p1"}
    told = ask(client, **page, formats=["md", "vert"], front_matter=True)
    header = told["texts"]["md"].split("---\n")[1].splitlines()
    score = f"score: {told['score']:.4f}"
    assert {'id: "p1"', 'address: "https://a.example/1"', score} <= {*header}
    assert told["texts"]["vert"].startswith('<doc id="p1" ')
    assert told["id"] == "p1"


SHAPES = [
    ({}, "one of html, base64 and url"),
    ({"html": None}, "html"),
    ({"html": ["<p>"]}, "html"),
    ({"html": "<p>", "base64": ""}, "base64: Extra inputs"),
    ({"html": "<p>", "url": ""}, "url"),
    ({"html": "<p>", "url": "x" * 9_000}, "url"),
    ({"html": "<p>", "unknown": 1}, "unknown: Extra inputs"),
    ({"base64": "a"}, "base64"),
    ({"base64": "_-=="}, "base64"),
    ({"url": None}, "url"),
    ({"html": "<p>", "threshold": 1.01}, "threshold"),
    ({"html": "<p>", "threshold": True}, "threshold"),
    ({"html": "<p>", "reasons": 21}, "reasons"),
    ({"html": "<p>", "reasons": 1.5}, "reasons"),
    ({"html": "<p>", "picture": 1}, "picture"),
    ({"html": "<p>", "as": None}, "as"),
    ({"html": "<p>", "formats": "txt"}, "formats"),
    ({"html": "<p>", "formats": ["exe"]}, "formats.0"),
    ({"html": "<p>", "formats": ["txt"] * 99}, "formats"),
    ({"html": "<p>", "drop": "p," * 2_000}, "drop"),
    ({"html": "<p>", "within": None}, "within"),
]


@pytest.mark.parametrize(("request_", "place"), SHAPES)
def test_requests_of_another_shape(client: TestClient, request_: Any, place: str) -> None:
    answer = client.post("/extract", json=request_)
    assert answer.status_code == 422
    assert list(answer.json()) == ["error"]
    assert place in answer.json()["error"]
    assert not Service.requests


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"null", b"1", b'"html"', b"[" * 100_000, b"\xff\xfe"),
        *(b'{"html": "\xff"}', b'{"html": "<p>", "reasons": 1' + b"0" * 5_000 + b"}"),
        *(b'{"html": "<p>", "threshold": NaN}', b'{"html": "<p>", "threshold": Infinity}'),
        *(b'{"html": "<p>", "reasons": 1e400}', b'{"html": "<p>", "reasons": NaN}'),
    ],
)
def test_bodies_that_are_no_request(client: TestClient, body: bytes) -> None:
    answer = client.post("/extract", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in {400, 422}
    assert list(answer.json()) == ["error"]
    assert not Service.requests


def test_with_leave_urls_go_to_the_fetcher(params: ServeParams, app: FastAPI) -> None:
    from crfclean.products.corpus.fetch import FetchParams

    asked = clean_web.page_request(
        UrlRequest.model_validate({"url": "http://a.example/"}),
        ServeParams(models=params.models, fetching=FetchParams()),
    )
    assert (asked.url, asked.html, asked.data, asked.fetching) == (
        *("http://a.example/", None, None),
        FetchParams(),
    )
    told = clean_web.page_request(
        TextRequest.model_validate({"html": "", "url": "http://a.example/"}),
        ServeParams(models=params.models, fetching=FetchParams()),
    )
    assert told.fetching is None


def test_a_page_is_cancelled_when_its_client_has_gone(params: ServeParams) -> None:
    """Through all layers of the application."""
    begun, cancelled = asyncio.Event(), []

    async def answer(_request: PageRequest) -> Answer:
        begun.set()
        try:
            await asyncio.sleep(60.0)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return Answer(200, "{}")

    bodies = [{"type": "http.request", "body": json.dumps({"html": PAGE}).encode()}]

    async def receive() -> Any:
        if bodies:
            return bodies.pop()
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(_message: Any) -> None:
        raise AssertionError

    headers = [(b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/extract", "headers": headers}
    app: Any = BodyLimits(build_app(params, answer), 10**6)
    asyncio.run(app(scope | {"query_string": b""}, receive, send))
    assert cancelled == [True]


# the manual


def test_without_leave_nothing_is_fetched(client: TestClient) -> None:
    answer = client.post("/extract", json={"url": "http://example.org/"})
    assert answer.status_code == 403
    assert "--allow-fetch" in answer.json()["error"]
    assert not Service.requests
