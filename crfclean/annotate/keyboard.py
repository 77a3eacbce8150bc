"""Keys -> a `Session`: which page and block are looked at, what a key does, what is to be said."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from crfclean.annotate.session import Session
from crfclean.annotate.sheet import Sheet
from crfclean.gold.pages import NONE
from crfclean.types import CrfcleanError, Label

HELP = (
    "h t o     label the block HEADER, TEXT, OTHER, and go to the next without one",
    "H T O     the same for the run: the blocks that follow with the same guess",
    "Enter     accept the guess; r: for the run, e: to the end of the page",
    "E         OTHER to the end of the page",
    "x         take the label away",
    "u y       undo, redo, without end",
    "up down   (k j) another block; PgUp PgDn: ten blocks; Home End: first, last",
    "n p       next unfinished page, previous page; g: next block without a label",
    "q         leave; every label is on disk already",
    "",
    "?TEXT .93 is a guess with its probability, =TEXT the label of the same block on",
    "another page: it is not asked again.",
)
ALL_LABELLED = "Everything is labelled. q leaves, u takes the last step back."


@dataclass(frozen=True)
class ScreenState:
    """What is to be shown: a page, the block that keys act on, a message."""

    page: int
    block: int
    message: str = ""
    helping: bool = False


class Keyboard:
    """A session with a cursor. `press` never raises: what fails becomes the message."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.leaving = False
        first = session.next_page(0)
        self.view = self._at(first or 0, message="" if first is not None else ALL_LABELLED)

    @property
    def sheet(self) -> Sheet | None:
        """The page looked at, None if it cannot be opened."""
        if self.session.pages[self.view.page].problem:
            return None
        return self.session.sheet(self.view.page)

    def press(self, key: str) -> None:
        """Do what a key stands for; an unknown one does nothing."""
        if self.view.helping or key not in ACTIONS:
            self.view = ScreenState(self.view.page, self.view.block)
            return
        try:
            ACTIONS[key](self)
        except CrfcleanError as error:
            self.view = ScreenState(self.view.page, self.view.block, str(error))

    def _at(self, page: int, block: int | None = None, message: str = "") -> ScreenState:
        """A view of a page, at a block or else at the first without a label."""
        if self.session.pages[page].problem:
            return ScreenState(page, 0, self.session.pages[page].problem)
        sheet = self.session.sheet(page)
        start = (sheet.next_open(0) or 0) if block is None else block
        return ScreenState(page, min(max(0, start), max(0, len(sheet) - 1)), message)

    def label(self, label: int, blocks: Iterable[int] | None = None) -> None:
        """Label blocks of the page (the one looked at), then go on to what has none."""
        wanted = [self.view.block] if blocks is None else list(blocks)
        self.label_and_go_on(dict.fromkeys(wanted, label))

    def label_run(self, label: int) -> None:
        """Label the run that begins at the block."""
        sheet = self.sheet
        self.label(label, sheet.run(self.view.block) if sheet and len(sheet) else ())

    def drop_rest(self) -> None:
        """Label all that is left of the page OTHER: what follows the text."""
        sheet = self.sheet
        self.label(
            Label.OTHER, _unlabelled_from(sheet, self.view.block) if sheet and len(sheet) else ()
        )

    def accept(self, choose: Callable[[Sheet, int], Iterable[int]]) -> None:
        """Label blocks with the model's guesses."""
        sheet = self.sheet
        if sheet is None or not len(sheet):
            return
        if sheet.guesses[self.view.block] == NONE:
            raise CrfcleanError("no guess to accept: there is no model")
        self.label_and_go_on(
            {block: int(sheet.guesses[block]) for block in choose(sheet, self.view.block)}
        )

    def label_and_go_on(self, labels: Mapping[int, int]) -> None:
        """Label blocks and go on: down the page, then to the next page."""
        sheet, page = self.sheet, self.view.page
        if sheet is None or not labels:
            return
        was_finished = sheet.labelled == len(sheet)
        sheet = self.session.label(page, labels)
        last = max(labels)
        if was_finished or NONE in labels.values():
            self.view = self._at(page, last + (NONE not in labels.values()))
        elif sheet.labelled < len(sheet):
            self.view = self._at(page, sheet.next_open(last + 1))
        else:
            self.go_on(f"finished: {self.session.pages[page].name}")

    def go_on(self, message: str = "") -> None:
        """Go to the next page that is not finished."""
        found = self.session.next_page(self.view.page + 1)
        self.view = self._at(found, None, message) if found is not None else self._end()

    def _end(self) -> ScreenState:
        return ScreenState(self.view.page, self.view.block, ALL_LABELLED)

    def turn(self, step: int) -> None:
        """Go so many pages on or back."""
        self.view = self._at((self.view.page + step) % len(self.session.pages))

    def move(self, step: int) -> None:
        """Go so many blocks on or back."""
        self.view = self._at(self.view.page, self.view.block + step)

    def seek(self) -> None:
        """Go to the next block without a label."""
        sheet = self.sheet
        found = sheet.next_open(self.view.block + 1) if sheet else None
        self.view = self._at(self.view.page, found) if found is not None else self._end_of_page()

    def _end_of_page(self) -> ScreenState:
        return ScreenState(self.view.page, self.view.block, "every block of this page has a label")

    def back(self, step: Callable[[], tuple[int, int] | None], nothing: str) -> None:
        """Undo or redo, and look at what has changed."""
        found = step()
        if found is None:
            raise CrfcleanError(nothing)
        self.view = self._at(*found)

    def help(self) -> None:
        """Show the keys."""
        self.view = ScreenState(self.view.page, self.view.block, helping=True)

    def leave(self) -> None:
        """End the session."""
        self.leaving = True


