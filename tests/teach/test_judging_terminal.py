"""Tests of `teach/terminal.py`: the lines of the screen, and keys through a pipe."""

from __future__ import annotations

from dataclasses import replace

import pytest
from auditruns import block
from prompt_toolkit.utils import get_cwidth

from crfclean.teach.terminal import JUDGING_HINTS, Judging, judging_screen

FIRST = replace(
    block(0, kept=True, probability=0.9),
    text="\x1b[31mred\x07 " + "many words " * 300,
    before="the one before",
    after="漢字の後",
    title="A title",
    url="https://a.example/1",
)


@pytest.fixture
def judging() -> Judging:
    return Judging([FIRST, block(1, kept=False, probability=0.1)], {}, lambda _: None)


def shown(judging: Judging, columns: int = 80, rows: int = 24) -> list[str]:
    return [text for _, text in judging_screen(judging, columns, rows)]


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 8), (5, 3), (1, 1)])
@pytest.mark.parametrize("keys", ["", "t", "?", "tt"])
def test_the_screen_has_its_size(judging: Judging, size: tuple[int, int], keys: str) -> None:
    for key in keys:
        judging.press(key)
    lines = shown(judging, *size)
    assert len(lines) <= size[1]
    assert max(map(get_cwidth, lines)) <= size[0]


def test_a_block_stands_between_its_neighbours(judging: Judging) -> None:
    lines = shown(judging)
    assert lines[0].startswith(" 1/2  judged 0")
    assert lines[1:5] == ["A title", "https://a.example/1", "", "the one before"]
    assert lines[5] == "?"
    assert lines[6].startswith("> ")
    assert "漢字の後" in lines
    assert lines[-2:] == list(JUDGING_HINTS)


def test_what_the_run_decided_is_not_shown(judging: Judging) -> None:
    other = Judging([replace(FIRST, kept=False, probability=0.001)], {}, lambda _: None)
    assert shown(judging)[1:] == shown(other)[1:]


def test_control_characters_never_reach_the_terminal(judging: Judging) -> None:
    assert all(line.isprintable() for line in shown(judging))
