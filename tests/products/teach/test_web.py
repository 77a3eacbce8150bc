"""Tests of `teach/annotate_web.py`: every address, behind the guard."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs crfclean[web]")
from fastapi import FastAPI
from httpx2 import Response
from starlette.testclient import TestClient

from crfclean.document.view import PREVIEW_POLICY
from crfclean.products.teach.annotate_web import Views, build_annotation_app
from crfclean.products.teach.session import open_session
from crfclean.products.web.guard import AccessRules, Guard
from crfclean.shell import read_asset
from crfclean.systems.crf import CrfTagger

HOST = "127.0.0.1:8123"
GATE = AccessRules(HOST, "secret-token")
HEADERS = {"x-crfclean-token": "secret-token", "origin": f"http://{HOST}"}
SCRIPT = "<script>alert(1)</script>"
HTML = f"<h1>Title</h1><p>{SCRIPT}&lt;script&gt;alert(2)&lt;/script&gt;</p><p>One.</p>"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.html").write_text(HTML, "utf-8")
    (tmp_path / "b.html").write_text("<p>Two.</p>", "utf-8")
    (tmp_path / "c.html").write_text("<p>Broken.</p>", "utf-8")
    (tmp_path / "c.labels.tsv").write_text("nonsense\n", "utf-8")
    (tmp_path / "secret.txt").write_text("a secret", "utf-8")
    return tmp_path


@pytest.fixture
def stopped() -> list[bool]:
    return []


@pytest.fixture
def app(folder: Path, stopped: list[bool], tagger: CrfTagger) -> FastAPI:
    session = open_session(folder, tagger, "name")
    return build_annotation_app(Views(session), lambda: stopped.append(True))


@pytest.fixture
def client(app: FastAPI) -> TestClient:
    """A browser that has opened the address."""
    made = TestClient(Guard(app, GATE), base_url=f"http://{HOST}")
    assert made.get(GATE.address).status_code == 200
    return made


@pytest.fixture
def writer(client: TestClient) -> TestClient:
    client.headers.update(HEADERS)
    return client


def step(client: TestClient, first: object = 0, last: object = 0, **more: object) -> Response:
    body = {"first": first, "last": last, "reach": "blocks", "label": "TEXT", **more}
    return client.post("/api/pages/0/labels", json=body)


def saved(folder: Path) -> str:
    lines = (folder / "a.labels.tsv").read_text("utf-8").splitlines()
    return "".join(line[0] for line in lines)


# who may


@pytest.mark.parametrize(
    "address",
    [
        "/static/../../gold.py",
        "/static/%2e%2e/__init__.py",
        "/static/..%2f..%2fgold.py",
        "/static/annotate.html",
        "/static/",
        "/static/%00",
        "/pages/../secret.txt",
        "/pages/%2e%2e%2fsecret.txt/view",
        "/api/pages/..%2f..%2fsecret.txt",
        "/secret.txt",
        "/a.html",
        "/docs",
        "/openapi.json",
        "/redoc",
    ],
)
def test_nothing_else_is_served(client: TestClient, address: str) -> None:
    answer = client.get(address)
    assert answer.status_code in {404, 422}
    assert "a secret" not in answer.text


# what is told


def test_view(client: TestClient) -> None:
    answer = client.get("/pages/0/view")
    assert answer.headers["content-security-policy"] == PREVIEW_POLICY
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script" not in answer.text
    assert "&lt;script&gt;alert(2)&lt;/script&gt;" in answer.text
    assert "max-width" in client.get("/pages/0/view?styled=false").text


# steps


def test_labelling(writer: TestClient, folder: Path) -> None:
    told = step(writer, 1, 2).json()
    assert (told["labels"], told["next"]) == (".TT", 0)
    assert saved(folder) == "?TT"
    assert writer.post("/api/undo").json()["labels"] == "..."
    assert saved(folder) == "???"
    assert writer.post("/api/redo").json()["labels"] == ".TT"
    assert step(writer, label="HEADER").json()["following"] == 1
    assert saved(folder) == "HTT"


def test_blocks_alike_and_doubt(writer: TestClient, folder: Path) -> None:
    assert writer.get("/api/pages/0/alike/1").json() == [1, 2]
    told = step(writer, 1, 1, reach="alike", label="DOUBT").json()
    assert (told["labels"], told["next"]) == (".DD", 0)
    assert (folder / "a.labels.tsv").read_text("utf-8").endswith("\nDOUBT\tOne.\n")
    assert writer.get("/api/pages/0").json()["labels"] == ".DD"
    for missing in ("/api/pages/0/alike/3", "/api/pages/9/alike/0", "/api/pages/0/alike/-1"):
        assert writer.get(missing).status_code == 409


@pytest.mark.parametrize(
    "wrong",
    [
        {"label": "text"},
        {"label": None},
        {"reach": "all"},
        {"first": "a"},
        {"first": 1.5},
        {"last": None},
        {"first": 10**30},
    ],
)
def test_malformed_steps(writer: TestClient, folder: Path, wrong: dict[str, object]) -> None:
    answer = step(writer, **{"first": 0, "last": 0, **wrong})
    assert answer.status_code in {409, 422}
    assert not (folder / "a.labels.tsv").exists()


# the page itself


def test_no_markup_is_made_of_text() -> None:
    script = read_asset("annotate.js")
    ways = "innerHTML outerHTML insertAdjacentHTML document.write eval( srcdoc DOMParser".split()
    assert not [way for way in ways if way in script]
    assert "http://" not in script
    assert "https://" not in script
