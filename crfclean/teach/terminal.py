"""Label pages, and judge the blocks of an audit, by keys at a terminal, with prompt_toolkit."""

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
from crfclean.teach.audit import AuditedBlock
from crfclean.teach.audit_summary import Judgements
from crfclean.teach.gold import DOUBT, LABEL_NAMES, NONE
from crfclean.teach.session import Session, Sheet
from crfclean.types import CrfcleanError, Label

# control a labelling session, and the judgements of an audit, by keys

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
    """Wrap a text at blanks into at most so many rows of so many columns."""
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
    room = _room(rows)
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
    return _framed(bar, body, message, KEY_HINTS, (columns, rows))


def _room(rows: int) -> int:
    """The rows between the bar, and the message and hints."""
    return max(1, rows - 2 - len(KEY_HINTS))


def _framed(
    bar: str, body: Sequence[StyledLine], message: str, hints: Sequence[str], size: tuple[int, int]
) -> list[StyledLine]:
    columns, rows = size
    room = _room(rows)
    bar = truncate(bar, columns)
    return [
        ("class:bar", bar + " " * max(0, columns - get_cwidth(bar))),
        *((style, truncate(text, columns)) for style, text in body[:room]),
        *[("", "")] * (room - len(body)),
        ("class:message", truncate(printable(message), columns)),
        *(("class:keys", truncate(line, columns)) for line in hints),
    ][:rows]


def _bindings(pressed: Mapping[str, object], controlled: Keyboard | Judging) -> KeyBindings:
    """Bind the `pressed` keys to a session, and Ctrl-Z to suspend."""
    keys = KeyBindings()

    def press(key: str, event: KeyPressEvent) -> None:
        controlled.press(key)
        if controlled.leaving:
            event.app.exit()

    for key in pressed:
        keys.add(key)(partial(press, key))
    if "enter" in pressed:
        keys.add("c-j")(lambda _: controlled.press("enter"))  # some pipes send it for Enter
    keys.add("c-z")(lambda event: event.app.suspend_to_background())
    return keys


def label_at_terminal(
    session: Session, keys: Input | None = None, output: Output | None = None
) -> None:
    """Label until the user leaves."""
    keyboard = Keyboard(session)
    run_screen(keyboard, ACTIONS, lambda *size: screen(keyboard, *size), keys, output)


def run_screen(
    controlled: Keyboard | Judging,
    pressed: Mapping[str, object],
    lines_of: Callable[[int, int], Sequence[StyledLine]],
    keys: Input | None = None,
    output: Output | None = None,
) -> None:
    """Show the screen until the user leaves.

    `lines_of` makes the lines for a number of columns and rows; the session gets the keys of
    `pressed`.
    """

    def fragments() -> StyleAndTextTuples:
        size = app.output.get_size()
        lines = lines_of(size.columns, size.rows)
        return [*((style, text + "\n") for style, text in lines[:-1]), *lines[-1:]]

    window = Window(FormattedTextControl(fragments, show_cursor=False), wrap_lines=False)
    app: Application[Any] = Application(
        Layout(window),
        key_bindings=_bindings(pressed, controlled),
        style=_STYLE,
        full_screen=True,
        input=keys,
        output=output,
    )
    app.run()


# the screen of an audit

_ANSWERS = {
    True: ("TEXT", "class:text"),
    False: ("OTHER", "class:other"),
    None: ("?", "class:open"),
}


def judging_screen(judging: Judging, columns: int, rows: int) -> list[StyledLine]:
    """The lines of the screen: `rows` of at most `columns` columns."""
    body = _block_lines(judging, columns, _room(rows))
    if judging.view.helping:
        body = [("", line) for line in JUDGING_HELP]
    bar = f" {judging.view.block + 1}/{len(judging.blocks)}  judged {judging.judged}"
    return _framed(bar, body, judging.view.message, JUDGING_HINTS, (columns, rows))


def _block_lines(judging: Judging, columns: int, rows: int) -> list[StyledLine]:
    """The block between its neighbours, below the title and the address of its page."""
    block = judging.blocks[judging.view.block]
    name, style = _ANSWERS[judging.judgements.get(judging.view.block)]
    text = printable(block.text[: columns * rows])
    parts = list(wrap(text, max(4, columns - 2), max(1, rows - 8)))
    return [
        ("class:keys", printable(block.title)),
        ("class:other", printable(block.url or block.page)),
        ("", ""),
        ("class:other", printable(block.before)),
        (style, name),
        *((f"{style} class:now", f"> {part}") for part in parts),
        ("", ""),
        ("class:other", printable(block.after)),
    ]


def judge_at_terminal(judging: Judging) -> None:
    """Judge until the user leaves."""
    run_screen(judging, JUDGING_ACTIONS, lambda *size: judging_screen(judging, *size))
