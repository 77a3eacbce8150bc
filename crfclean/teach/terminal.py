"""Label pages, and judge the blocks of an audit, at a terminal, with prompt_toolkit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
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

from crfclean.teach.gold import LABEL_NAMES, NONE
from crfclean.teach.keyboard import (
    ACTIONS,
    HELP,
    JUDGING_ACTIONS,
    JUDGING_HELP,
    JUDGING_HINTS,
    KEY_HINTS,
    Judging,
    Keyboard,
)
from crfclean.teach.session import Session, Sheet
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


# judgements of an audit

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
