"""The compiled sums refuse arrays that do not belong together, and hold at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from crfclean.decision.sums import best_expected_f, torn_lists, torn_records

ONES = np.ones(3)
KEPT = np.array([True, False, True])
NODES = np.zeros(2, np.int32)


def never(start: int, end: int) -> bool:
    raise AssertionError((start, end))


@pytest.mark.parametrize("place", range(5))
def test_lists_of_different_lengths(place: int) -> None:
    arguments: list[Any] = [ONES, KEPT, KEPT, ONES, ONES]
    arguments[place] = arguments[place][:2]
    with pytest.raises(ValueError, match="different lengths"):
        torn_lists(*arguments, never)


@pytest.mark.parametrize("place", range(7))
def test_records_of_different_lengths(place: int) -> None:
    arguments: list[Any] = [ONES, KEPT, ONES, NODES, NODES, NODES, NODES]
    arguments[place] = arguments[place][:1]
    with pytest.raises(ValueError, match="different lengths"):
        torn_records(*arguments)


def test_records_outside_the_page_are_none() -> None:
    first, end = np.array([-4, 1], np.int32), np.array([2, 9], np.int32)
    assert torn_records(ONES, KEPT, ONES, first, end, NODES, NODES) == []


def test_wrong_types() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        best_expected_f(None, ONES)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        torn_lists(None, KEPT, KEPT, ONES, ONES, never)  # type: ignore[arg-type]


def test_probabilities_in_single_precision_are_taken() -> None:
    likely = np.array([0.9, 0.1, 0.8])
    alike = best_expected_f(likely.astype(np.float32), np.array([5, 5, 5]))
    assert alike.tolist() == best_expected_f(likely, ONES * 5).tolist() == [True, False, True]


def test_nothing_to_keep() -> None:
    assert best_expected_f(np.zeros(0), np.zeros(0)).tolist() == []
    assert best_expected_f(np.zeros(3), ONES).tolist() == [False] * 3
    assert torn_lists(ONES, ~KEPT & KEPT, KEPT, ONES, ONES, never) == []


def test_a_list_is_asked_for_last() -> None:
    """Of the runs between kept blocks none with links, without words, or longer than the text."""
    words = np.array([9.0, 4.0, 4.0, 9.0, 4.0, 4.0, 9.0, 50.0, 50.0, 9.0])
    kept = words == 9
    linked = np.where(np.arange(10) < 3, words, 0.0)
    asked: list[tuple[int, int]] = []

    def is_list(start: int, end: int) -> bool:
        asked.append((start, end))
        return True

    even = np.full(10, 0.5)
    assert torn_lists(words, kept, ~kept, linked, even, is_list) == [4, 5]
    assert asked == [(4, 6)]
    assert torn_lists(words, kept, ~kept, linked, np.full(10, 0.01), never) == []
