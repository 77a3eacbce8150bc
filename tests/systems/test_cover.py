"""Tests of whether a page shows a carried text."""

from __future__ import annotations

import pytest

from crfclean.systems.carried import is_shown

TEXT = "The miller opened the sluice before the sun had reached the wheel. Then he went to bed."


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        ([TEXT], True),
        (["Menu", TEXT.upper().replace(" ", "  ")], True),
        ([TEXT[:66]], True),
        ([TEXT[:30]], False),
        (sorted(TEXT.split()), False),
        ([], False),
    ],
)
def test_cover(shown: list[str], *, expected: bool) -> None:
    assert is_shown([TEXT], shown) is expected


def test_ideographs_are_words() -> None:
    assert is_shown(["磨坊主打开了水闸"], ["新闻：磨坊主打开了水闸，太阳还没升起。"])
    assert not is_shown(["磨坊主打开了水闸"], ["太阳还没升起。"])