def _unlabelled_from(sheet: Sheet, block: int) -> list[int]:
    """The blocks without a label from one on to the end of the page."""
    places: list[int] = np.flatnonzero(sheet.settled == NONE).tolist()
    return [block, *(place for place in places if place > block)]


ACTIONS: Mapping[str, Callable[[Keyboard], None]] = {
    "h": lambda keyboard: keyboard.label(Label.HEADER),
    "t": lambda keyboard: keyboard.label(Label.TEXT),
    "o": lambda keyboard: keyboard.label(Label.OTHER),
    "H": lambda keyboard: keyboard.label_run(Label.HEADER),
    "T": lambda keyboard: keyboard.label_run(Label.TEXT),
    "O": lambda keyboard: keyboard.label_run(Label.OTHER),
    "enter": lambda keyboard: keyboard.accept(lambda _, block: [block]),
    "r": lambda keyboard: keyboard.accept(Sheet.run),
    "e": lambda keyboard: keyboard.accept(_unlabelled_from),
    "E": Keyboard.drop_rest,
    "x": lambda keyboard: keyboard.label(NONE),
    "u": lambda keyboard: keyboard.back(keyboard.session.undo, "nothing to undo"),
    "y": lambda keyboard: keyboard.back(keyboard.session.redo, "nothing to redo"),
    "c-r": lambda keyboard: keyboard.back(keyboard.session.redo, "nothing to redo"),
    "up": lambda keyboard: keyboard.move(-1),
    "k": lambda keyboard: keyboard.move(-1),
    "down": lambda keyboard: keyboard.move(1),
    "j": lambda keyboard: keyboard.move(1),
    "pageup": lambda keyboard: keyboard.move(-10),
    "pagedown": lambda keyboard: keyboard.move(10),
    "home": lambda keyboard: keyboard.move(-keyboard.view.block),
    "end": lambda keyboard: keyboard.move(1 << 40),
    "g": Keyboard.seek,
    "n": Keyboard.go_on,
    "p": lambda keyboard: keyboard.turn(-1),
    "?": Keyboard.help,
    "q": Keyboard.leave,
    "c-c": Keyboard.leave,
}
"""Key -> what it does."""
