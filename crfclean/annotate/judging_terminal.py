"""Judge the blocks of an audit at a terminal."""

from __future__ import annotations

from crfclean.annotate.judging import JUDGING_ACTIONS, JUDGING_HELP, Judging
from crfclean.annotate.terminal import (
    Keys,
    Screen,
    StyledLine,
    printable,
    run_screen,
    truncate,
    wrap,
)

JUDGING_HINTS = (
    "t belongs to the text   o does not   x no judgement   u undo   y redo",
    "up down block   g next without a judgement   ? help   q leave",
)
_ANSWERS = {True: "TEXT", False: "OTHER", None: "?"}


def judging_screen(judging: Judging, columns: int, rows: int) -> list[StyledLine]:
    """The lines of the screen: `rows` of at most `columns` columns."""
    room = max(1, rows - 2 - len(JUDGING_HINTS))
    if judging.view.helping:
        body = [("", line) for line in JUDGING_HELP]
    else:
        body = _block_lines(judging, columns, room)
    body = [(style, truncate(text, columns)) for style, text in body[:room]]
    body += [("", "")] * (room - len(body))
    bar = f" {judging.view.block + 1}/{len(judging.blocks)}  judged {judging.judged}"
    return [
        ("class:bar", truncate(bar, columns).ljust(columns)),
        *body,
        ("class:message", truncate(printable(judging.view.message), columns)),
        *(("class:keys", truncate(line, columns)) for line in JUDGING_HINTS),
    ][:rows]


def _block_lines(judging: Judging, columns: int, rows: int) -> list[StyledLine]:
    """The block between its neighbours, below the title and the address of its page."""
    block = judging.blocks[judging.view.block]
    answer = judging.judgements.get(judging.view.block)
    name = _ANSWERS[answer]
    style = f"class:{name.lower()}" if answer is not None else "class:open"
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


def judge_at_terminal(
    judging: Judging, keys: Keys | None = None, output: Screen | None = None
) -> None:
    """Judge until the user leaves."""
    run_screen(judging, JUDGING_ACTIONS, lambda *size: judging_screen(judging, *size), keys, output)
