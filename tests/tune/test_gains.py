"""Tests of `tune/pages.py`: which gains on held-out pages count."""

from __future__ import annotations

import pytest

from crfclean.tune.pages import holds, pays


@pytest.mark.parametrize(
    ("new", "old", "it_pays"),
    [
        ([0.9] * 5, [0.8] * 5, True),
        ([0.9] * 5, [0.892] * 5, False),
        ([1.0, 0.5, 0.5, 0.5], [0.5] * 4, False),
        ([0.8] * 5, [0.9] * 5, False),
        ([1.0], [0.0], False),
    ],
)
def test_an_adaptation_must_help_on_most_pages(
    new: list[float], old: list[float], *, it_pays: bool
) -> None:
    assert pays(new, old, 0.01, 1.0) is it_pays


@pytest.mark.parametrize(
    ("new", "old", "it_holds"),
    [
        ([0.9] * 5, [0.9] * 5, True),
        ([0.95] * 5, [0.9] * 5, True),
        ([0.899] * 5, [0.9] * 5, True),
        ([0.89] * 5, [0.9] * 5, False),
        ([0.9, 0.9, 0.9, 0.8], [0.9] * 4, False),
        ([1.0, 0.8, 1.0, 0.8], [0.9] * 4, False),
    ],
)
def test_a_convention_must_not_lose_beyond_chance(
    new: list[float], old: list[float], *, it_holds: bool
) -> None:
    assert holds(new, old) is it_holds
