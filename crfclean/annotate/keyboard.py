"""Control a labelling session, and the judgements of an audit, by keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from crfclean.annotate.session import Session, Sheet
from crfclean.audit.sample import AuditedBlock
from crfclean.audit.summary import Judgements
from crfclean.gold.pages import DOUBT, NONE
from crfclean.io import read_toml
from crfclean.types import CrfcleanError, Label

_KEYS = read_toml(Path(__file__).with_name("keys.toml"))
HELP, KEY_HINTS, JUDGING_HELP, JUDGING_HINTS = (
    tuple(_KEYS[screen][name].splitlines())
    for screen in ("labelling", "judging")
    for name in ("help", "hints")
)
_NO_BLOCK = "every block of this page has a label"
ALL_LABELLED = "Everything is labelled. Press q to leave, u to undo."


Choose = Callable[[Sheet, int], Sequence[int]]
"""A function from a page and its current block to the blocks that a key labels."""


def _current(_sheet: Sheet, block: int) -> Sequence[int]:
    return [block]


@dataclass(frozen=True)
class ScreenState:
    """The state of the screen: the current block, and a message or the help.

    `page` is the number of the page in a labelling session, where `choose` returns the blocks that
    the next label is for.
    """

    block: int
    message: str = ""
    helping: bool = False
    page: int = 0
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
        return ScreenState(self.view.block, message, page=self.view.page)

    def _at(self, page: int, block: int | None = None, message: str = "") -> ScreenState:
        """The state at a block of a page, by default the first without a label."""
        if self.session.pages[page].problem:
            return ScreenState(0, self.session.pages[page].problem, page=page)
        sheet = self.session.sheet(page)
        start = (sheet.next_unsettled(0) or 0) if block is None else block
        return ScreenState(min(max(0, start), max(0, len(sheet) - 1)), message, page=page)

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


# judge for an audit whether single blocks belong to the text

ALL_JUDGED = "Everything is judged. Press q to leave and print the figures, u to undo."

_Step = tuple[int, bool | None, bool | None]
"""A block, its judgement before and after."""


class Judging:
    """The blocks to judge, a cursor, and the steps to undo.

    `save` writes the judgements before a step returns. `press` never raises: errors become the
    message, and change nothing.
    """

    def __init__(
        self,
        blocks: Sequence[AuditedBlock],
        judgements: Judgements,
        save: Callable[[Judgements], object],
    ) -> None:
        self.blocks = blocks
        self.judgements = dict(judgements)
        self.leaving = False
        self._save = save
        self._done: list[_Step] = []
        self._undone: list[_Step] = []
        self.view = self._at_next(0)

    @property
    def judged(self) -> int:
        """The number of blocks that are judged."""
        return sum(number in self.judgements for number in range(len(self.blocks)))

    @property
    def state(self) -> dict[str, Any]:
        """The state for the browser: the block, its neighbours and judgement, and the progress."""
        block = self.blocks[self.view.block]
        return {
            "number": self.view.block + 1,
            "blocks": len(self.blocks),
            "judged": self.judged,
            "message": self.view.message,
            "left": self.leaving,
            "answer": self.judgements.get(self.view.block),
            "title": block.title,
            "url": block.url or block.page,
            "text": block.text,
            "above": block.above,
            "below": block.below,
        }

    def press(self, key: str) -> None:
        """Run the action of a key; an unknown one only clears the message."""
        if self.view.helping or key not in JUDGING_ACTIONS:
            self.view = ScreenState(self.view.block)
            return
        try:
            JUDGING_ACTIONS[key](self)
        except CrfcleanError as error:
            self.view = ScreenState(self.view.block, str(error))

    def judge(self, answer: bool | None) -> None:  # noqa: FBT001
        """Judge the block (None removes the judgement) and go on; raises `CrfcleanError`."""
        number = self.view.block
        before = self.judgements.get(number)
        self._set(number, answer)
        self._done.append((number, before, answer))
        self._undone.clear()
        self.view = ScreenState(number) if answer is None else self._at_next(number + 1)

    def undo(self) -> None:
        """Undo the last step, and go to its block; raises `CrfcleanError`."""
        self._step(self._done, self._undone, "nothing to undo", back=True)

    def redo(self) -> None:
        """Redo the step undone last, and go to its block; raises `CrfcleanError`."""
        self._step(self._undone, self._done, "nothing to redo", back=False)

    def move(self, blocks: int) -> None:
        """Move by so many blocks."""
        last = len(self.blocks) - 1
        self.view = ScreenState(min(max(0, self.view.block + blocks), last))

    def seek(self) -> None:
        """Go to the next block without a judgement, around the end."""
        self.view = self._at_next(self.view.block + 1)

    def help(self) -> None:
        """Show the keys."""
        self.view = ScreenState(self.view.block, helping=True)

    def leave(self) -> None:
        """End the session."""
        self.leaving = True

    def _step(self, source: list[_Step], target: list[_Step], nothing: str, *, back: bool) -> None:
        if not source:
            raise CrfcleanError(nothing)
        number, before, after = source[-1]
        self._set(number, before if back else after)
        target.append(source.pop())
        self.view = ScreenState(number)

    def _set(self, number: int, answer: bool | None) -> None:  # noqa: FBT001
        """Save a judgement, then set it; nothing changes if it cannot be saved."""
        changed = {key: value for key, value in self.judgements.items() if key != number}
        if answer is not None:
            changed[number] = answer
        self._save(changed)
        self.judgements = changed

    def _at_next(self, number: int) -> ScreenState:
        """The state at the next block without a judgement from this one on, around the end."""
        count = len(self.blocks)
        places = ((number + step) % count for step in range(count))
        place = next((place for place in places if place not in self.judgements), None)
        if place is None:
            return ScreenState(min(number, count - 1), ALL_JUDGED)
        return ScreenState(place)


JUDGING_ACTIONS: Mapping[str, Callable[[Judging], None]] = {
    "t": lambda judging: judging.judge(True),
    "o": lambda judging: judging.judge(False),
    "x": lambda judging: judging.judge(None),
    "g": Judging.seek,
    "u": Judging.undo,
    "y": Judging.redo,
    "c-r": Judging.redo,
    "up": lambda judging: judging.move(-1),
    "k": lambda judging: judging.move(-1),
    "down": lambda judging: judging.move(1),
    "j": lambda judging: judging.move(1),
    "home": lambda judging: judging.move(-judging.view.block),
    "end": lambda judging: judging.move(len(judging.blocks)),
    "?": Judging.help,
    "q": Judging.leave,
    "c-c": Judging.leave,
}
"""Key -> what it does; a key of `ACTIONS` means the same here."""
