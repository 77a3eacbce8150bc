"""The web page and the JSON API that clean pages and explain the result (`crfclean serve`)."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import fields, replace
from functools import partial
from typing import Any

from fastapi import FastAPI, Security
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, Response
from fastapi.security import APIKeyHeader
from starlette.exceptions import HTTPException

from crfclean._version import __version__
from crfclean.serve.answers import (
    SWITCHES,
    BytesRequest,
    Extracted,
    ExtractRequest,
    Options,
    Problem,
    TextRequest,
    UrlRequest,
)
from crfclean.serve.inspection import Inspection, picture_name
from crfclean.serve.params import ServeParams
from crfclean.serve.server import (
    TOKEN_HEADER,
    BodyLimits,
    Endpoint,
    error_response,
    serve_application,
    static_file,
)
from crfclean.serve.service import Answer, PageRequest, PageService, open_offered, open_served
from crfclean.shell import served_page
from crfclean.structure.parts import Show
from crfclean.taggers.capabilities import Decides, Explains, capability
from crfclean.taggers.postanalysis import ANALYSIS_STEPS, PostParams, PostTagger, without_post
from crfclean.types.choices import CONVENTIONS
from crfclean.view.overlay import served_view
from crfclean.writers.formats import WRITERS

_TOKEN = APIKeyHeader(
    name=TOKEN_HEADER, scheme_name="token", description="of the printed address", auto_error=False
)
"""The token in the OpenAPI description; `Guard` checks it."""

_MAX_CONNECTIONS = 100  # at once; a browser opens six
_MAX_BODY_SECONDS = 20.0  # to receive a request
REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "No JSON"},
    403: {
        "model": Problem,
        "description": "A URL that is refused, any URL where none is fetched, or no token",
    },
    404: {"model": Problem, "description": "No such tagger"},
    408: {"model": Problem, "description": "The request came in too slowly"},
    413: {"model": Problem, "description": "The request or the page is too large"},
    422: {"model": Problem, "description": "A request of another shape"},
    500: {"model": Problem, "description": "The page ended the process that cleaned it"},
    502: {"model": Problem, "description": "The URL cannot be fetched"},
    503: {"model": Problem, "description": "Too many pages at once"},
    504: {"model": Problem, "description": "The page took too long"},
}


def serve(
    params: ServeParams = ServeParams(), tell: Callable[[str], object] = partial(print, flush=True)
) -> None:
    """Serve the page until Ctrl-C; `tell` receives the address to open.

    Raises `CrfcleanError` for a bad model and for a port that is taken.
    """
    endpoint = Endpoint(
        params.host, params.port, params.token, scripts=True, connections=_MAX_CONNECTIONS
    )
    with closing(PageService(params.work, open_served(params.models))) as service:
        app = build_app(params, service.answer)
        serve_application(
            lambda _stop: BodyLimits(app, params.max_mb << 20, _MAX_BODY_SECONDS), endpoint, tell
        )


def build_app(params: ServeParams, answer: Callable[[PageRequest], Awaitable[Answer]]) -> FastAPI:
    """The application without `Guard` and `BodyLimits`; `answer` cleans a page.

    Raises `CrfcleanError` for a bad model.
    """
    app = FastAPI(
        title="crfclean",
        version=__version__,
        summary="Web pages to clean text.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        dependencies=[Security(_TOKEN)],
    )
    app.add_exception_handler(RequestValidationError, _validation_error)
    app.add_exception_handler(HTTPException, _http_error)
    _add_pages(app)
    _add_api(app, params, options(params), answer)
    return app


def options(params: ServeParams) -> Mapping[str, Any]:
    """The content of `/options`; raises `CrfcleanError` for a bad model."""
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
    tagger = open_offered(model)
    able = partial(capability, without_post(tagger))
    return {
        "name": model,
        "post": isinstance(tagger, PostTagger),
        "threshold": able(Decides) is not None,
        "conventions": able(Decides) is not None,
        "reasons": able(Explains) is not None,
        "picture": picture_name(tagger),
    }


def _validation_error(_request: object, error: Exception) -> Response:
    """Answer a request of another shape with the places of its errors, without its values."""
    errors = error.errors() if isinstance(error, RequestValidationError) else ()
    return error_response("; ".join(map(_place, errors[:3])) or "no JSON object", 422)


def _http_error(_request: object, error: Exception) -> Response:
    """Answer what the framework refuses in the shape of all errors."""
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
    @app.get("/options", response_model=Options, responses={403: REFUSALS[403]})
    def list_options() -> Response:
        """The taggers, formats and limits of this server."""
        return _answer(Answer(200, json.dumps(served_options)))

    @app.post("/extract", response_model=Extracted, responses=REFUSALS)
    async def extract(request: ExtractRequest) -> Response:
        """Clean one page: its text, and every block with its label, its score and the reasons."""
        if request.tagger not in (None, *params.models):
            return error_response(f"tagger: there are {', '.join(params.models)}", 404)
        if isinstance(request, UrlRequest) and params.fetching is None:
            return error_response("This server fetches no pages: start it with --allow-fetch.", 403)
        return _answer(await answer(page_request(request, params)))


def page_request(
    request: TextRequest | BytesRequest | UrlRequest, params: ServeParams
) -> PageRequest:
    """Turn a request of the API into one for the workers."""
    formats = tuple(request.formats)
    inspection = Inspection(
        request.post,
        request.threshold,
        request.reasons,
        formats,
        request.show,
        request.convention,
        request.picture,
        request.view,
    )
    page = PageRequest(request.tagger or params.models[0], inspection, url=request.url)
    if isinstance(request, TextRequest):
        return replace(page, html=request.html)
    if isinstance(request, BytesRequest):
        return replace(page, data=b64decode(request.base64))
    return replace(page, fetching=params.fetching)


def _answer(answer: Answer) -> Response:
    return Response(answer.json, answer.status, media_type="application/json")
