"""Label pages by keys at a terminal, with prompt_toolkit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from crfclean.io import read_toml
from crfclean.products.teach.gold import DOUBT, LABEL_NAMES, NONE
from crfclean.products.teach.session import Session, Sheet
from crfclean.types import CrfcleanError, Label

# control a labelling session by keys

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


# the screen

StyledLine = tuple[str, str]
"""Style and text of a line."""

_FIELD_COLUMNS = 12  # columns of a line's mark and label
_STYLE = Style.from_dict(
    {
        "bar": "reverse",
        "header": "ansimagenta bold",
        "text": "ansigreen",
        "other": "ansibrightblack",
        "doubt": "ansiyellow",
        "open": "",
        "now": "bold",
        "message": "ansiyellow",
        "keys": "ansicyan",
    }
)


def truncate(text: str, columns: int) -> str:
    """Cut a text to so many columns; a longer text ends in an ellipsis."""
    if get_cwidth(text) <= columns:
        return text
    return next(wrap(text, columns - 1, 1), "") + "…" if columns > 1 else "…"


def wrap(text: str, columns: int, rows: int) -> Iterator[str]:
    """Wrap a text at blanks into at most `rows` lines of `columns` characters."""
    start = 0
    while start < len(text) and rows > 0:
        end, width = start, 0
        while end < len(text) and (width := width + get_cwidth(text[end])) <= columns:
            end += 1
        blank = text.rfind(" ", start, end + 1)
        stop = blank if end < len(text) and blank > start else max(end, start + 1)
        yield text[start:stop]
        start, rows = stop + (text[stop : stop + 1] == " "), rows - 1


def printable(text: str) -> str:
    """Replace control characters, so that none reaches the terminal."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def label_field(sheet: Sheet, block: int) -> tuple[str, str]:
    """Return style and text of a label; `=` marks one from other pages, `?` a guess."""
    for mark, label in ((" ", sheet.labels[block]), ("=", sheet.known_labels[block])):
        if label != NONE:
            name = LABEL_NAMES[label]
            return name.lower(), f"{mark}{name}"
    if sheet.guesses[block] == NONE:
        return "open", "?"
    share = f"{min(sheet.sure[block], 0.99):.2f}"[1:]
    return "open", f"?{Label(sheet.guesses[block]).name} {share}"


def block_lines(
    sheet: Sheet, block: int, columns: int, *, rows: int = 1, mark: str = " "
) -> list[StyledLine]:
    """The lines of a block, at most `rows`, with a mark: `>` is the current block."""
    style, field = label_field(sheet, block)
    room = max(4, columns - _FIELD_COLUMNS - 1)
    text = printable(sheet.blocks.texts[block][: room * (rows + 1)])
    parts = list(wrap(text, room, rows)) if rows > 1 else [truncate(text, room)]
    if len(parts) == rows > 1:
        parts[-1] = truncate(text[text.index(parts[-1]) :], room)
    style = f"class:{style}{' class:now' if mark == '>' else ''}"
    fields = [f"{mark}{field}", *[mark] * (len(parts) - 1)]
    return [(style, f"{f:{_FIELD_COLUMNS}} {part}") for f, part in zip(fields, parts, strict=True)]


def page_lines(
    sheet: Sheet, block: int, columns: int, rows: int, chosen: Sequence[int] = ()
) -> list[StyledLine]:
    """The current block with its neighbours, in at most so many rows; `|` marks `chosen` ones."""

    def line_of(place: int) -> StyledLine:
        return block_lines(sheet, place, columns, mark="|" if place in chosen else " ")[0]

    now = block_lines(sheet, block, columns, rows=max(1, rows // 2), mark=">")
    before = min(block, max(0, (rows - len(now)) // 3))
    lines = [*map(line_of, range(block - before, block)), *now]
    lines += map(line_of, range(block + 1, min(len(sheet), block + 1 + rows - len(lines))))
    return lines[:rows]


def status_bar(keyboard: Keyboard, columns: int) -> str:
    """The top line: page, block, progress, certainty; a narrow screen shortens the name."""
    session, view, sheet = keyboard.session, keyboard.view, keyboard.sheet
    page = session.pages[view.page]
    labelled = page.labelled if sheet is None else sheet.labelled
    done, blocks = session.labelled
    front = f" {view.page + 1}/{len(session.pages)} "
    back = (
        f"  block {view.block + 1}/{page.blocks}  labelled {labelled}"
        f"  all {done}/{blocks}  sure {page.certainty:.2f}"
    )
    name = truncate(printable(page.name), max(1, columns - len(front) - len(back)))
    return truncate(f"{front}{name}{back}", columns)


def screen(keyboard: Keyboard, columns: int, rows: int) -> list[StyledLine]:
    """The lines of the screen: `rows` of at most `columns` columns."""
    room = max(1, rows - 2 - len(KEY_HINTS))
    sheet, chosen, message = keyboard.sheet, keyboard.chosen, keyboard.view.message
    if keyboard.view.helping:
        body = [("", line) for line in HELP]
    elif sheet is None or not len(sheet):
        body = [
            ("", "There is no text on this page." if sheet is not None else "No page to label.")
        ]
    else:
        body = page_lines(sheet, keyboard.view.block, columns, room, chosen)
    if len(chosen) > 1:
        message = f"{len(chosen)} blocks are chosen for the next label. Esc: only this one."
    bar = status_bar(keyboard, columns)
    return [
        ("class:bar", bar + " " * max(0, columns - get_cwidth(bar))),
        *((style, truncate(text, columns)) for style, text in body[:room]),
        *[("", "")] * (room - len(body)),
        ("class:message", truncate(printable(message), columns)),
        *(("class:keys", truncate(line, columns)) for line in KEY_HINTS),
    ][:rows]


def _bindings(keyboard: Keyboard) -> KeyBindings:
    """Bind the keys of `ACTIONS` to a session, and Ctrl-Z to suspend."""
    keys = KeyBindings()

    def press(key: str, event: KeyPressEvent) -> None:
        keyboard.press(key)
        if keyboard.leaving:
            event.app.exit()

    for key in ACTIONS:
        keys.add(key)(partial(press, key))
    keys.add("c-j")(lambda _: keyboard.press("enter"))  # some pipes send it for Enter
    keys.add("c-z")(lambda event: event.app.suspend_to_background())
    return keys


def label_at_terminal(
    session: Session, keys: Input | None = None, output: Output | None = None
) -> None:
    """Label until the user leaves."""
    keyboard = Keyboard(session)

    def fragments() -> StyleAndTextTuples:
        size = app.output.get_size()
        lines = screen(keyboard, size.columns, size.rows)
        return [*((style, text + "\n") for style, text in lines[:-1]), *lines[-1:]]

    window = Window(FormattedTextControl(fragments, show_cursor=False), wrap_lines=False)
    app: Application[Any] = Application(
        Layout(window),
        key_bindings=_bindings(keyboard),
        style=_STYLE,
        full_screen=True,
        input=keys,
        output=output,
    )
    app.run()
