"""Tests of `teach/terminal.py`: keys, undo, and judgements that are saved at once."""

from __future__ import annotations

import pytest
from auditruns import block

from crfclean.teach.audit_summary import Judgements
from crfclean.teach.terminal import ALL_JUDGED, Judging
from crfclean.types import CrfcleanError

BLOCKS = [block(number, kept=True, probability=0.9) for number in range(4)]


class Disk:
    """What is saved, and whether saving fails."""

    def __init__(self) -> None:
        self.judgements: Judgements = {}
        self.is_full = False

    def save(self, judgements: Judgements) -> None:
        if self.is_full:
            raise CrfcleanError("the disk is full")
        self.judgements = dict(judgements)


@pytest.fixture
def disk() -> Disk:
    return Disk()


@pytest.fixture
def judging(disk: Disk) -> Judging:
    return Judging(BLOCKS, {}, disk.save)


def press(judging: Judging, keys: str) -> Judging:
    for key in keys:
        judging.press(key)
    return judging


def test_a_key_judges_saves_and_goes_on(judging: Judging, disk: Disk) -> None:
    press(judging, "to")
    assert judging.judgements == disk.judgements == {0: True, 1: False}
    assert (judging.view.block, judging.judged) == (2, 2)
    press(judging, "tt")
    assert judging.view.message == ALL_JUDGED
    for move, at in ((-9, 0), (1, 1), (99, len(BLOCKS) - 1)):
        judging.move(move)
        assert judging.view.block == at


def test_a_session_goes_on_where_the_last_one_stopped(disk: Disk) -> None:
    judging = Judging(BLOCKS, {0: True, 1: True, 9: False}, disk.save)
    assert (judging.view.block, judging.judged) == (2, 2)
    press(judging, "o")
    assert disk.judgements == {0: True, 1: True, 2: False, 9: False}


def test_undo_and_redo(judging: Judging, disk: Disk) -> None:
    press(judging, "tou")
    assert (disk.judgements, judging.view.block) == ({0: True}, 1)
    press(judging, "u")
    assert disk.judgements == {}
    press(judging, "yy")
    assert disk.judgements == {0: True, 1: False}
    press(judging, "y")
    assert judging.view.message == "nothing to redo"
    press(judging, "uuu")
    assert judging.view.message == "nothing to undo"
    press(judging, "oy")
    assert judging.view.message == "nothing to redo"


def test_nothing_changes_where_nothing_can_be_saved(judging: Judging, disk: Disk) -> None:
    press(judging, "t")
    disk.is_full = True
    for key in "ou":
        judging.press(key)
        assert judging.view.message == "the disk is full"
    assert judging.judgements == disk.judgements == {0: True}
    disk.is_full = False
    assert press(judging, "u").judgements == {}
