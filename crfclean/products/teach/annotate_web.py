"""Label pages in the browser, on loopback."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from threading import RLock
from typing import Any, Literal

import numpy as np
from fastapi import FastAPI
from fastapi.responses import HTMLResponse, Response

from crfclean.document.view import PREVIEW_POLICY, safe_document
from crfclean.products.teach.gold import LABELS, NONE
from crfclean.products.teach.session import PageEntry, Session
from crfclean.products.teach.sheets import UNSURE, Sheet
from crfclean.products.web.body_limits import BodyLimits
from crfclean.products.web.guard import static_file
from crfclean.products.web.server import Endpoint, serve_application
from crfclean.shell import served_page
from crfclean.types import CrfcleanError

# the JSON view of a labelling session for the browser, with its steps
#
# Requests come on several threads, so each takes the lock.

_MAX_TITLE_CHARS = 200
_LETTERS = "HTOD."
"""Letters by label; `DOUBT` (-2) and `NONE` (-1) have the last. Small letters: known labels."""

_JsonObject = dict[str, Any]
_Reach = Callable[[Sheet, int, int], Iterable[int]]
_REACHES: Mapping[str, _Reach] = {
    "blocks": lambda _, first, last: range(first, last + 1),
    "alike": lambda sheet, first, _: sheet.alike(first),
    "run": lambda sheet, first, _: sheet.run(first),
    "rest": lambda sheet, first, _: sheet.rest(first),
}
"""Reach of a step -> the blocks that it labels, from its first and last one."""


@dataclass(frozen=True, slots=True)
class LabelRequest:
    """A label for the blocks `first` to `last`, or for those that `first` reaches."""

    first: int
    last: int
    reach: Literal["blocks", "alike", "run", "rest"]
    label: Literal["HEADER", "TEXT", "OTHER", "DOUBT", "guess", "none"]


class Views:
    """A session for the browser; its views are JSON objects."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = RLock()

    def overview(self) -> _JsonObject:
        """The list of pages, the first unfinished one, and the progress."""
        with self._lock:
            pages = [_page_entry(page) for page in self._session.pages]
            begin = self._session.next_page(0) or 0
            return {"pages": pages, "begin": begin, **self._progress()}

    def page(self, number: int) -> _JsonObject:
        """The blocks of a page as columns, its menus, its state and the block to begin with."""
        with self._lock:
            sheet = self._sheet(number)
            blocks = sheet.blocks
            tags = [blocks.table.tags[node] for node in blocks.node.tolist()]
            return {
                "title": blocks.title[:_MAX_TITLE_CHARS],
                "texts": blocks.texts,
                "tags": tags,
                "guesses": _letters(sheet.guesses),
                "sure": np.round(sheet.sure, 3).tolist(),
                "unsure": UNSURE,
                "menus": sheet.menus,
                "truncated": blocks.truncated,
                **self._state(number, sheet, 0),
                "next": sheet.start,
            }

    def document(self, number: int, *, styled: bool = True) -> HTMLResponse:
        """A page as a safe HTML document."""
        with self._lock:
            sheet = self._sheet(number)
        document = safe_document(sheet.page, sheet.blocks, styled=styled)
        headers = {"content-security-policy": PREVIEW_POLICY}
        return HTMLResponse(document.encode("utf-8", "replace"), headers=headers)

    def label(self, number: int, step: LabelRequest) -> _JsonObject:
        """Label blocks of a page. One step of undo.

        Raises `CrfcleanError` for a missing block or guess, and if labels cannot be saved.
        """
        with self._lock:
            sheet = self._sheet(number, step)
            labels = _step_labels(sheet, _REACHES[step.reach](sheet, step.first, step.last), step)
            was_finished = sheet.labelled == len(sheet)
            sheet = self._session.label(number, labels)
            state = self._state(number, sheet, step.last + 1)
            if was_finished or step.label == "none":  # a correction: stay near
                state["next"] = min(step.last + (step.label != "none"), len(sheet) - 1)
            return state

    def alike(self, number: int, block: int) -> list[int]:
        """The blocks alike of a block; raises `CrfcleanError` for a missing one."""
        with self._lock:
            step = LabelRequest(block, block, "alike", "none")
            return self._sheet(number, step).alike(block)

    def undo(self) -> _JsonObject:
        """Undo the last step; returns the page and block to go to, or None for the page."""
        return self._stepped(self._session.undo)

    def redo(self) -> _JsonObject:
        """Redo the step undone last; returns as `undo`."""
        return self._stepped(self._session.redo)

    def _stepped(self, step: Callable[[], tuple[int, int] | None]) -> _JsonObject:
        with self._lock:
            position = step()
            if position is None:
                return {"page": None}
            page, block = position
            return {"block": block, **self._state(page, self._sheet(page), block)}

    def _sheet(self, number: int, step: LabelRequest | None = None) -> Sheet:
        """A page that has the blocks of a step; raises `CrfcleanError`."""
        if not 0 <= number < len(self._session.pages):
            raise CrfcleanError(f"there is no page {number}")
        sheet = self._session.sheet(number)
        if step is not None and not 0 <= step.first <= step.last < len(sheet):
            raise CrfcleanError(f"{sheet.file}: no such block")
        return sheet

    def _state(self, number: int, sheet: Sheet, after: int) -> _JsonObject:
        """A page's labels, the block to go to (None: the page is finished), and the next page."""
        return {
            "page": number,
            "labels": _letters(sheet.labels, sheet.known_labels),
            "card": _page_entry(self._session.pages[number]),
            "next": sheet.next_unsettled(after),
            "following": self._session.next_page(number + 1),
            **self._progress(),
        }

    def _progress(self) -> _JsonObject:
        labelled, blocks = self._session.labelled
        return {"labelled": labelled, "blocks": blocks}


