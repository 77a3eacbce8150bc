"""Judge the blocks of an audit by keys, at a terminal or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crfclean.annotate.terminal import (
    Keys,
    Screen,
    StyledLine,
    printable,
    run_screen,
    truncate,
    wrap,
)
from crfclean.audit.judgements import Judgements
from crfclean.audit.rows import AuditedBlock
from crfclean.types import CrfcleanError

# control an audit's judgements by keys: whether single blocks belong to the text

JUDGING_HELP = (
    "t         the block belongs to the text of its page",
    "o         it does not",
    "x         take the judgement away",
    "g         the next block without a judgement",
    "up down   (k j) another block; Home End: first, last",
    "u y       undo, redo, without end",
    "q         leave; every judgement is on disk already",
    "",
    "Judge by what you want to have in your texts. A block of which only a part belongs",
    "counts as what most of its words are. Leave what you cannot decide: j goes on.",
)
ALL_JUDGED = "Everything is judged. q leaves and prints the figures, u takes the last step back."

_Step = tuple[int, bool | None, bool | None]
"""A block, its judgement before and after."""


@dataclass(frozen=True, slots=True)
class JudgingState:
    """What the screen shows: the block that keys act on, a message or the help."""

    block: int
    message: str = ""
    helping: bool = False


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
        """How many of the blocks are judged."""
        return sum(number in self.judgements for number in range(len(self.blocks)))

    @property
    def state(self) -> dict[str, Any]:
        """What the browser shows: the block, its page, its judgement and the progress."""
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
            "before": block.before,
            "text": block.text,
            "after": block.after,
        }

    def press(self, key: str) -> None:
        """Run the action of a key; an unknown one only clears the message."""
        if self.view.helping or key not in JUDGING_ACTIONS:
            self.view = JudgingState(self.view.block)
            return
        try:
            JUDGING_ACTIONS[key](self)
        except CrfcleanError as error:
            self.view = JudgingState(self.view.block, str(error))

    def judge(self, answer: bool | None) -> None:  # noqa: FBT001
        """Judge the block (None takes its judgement away) and go on; raises `CrfcleanError`."""
        number = self.view.block
        before = self.judgements.get(number)
        self._set(number, answer)
        self._done.append((number, before, answer))
        self._undone.clear()
        self.view = JudgingState(number) if answer is None else self._at_next(number + 1)

    def undo(self) -> None:
        """Take the last step back, and go to its block; raises `CrfcleanError`."""
        self._step(self._done, self._undone, "nothing to undo", back=True)

    def redo(self) -> None:
        """Repeat the step undone last, and go to its block; raises `CrfcleanError`."""
        self._step(self._undone, self._done, "nothing to redo", back=False)

    def move(self, blocks: int) -> None:
        """Go to a block so many further on."""
        last = len(self.blocks) - 1
        self.view = JudgingState(min(max(0, self.view.block + blocks), last))

    def seek(self) -> None:
        """Go to the next block without a judgement, around the end."""
        self.view = self._at_next(self.view.block + 1)

    def help(self) -> None:
        """Show the keys."""
        self.view = JudgingState(self.view.block, helping=True)

    def leave(self) -> None:
        """End the session."""
        self.leaving = True

    def _step(self, source: list[_Step], target: list[_Step], nothing: str, *, back: bool) -> None:
        if not source:
            raise CrfcleanError(nothing)
        number, before, after = source[-1]
        self._set(number, before if back else after)
        target.append(source.pop())
        self.view = JudgingState(number)

    def _set(self, number: int, answer: bool | None) -> None:  # noqa: FBT001
        """Set and save a judgement; nothing has changed where it cannot be saved."""
        changed = {key: value for key, value in self.judgements.items() if key != number}
        if answer is not None:
            changed[number] = answer
        self._save(changed)
        self.judgements = changed

    def _at_next(self, number: int) -> JudgingState:
        """At the next block without a judgement from this one on, around the end."""
        count = len(self.blocks)
        places = ((number + step) % count for step in range(count))
        place = next((place for place in places if place not in self.judgements), None)
        return (
            JudgingState(min(number, count - 1), ALL_JUDGED)
            if place is None
            else JudgingState(place)
        )


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
"""Key -> what it does; the same keys as those of labels, where both have them."""


# judge the blocks of an audit at a terminal

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
