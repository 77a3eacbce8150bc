"""Label pages, and judge the blocks of an audit, in the browser, on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from threading import Lock
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Query, Request
from fastapi.responses import HTMLResponse, Response

from crfclean.annotate.judging import Judging
from crfclean.annotate.session import Session
from crfclean.annotate.views import Views
from crfclean.serve.assets import read_asset
from crfclean.serve.server import run_on_loopback
from crfclean.types import CrfcleanError
from crfclean.view.document import PREVIEW_POLICY

_SHARED_ASSETS = {
    "controls.css": "text/css",
    "dom.js": "text/javascript",
    "server.js": "text/javascript",
    "palette.css": "text/css",
    "icon.svg": "image/svg+xml",
}
ANNOTATION_ASSETS = {"annotate.css": "text/css", "annotate.js": "text/javascript", **_SHARED_ASSETS}
"""Name of a static file -> its media type."""

JUDGING_ASSETS = {"judge.css": "text/css", "judge.js": "text/javascript", **_SHARED_ASSETS}
"""The same for judgements."""


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """A label for the blocks `first` to `last`, for a run or for the rest of the page."""

    first: int
    last: int
    reach: Literal["blocks", "run", "rest"]
    label: Literal["HEADER", "TEXT", "OTHER", "guess", "none"]


@dataclass(frozen=True, slots=True)
class KindRequest:
    """What the blocks `first` to `last` are: a name of `Kind`, "guess" or "none"."""

    first: int
    last: int
    kind: str


@dataclass(frozen=True, slots=True)
class KeyRequest:
    """A key of `judging.JUDGING_ACTIONS`."""

    key: str


def label_in_browser(
    session: Session,
    host: str = "127.0.0.1",
    port: int = 0,
    tell: Callable[[str], object] = partial(print, flush=True),
) -> None:
    """Label in the browser until Ctrl-C or until the user leaves; `tell` receives the address.

    Raises `CrfcleanError` where `host` is not loopback or the port is taken.
    """
    views = Views(session)
    run_on_loopback(lambda stop: build_annotation_app(views, stop), host, port, tell)


def judge_in_browser(
    judging: Judging,
    host: str = "127.0.0.1",
    port: int = 0,
    tell: Callable[[str], object] = partial(print, flush=True),
) -> None:
    """Judge in the browser until Ctrl-C or until the user leaves, as `label_in_browser`."""
    run_on_loopback(lambda stop: build_judging_app(judging, stop), host, port, tell)


def build_judging_app(judging: Judging, stop: Callable[[], None]) -> FastAPI:
    """The application for judgements without `Guard`; its keys come one at a time."""
    app, lock = _empty_app(), Lock()
    _add_files(app, "judge.html", JUDGING_ASSETS)

    @app.get("/api/judging")
    def state() -> Response:
        return _json(judging.state)

    @app.post("/api/key")
    def key(step: KeyRequest) -> Response:
        with lock:
            judging.press(step.key)
            if judging.leaving:
                stop()
            return _json(judging.state)

    return app


def _empty_app() -> FastAPI:
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.add_exception_handler(CrfcleanError, _error)
    return app


def build_annotation_app(views: Views, stop: Callable[[], None]) -> FastAPI:
    """The application without `Guard`."""
    app = _empty_app()
    _add_files(app, "annotate.html", ANNOTATION_ASSETS)
    _add_pages(app, views)
    _add_steps(app, views, stop)
    return app


def _error(_request: Request, error: Exception) -> Response:
    """Answer an error as JSON."""
    return _json({"error": str(error)}, 409)


def _json(view: Mapping[str, Any], status: int = 200) -> Response:
    """A view as JSON in ASCII: file names may hold surrogates."""
    return Response(json.dumps(view), status, media_type="application/json")


def _add_files(app: FastAPI, page: str, assets: Mapping[str, str]) -> None:
    """Add the routes of the web page and of its static files."""

    @app.get("/")
    def index() -> HTMLResponse:
        return HTMLResponse(read_asset(page))

    @app.get("/static/{name}")
    def asset(name: str) -> Response:
        if name not in assets:
            return _json({"error": "no such file"}, 404)
        return Response(read_asset(name), media_type=assets[name])


def _add_pages(app: FastAPI, views: Views) -> None:
    """Add the routes that read."""

    @app.get("/api/session")
    def overview() -> Response:
        return _json(views.overview())

    @app.get("/api/pages/{number}")
    def page(number: int) -> Response:
        return _json(views.page(number))

    @app.get("/pages/{number}/view")
    def view(number: int, *, styled: Annotated[bool, Query()] = True) -> HTMLResponse:
        document = views.document(number, styled=styled).encode("utf-8", "replace")
        return HTMLResponse(document, headers={"content-security-policy": PREVIEW_POLICY})


def _add_steps(app: FastAPI, views: Views, stop: Callable[[], None]) -> None:
    """Add the routes that change labels or stop the server."""

    @app.post("/api/pages/{number}/labels")
    def label(number: int, step: LabelRequest) -> Response:
        return _json(views.label(number, step.first, step.last, step.reach, step.label))

    @app.post("/api/pages/{number}/kinds")
    def kinds(number: int, step: KindRequest) -> Response:
        return _json(views.set_kinds(number, step.first, step.last, step.kind))

    @app.post("/api/undo")
    def undo() -> Response:
        return _json(views.undo())

    @app.post("/api/redo")
    def redo() -> Response:
        return _json(views.redo())

    @app.post("/api/leave")
    def leave() -> Response:
        stop()
        return _json({})