def _page_entry(entry: PageEntry) -> _JsonObject:
    names = ("name", "blocks", "labelled", "certainty", "problem", "finished")
    return {name: getattr(entry, name) for name in names}


def _letters(labels: Any, known_labels: Any = None) -> str:
    """Return a letter for each block: its label, else the known one in lower case."""
    small = _LETTERS.lower()
    fallback = labels if known_labels is None else known_labels
    pairs = zip(labels.tolist(), fallback.tolist(), strict=True)
    return "".join(_LETTERS[label] if label != NONE else small[other] for label, other in pairs)


def _step_labels(sheet: Sheet, reached: Iterable[int], step: LabelRequest) -> dict[int, int]:
    """Return the label of each block of a step; raises `CrfcleanError` if a guess is missing."""
    blocks = list(reached)
    if step.label != "guess":
        return dict.fromkeys(blocks, LABELS.get(step.label, NONE))
    if any(sheet.guesses[block] == NONE for block in blocks):
        raise CrfcleanError("there are no guesses: this session has no model")
    return {block: int(sheet.guesses[block]) for block in blocks}


def label_in_browser(session: Session, port: int = 0) -> None:
    """Label in the browser, at the printed address, until Ctrl-C or until the user leaves.

    Raises `CrfcleanError` if the port is taken.
    """
    views = Views(session)
    endpoint = Endpoint(port=port)
    serve_application(lambda stop: BodyLimits(build_annotation_app(views, stop), 2**20), endpoint)


def build_annotation_app(views: Views, stop: Callable[[], None]) -> FastAPI:
    """Make the application for labels, without `Guard` and `BodyLimits`."""
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        default_response_class=_AsciiJson,
    )
    app.add_exception_handler(
        CrfcleanError, lambda _, error: _AsciiJson({"error": str(error)}, 409)
    )

    @app.get("/")
    def index() -> HTMLResponse:
        modules = "annotate.js", "dom.js", "server.js"
        sheets = "controls.css", "annotate.css"
        return HTMLResponse(served_page("crfclean annotate", "annotate.html", sheets, modules))

    app.get("/static/{name}")(static_file)
    for method, path, view in (
        ("GET", "/api/session", views.overview),
        ("GET", "/api/pages/{number}", views.page),
        ("GET", "/pages/{number}/view", views.document),
        ("GET", "/api/pages/{number}/alike/{block}", views.alike),
        ("POST", "/api/pages/{number}/labels", views.label),
        ("POST", "/api/undo", views.undo),
        ("POST", "/api/redo", views.redo),
        ("POST", "/api/leave", stop),
    ):
        app.add_api_route(path, view, methods=[method], response_model=None)
    return app


class _AsciiJson(Response):
    """JSON in ASCII: file names may hold surrogates."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return json.dumps(content).encode()
