"""The screen of a labelling session at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, Layout, Window
from prompt_toolkit.output import Output
from prompt_toolkit.styles import Style
from prompt_toolkit.utils import get_cwidth

from crfclean.products.teach.gold import LABEL_NAMES, NONE
from crfclean.products.teach.keyboard import ACTIONS, HELP, KEY_HINTS, Keyboard
from crfclean.products.teach.session import Session
from crfclean.products.teach.sheets import Sheet
from crfclean.types import Label

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


def screen_lines(
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
        body = screen_lines(sheet, keyboard.view.block, columns, room, chosen)
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
