"""Tests of `tools/audit_summary.py`: judgements by keys, saved at once."""

from __future__ import annotations

from dataclasses import replace

import pytest
from auditruns import block

from crfclean.products.tools.judgements import Judgements
from crfclean.products.tools.judging import ask
from crfclean.types import CrfcleanError

BLOCKS = [block(number, kept=True, probability=0.9) for number in range(4)]


class Disk:
    """What is saved; saving fails when `full` judgements are saved."""

    def __init__(self, full: int = 9) -> None:
        self.saved: list[Judgements] = []
        self.full = full

    def save(self, judgements: Judgements) -> None:
        if len(self.saved) == self.full:
            self.full = 9
            raise CrfcleanError("the disk is full")
        self.saved.append(judgements)


@pytest.mark.parametrize(
    ("before", "keys", "after", "saves"),
    [
        ({}, "totq", {0: True, 1: False, 2: True}, 3),
        ({}, "tttt", {0: True, 1: True, 2: True, 3: True}, 4),
        ({0: True, 1: True, 9: False}, "oq", {0: True, 1: True, 2: False, 9: False}, 1),
        ({}, "tuoq", {0: False}, 2),
        ({}, "utuxq", {}, 2),
        ({}, "xt?q", {1: True}, 2),
    ],
    ids=["each", "all", "goes on", "corrected", "taken back", "left out"],
)
def test_keys(before: Judgements, keys: str, after: Judgements, saves: int) -> None:
    pressed, disk = iter(keys), Disk()
    assert ask(BLOCKS, before, disk.save, lambda _: next(pressed)) == after
    assert len(disk.saved) == saves
    assert disk.saved[-1] == after


def test_nothing_changes_where_nothing_can_be_saved() -> None:
    shown, keys, disk = list[str](), iter("tooq"), Disk(full=1)

    def press(text: str) -> str:
        shown.append(text)
        return next(keys)

    assert ask(BLOCKS, {}, disk.save, press) == {0: True, 1: False}
    assert ["the disk is full" in text for text in shown] == [False, False, True, False]


def test_the_question() -> None:
    """Control characters never reach the terminal; what the run decided is not shown."""
    hostile = replace(
        BLOCKS[0], text="\x1b[31mred\x07", before="before", after="漢字", title="A title", url="u"
    )
    shown = list[str]()
    for kept in (True, False):
        one = replace(hostile, kept=kept, probability=float(kept))
        ask([one], {}, print, lambda text: shown.append(text) or "q")  # type: ignore[func-returns-value]
    assert shown[0] == shown[1]
    lines = shown[0].split("\n")
    assert lines[:9] == [
        *(" 1/1  judged 0", "A title", "u", "", "before", "?"),
        *("> \\x1b[31mred\\x07", "", "漢字"),
    ]
    assert all(line.isprintable() for line in lines)
