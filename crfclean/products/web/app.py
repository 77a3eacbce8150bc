"""The application; `schemas/answers.json` has the shapes of its answers."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.security import APIKeyHeader, HTTPBearer
from starlette.exceptions import HTTPException

from crfclean._version import __version__
from crfclean.document.formats import WRITERS
from crfclean.document.overlay import served_view
from crfclean.document.parts import Show
from crfclean.products.papers.post_analysis import ANALYSIS_STEPS, PostParams
from crfclean.products.web.body_limits import BodyLimits
from crfclean.products.web.guard import (
    BUSY_STATUSES,
    HEALTH,
    RETRY,
    TOKEN_HEADER,
    error_response,
    static_file,
)
from crfclean.products.web.inspection import Inspection, ServeParams, picture_name
from crfclean.products.web.requests import (
    SWITCHES,
    BytesRequest,
    ExtractRequest,
    TextRequest,
    UrlRequest,
)
from crfclean.products.web.server import Endpoint, serve_application
from crfclean.products.web.service import (
    Answer,
    PageRequest,
    PageService,
    open_served,
)
from crfclean.shell import served_page
from crfclean.systems.capabilities import Decides, Explains, capability
from crfclean.systems.load import load
from crfclean.types.choices import CONVENTIONS

_TOKEN = APIKeyHeader(
    name=TOKEN_HEADER, scheme_name="token", description="of the printed address", auto_error=False
)
"""The token as the OpenAPI description names it; `Guard` checks it."""
_BEARER = HTTPBearer(scheme_name="bearer", description="the same token", auto_error=False)

ANSWERS: dict[str, Any] = json.loads(
    Path(__file__).with_name("schemas").joinpath("answers.json").read_text("utf-8")
)
"""The `responses` of each path by status, and the `schemas` of their shapes."""


class _Api(FastAPI):
    """An application whose OpenAPI description has the shapes of the answers."""

    def openapi(self) -> dict[str, Any]:
        """Return the OpenAPI description."""
        description = super().openapi()
        description["components"]["schemas"] |= ANSWERS["schemas"]
        return description


def serve(params: ServeParams = ServeParams()) -> None:
    """Serve the web page and the API at the printed address until Ctrl-C.

    Raises `CrfcleanError` for a bad model and for a port that is taken.
    """
    endpoint = Endpoint(params.host, params.port, params.token, scripts=True)
    with closing(PageService(params.work, open_served(params.models))) as service:
        app = build_app(params, service.answer)
        serve_application(lambda _stop: BodyLimits(app, params.max_mb << 20), endpoint)


def build_app(params: ServeParams, answer: Callable[[PageRequest], Awaitable[Answer]]) -> FastAPI:
    """Make the application, without `Guard` and `BodyLimits`; `answer` cleans a page.

    Raises `CrfcleanError` for a bad model.
    """
    app = _Api(
        title="crfclean",
        version=__version__,
        summary="Web pages to clean text.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Security(_TOKEN), Security(_BEARER)],
    )
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    _add_pages(app)
    _add_api(app, params, options(params), answer)
    return app


def options(params: ServeParams) -> Mapping[str, Any]:
    """Return the content of `/options`; raises `CrfcleanError` for a bad model."""
    helps = {field.name: field.metadata.get("help", "") for field in fields(PostParams)}
    return {
        "version": __version__,
        "fetching": params.fetching is not None,
        "max_bytes": params.max_mb << 20,
        "formats": list(WRITERS),
        "steps": {name: helps[name] for name in ANALYSIS_STEPS},
        "switches": [
            {"name": field.name, "help": field.metadata["help"], "on": field.default}
            for field in fields(Show)
            if field.name in SWITCHES
        ],
        "conventions": list(CONVENTIONS),
        "taggers": [_tagger_options(model) for model in params.models],
    }


def _tagger_options(model: str) -> Mapping[str, Any]:
    tagger = load(model)
    able = partial(capability, tagger)
    return {
        "name": model,
        "threshold": able(Decides) is not None,
        "conventions": able(Decides) is not None,
        "reasons": able(Explains) is not None,
        "picture": picture_name(tagger),
    }


def _validation_error(_request: object, error: Exception) -> Response:
    """Answer a malformed request with the places of its errors, without its values."""
    errors = error.errors() if isinstance(error, RequestValidationError) else ()
    return error_response("; ".join(map(_place, errors[:3])) or "not a JSON object", 422)


def _http_error(_request: object, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    headers = error.headers if isinstance(error, HTTPException) else None
    return error_response(str(getattr(error, "detail", "")), status, **(headers or {}))


def _place(error: Mapping[str, Any]) -> str:
    path = ".".join(str(part) for part in error["loc"][1:])
    return f"{path}: {error['msg']}" if path else str(error["msg"])


def _add_pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    def index() -> HTMLResponse:
        sheets = "controls.css", "clean.css", "pictures.css"
        modules = "clean.js", "dom.js", "pictures.js", "server.js"
        return HTMLResponse(served_page("crfclean", "clean.html", sheets, modules))

    @app.get("/overlay", include_in_schema=False)
    def overlay() -> HTMLResponse:
        html, policy = served_view()
        return HTMLResponse(html, headers={"content-security-policy": policy})

    app.get("/static/{name}", include_in_schema=False)(static_file)


def _add_api(
    app: FastAPI,
    params: ServeParams,
    served_options: Mapping[str, Any],
    answer: Callable[[PageRequest], Awaitable[Answer]],
) -> None:
    @app.get("/options", responses=ANSWERS["responses"]["/options"])
    def list_options() -> Response:
        """The taggers, formats and limits of this server."""
        return _answer(Answer(200, json.dumps(served_options)))

    @app.get(HEALTH, responses=ANSWERS["responses"][HEALTH])
    async def health() -> Response:
        """Whether the server answers; it needs no token."""
        return _answer(Answer(200, json.dumps({"status": "ok", "version": __version__})))

    @app.post("/extract", responses=ANSWERS["responses"]["/extract"])
    async def extract(request: ExtractRequest) -> Response:
        """Clean one page: its text, and every block with its label, its score and the reasons."""
        if request.tagger not in (None, *params.models):
            return error_response(f"tagger: choose one of {', '.join(params.models)}", 404)
        if isinstance(request, UrlRequest) and params.fetching is None:
            return error_response(
                "This server does not fetch pages. Start it with --allow-fetch.", 403
            )
        return _answer(await answer(page_request(request, params)))


def page_request(
    request: TextRequest | BytesRequest | UrlRequest, params: ServeParams
) -> PageRequest:
    """Turn a request of the API into one for the workers."""
    choices = {field.name: getattr(request, field.name) for field in fields(Inspection)}
    inspection = Inspection(**{**choices, "formats": tuple(request.formats)})
    page = PageRequest(request.tagger or params.models[0], inspection, url=request.url)
    if isinstance(request, TextRequest):
        return replace(page, html=request.html)
    if isinstance(request, BytesRequest):
        return replace(page, data=b64decode(request.base64))
    return replace(page, fetching=params.fetching)


def _answer(answer: Answer) -> Response:
    headers = RETRY if answer.status in BUSY_STATUSES else None
    return Response(answer.json, answer.status, headers, media_type="application/json")
