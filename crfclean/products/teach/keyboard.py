"""Control a labelling session by keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from crfclean.io import read_toml
from crfclean.products.teach.gold import DOUBT, NONE
from crfclean.products.teach.session import Session
from crfclean.products.teach.sheets import Sheet
from crfclean.types import CrfcleanError, Label

_KEYS = read_toml(Path(__file__).with_name("keys.toml"))
HELP, KEY_HINTS = (tuple(_KEYS[name].splitlines()) for name in ("help", "hints"))
_NO_BLOCK = "every block of this page has a label"
ALL_LABELLED = "Everything is labelled. Press q to leave, u to undo."


Choose = Callable[[Sheet, int], Sequence[int]]
"""A function from a page and its current block to the blocks that a key labels."""


def _current(_sheet: Sheet, block: int) -> Sequence[int]:
    return [block]


@dataclass(frozen=True)
class ScreenState:
    """The state of the screen: the current page and block, and a message or the help.

    `choose` returns the blocks that the next label is for.
    """

    page: int
    block: int
    message: str = ""
    helping: bool = False
    choose: Choose = _current


class Keyboard:
    """A labelling session with a cursor. `press` never raises: errors become the message."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.leaving = False
        first = session.next_page(0)
        self.view = self._at(first or 0, message="" if first is not None else ALL_LABELLED)

    @property
    def sheet(self) -> Sheet | None:
        """The current page, None if it cannot be opened."""
        if self.session.pages[self.view.page].problem:
            return None
        return self.session.sheet(self.view.page)

    def press(self, key: str) -> None:
        """Run the action of a key; an unknown one only clears the message."""
        if self.view.helping or key not in ACTIONS:
            self.view = self._noted()
            return
        try:
            ACTIONS[key](self)
        except CrfcleanError as error:
            self.view = self._noted(str(error))

    def _noted(self, message: str = "") -> ScreenState:
        return ScreenState(self.view.page, self.view.block, message)

    def _at(self, number: int, block: int | None = None, message: str = "") -> ScreenState:
        """The state at a block of a page, by default the first without a label."""
        if self.session.pages[number].problem:
            return ScreenState(number, 0, self.session.pages[number].problem)
        sheet = self.session.sheet(number)
        start = (sheet.next_unsettled(0) or 0) if block is None else block
        return ScreenState(number, min(max(0, start), max(0, len(sheet) - 1)), message)

    @property
    def chosen(self) -> Sequence[int]:
        """The blocks that the next label is for."""
        return self._blocks()

    def _blocks(self, choose: Choose | None = None) -> Sequence[int]:
        sheet = self.sheet
        return (choose or self.view.choose)(sheet, self.view.block) if sheet else []

    def choose(self, choose: Choose) -> None:
        """Choose the blocks for the next label."""
        self.view = replace(self._noted(), choose=choose)

    def begin_range(self) -> None:
        """Choose the blocks from this one to the one to which the user moves."""
        start = self.view.block
        self.choose(lambda _, block: range(min(start, block), max(start, block) + 1))

    def choose_alike(self) -> None:
        """Choose all blocks that are like this one, wherever the user moves."""
        blocks = self._blocks(Sheet.alike)
        self.choose(lambda *_: blocks)

    def label(self, label: int, choose: Choose | None = None) -> None:
        """Label the blocks that `choose` returns, by default the chosen ones, then go on."""
        self.label_and_go_on(dict.fromkeys(self._blocks(choose), label))

    def accept(self, choose: Choose | None = None) -> None:
        """Label blocks, by default the chosen ones, with the model's guesses."""
        sheet = self.sheet
        if sheet is None or not len(sheet):
            return
        if sheet.guesses[self.view.block] == NONE:
            raise CrfcleanError("there is no guess to accept: this session has no model")
        self.label_and_go_on({block: int(sheet.guesses[block]) for block in self._blocks(choose)})

    def label_and_go_on(self, labels: Mapping[int, int]) -> None:
        """Label blocks, then go to the next block without a label, or to the next page."""
        sheet, page, block = self.sheet, self.view.page, self.view.block
        if sheet is None or not labels:
            return
        was_finished = sheet.labelled == len(sheet)
        sheet = self.session.label(page, labels)
        if was_finished or NONE in labels.values():
            self.view = self._at(page, block + (NONE not in labels.values()))
        elif sheet.labelled < len(sheet):
            self.view = self._at(page, sheet.next_unsettled(block + 1))
        else:
            self.go_on(f"finished: {self.session.pages[page].name}")

    def go_on(self, message: str = "") -> None:
        """Go to the next page that is not finished."""
        page = self.session.next_page(self.view.page + 1)
        self.view = self._at(page, None, message) if page is not None else self._noted(ALL_LABELLED)

    def turn(self, step: int) -> None:
        """Move by `step` pages, around the ends."""
        self.view = self._at((self.view.page + step) % len(self.session.pages))

    def move(self, step: int) -> None:
        """Move by `step` blocks within the page."""
        moved = self._at(self.view.page, self.view.block + step)
        self.view = replace(moved, choose=self.view.choose)

    def seek(self) -> None:
        """Go to the next block without a label."""
        sheet = self.sheet
        block = sheet.next_unsettled(self.view.block + 1) if sheet else None
        self.view = self._at(self.view.page, block) if block is not None else self._noted(_NO_BLOCK)

    def undo_or_redo(self, step: Callable[[], tuple[int, int] | None], nothing: str) -> None:
        """Undo or redo a step, and go to its block; raises `CrfcleanError` if there is none."""
        position = step()
        if position is None:
            raise CrfcleanError(nothing)
        self.view = self._at(*position)

    def help(self) -> None:
        """Show the keys."""
        self.view = replace(self._noted(), helping=True)

    def leave(self) -> None:
        """End the session."""
        self.leaving = True


ACTIONS: Mapping[str, Callable[[Keyboard], None]] = {
    "h": lambda keyboard: keyboard.label(Label.HEADER),
    "t": lambda keyboard: keyboard.label(Label.TEXT),
    "o": lambda keyboard: keyboard.label(Label.OTHER),
    "d": lambda keyboard: keyboard.label(DOUBT),
    "H": lambda keyboard: keyboard.label(Label.HEADER, Sheet.run),
    "T": lambda keyboard: keyboard.label(Label.TEXT, Sheet.run),
    "O": lambda keyboard: keyboard.label(Label.OTHER, Sheet.run),
    "D": lambda keyboard: keyboard.label(DOUBT, Sheet.run),
    "v": Keyboard.begin_range,
    "a": Keyboard.choose_alike,
    "escape": lambda keyboard: keyboard.choose(_current),
    "enter": Keyboard.accept,
    "r": lambda keyboard: keyboard.accept(Sheet.run),
    "e": lambda keyboard: keyboard.accept(Sheet.rest),
    "E": lambda keyboard: keyboard.label(Label.OTHER, Sheet.rest),
    "x": lambda keyboard: keyboard.label(NONE),
    "u": lambda keyboard: keyboard.undo_or_redo(keyboard.session.undo, "nothing to undo"),
    "y": lambda keyboard: keyboard.undo_or_redo(keyboard.session.redo, "nothing to redo"),
    "c-r": lambda keyboard: keyboard.undo_or_redo(keyboard.session.redo, "nothing to redo"),
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
