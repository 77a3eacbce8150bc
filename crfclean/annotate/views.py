"""A labelling session -> what a page in a browser shows of it, and the steps that it takes.

Requests come on several threads: all of them go through one lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import RLock
from typing import Any

import numpy as np

from crfclean.annotate.preview import safe_document
from crfclean.annotate.session import PageEntry, Session
from crfclean.annotate.sheet import Sheet
from crfclean.gold.pages import NONE
from crfclean.types import CrfcleanError, Label

_LETTERS = "HTO."
"""Labels by their numbers, `NONE` (-1) the last; small letters are known, not given."""

_JsonObject = dict[str, Any]
_Reach = Callable[[Sheet, int, int], Iterable[int]]
_REACHES: Mapping[str, _Reach] = {
    "blocks": lambda _, first, last: range(first, last + 1),
    "run": lambda sheet, first, _: sheet.run(first),
    "rest": lambda sheet, first, _: [first, *(_open(sheet, first + 1))],
}
"""Which blocks a step labels: those given, a run, or a block with all that are open behind it."""


def _open(sheet: Sheet, first: int) -> list[int]:
    """The blocks to be asked for from this one on."""
    found: list[int] = (np.flatnonzero(sheet.settled[first:] == NONE) + first).tolist()
    return found


class Views:
    """A session as seen from a browser; every view is made of what JSON can say."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = RLock()

    def overview(self) -> _JsonObject:
        """All pages, and the one to begin with."""
        with self._lock:
            pages = [_card_view(card) for card in self._session.pages]
            return {"pages": pages, "begin": self._session.next_page(0) or 0, **self._progress()}

    def page(self, number: int) -> _JsonObject:
        """A page's blocks as columns, with its state."""
        with self._lock:
            sheet = self._sheet(number)
            blocks = sheet.blocks
            tags = [blocks.nodes.tags[node] for node in blocks.node.tolist()]
            return {
                "texts": blocks.texts,
                "tags": tags,
                "guesses": _letters(sheet.guesses),
                "sure": np.round(sheet.sure, 3).tolist(),
                "truncated": blocks.truncated,
                **self._state(number, sheet, 0),
            }

    def document(self, number: int, *, styled: bool) -> str:
        """A page as a document to look at."""
        with self._lock:
            sheet = self._sheet(number)
        return safe_document(sheet.page, sheet.blocks, styled=styled)

    def label(self, number: int, first: int, last: int, reach: str, label: str) -> _JsonObject:
        """Give blocks a label (a name, "guess" or "none"): one step of undo.

        Raises `CrfcleanError` where there is no such block, no guess, or no place on the disk.
        """
        with self._lock:
            sheet = self._sheet(number)
            if not 0 <= first <= last < len(sheet):
                raise CrfcleanError(f"{sheet.file}: no such block")
            labels = _given(sheet, _REACHES[reach](sheet, first, last), label)
            was_finished = sheet.labelled == len(sheet)
            sheet = self._session.label(number, labels)
            state = self._state(number, sheet, max(labels) + 1)
            if was_finished or label == "none":  # mending: no leaps
                state["next"] = min(max(labels) + (label != "none"), len(sheet) - 1)
            return state

    def undo(self) -> _JsonObject:
        """Take the last step back: the page and block to go to, None where there is none."""
        return self._stepped(self._session.undo)

    def redo(self) -> _JsonObject:
        """Do the step again that was taken back last."""
        return self._stepped(self._session.redo)

    def _stepped(self, step: Callable[[], tuple[int, int] | None]) -> _JsonObject:
        with self._lock:
            found = step()
            if found is None:
                return {"page": None}
            return {"block": found[1], **self._state(found[0], self._sheet(found[0]), found[1])}

    def _sheet(self, number: int) -> Sheet:
        if not 0 <= number < len(self._session.pages):
            raise CrfcleanError(f"there is no page {number}")
        return self._session.sheet(number)

    def _state(self, number: int, sheet: Sheet, after: int) -> _JsonObject:
        """A page's labels, the block to go to (None: the page is done), and the page after it."""
        return {
            "page": number,
            "labels": _letters(sheet.labels, sheet.known),
            "card": _card_view(self._session.pages[number]),
            "next": sheet.next_open(after),
            "following": self._session.next_page(number + 1),
            **self._progress(),
        }

    def _progress(self) -> _JsonObject:
        labelled, blocks = self._session.labelled
        return {"labelled": labelled, "blocks": blocks}


def _card_view(card: PageEntry) -> _JsonObject:
    return {
        "name": card.name,
        "blocks": card.blocks,
        "labelled": card.labelled,
        "certainty": card.certainty,
        "problem": card.problem,
        "finished": card.finished,
    }


def _letters(labels: Any, known: Any = None) -> str:
    """One letter a block: what was given, else in small letters what is known."""
    small = _LETTERS.lower()
    rest = labels if known is None else known
    pairs = zip(labels.tolist(), rest.tolist(), strict=True)
    return "".join(_LETTERS[label] if label != NONE else small[other] for label, other in pairs)


def _given(sheet: Sheet, reached: Iterable[int], label: str) -> dict[int, int]:
    """The label of each block in a step."""
    blocks = list(reached)
    if label != "guess":
        return dict.fromkeys(blocks, NONE if label == "none" else Label[label])
    if any(sheet.guesses[block] == NONE for block in blocks):
        raise CrfcleanError("there are no guesses: this session has no model")
    return {block: int(sheet.guesses[block]) for block in blocks}
