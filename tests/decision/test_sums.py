"""The compiled sums refuse arrays that do not belong together, and hold at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from htmlpages import measures_of

from crfclean.decision.sums import best_expected_f, torn_lists, torn_records

ONES = np.ones(3)
KEPT = np.array([True, False, True])
NONE = np.zeros(3, np.int32)
TABLE = measures_of("<p>a</p><ul><li>a</li></ul><p>a</p>").table


def never(start: int, end: int) -> bool:
    raise AssertionError((start, end))


@pytest.mark.parametrize("place", range(3))
def test_arrays_of_other_lengths(place: int) -> None:
    arguments: list[Any] = [KEPT, ONES, NONE]
    arguments[place] = arguments[place][:2]
    with pytest.raises(ValueError, match="different lengths"):
        torn_lists(TABLE, *arguments, never)
    if place < 2:
        with pytest.raises(ValueError, match="different lengths"):
            torn_records(TABLE, *arguments[:2])


def test_wrong_types() -> None:
    with pytest.raises(ValueError, match="different lengths"):
        best_expected_f(None, ONES)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        torn_lists(None, KEPT, ONES, NONE, never)  # type: ignore[arg-type]


def test_probabilities_in_single_precision_are_taken() -> None:
    likely = np.array([0.9, 0.1, 0.8])
    alike = best_expected_f(likely.astype(np.float32), np.array([5, 5, 5]))
    assert alike.tolist() == best_expected_f(likely, ONES * 5).tolist() == [True, False, True]


def test_nothing_to_keep() -> None:
    assert best_expected_f(np.zeros(0), np.zeros(0)).tolist() == []
    assert best_expected_f(np.zeros(3), ONES).tolist() == [False] * 3
    assert torn_lists(TABLE, ~KEPT & KEPT, ONES, NONE, never) == []


def test_a_list_is_asked_for_last() -> None:
    """Of the runs between kept blocks none with links, without words, or longer than the text."""
    words = [9, 4, 4, 9, 4, 4, 9, 50, 50, 9]
    kept = np.array(words) == 9
    texts = ["a " * count if at > 2 else f"<a>{'a ' * count}</a>" for at, count in enumerate(words)]
    table = measures_of(
        "".join(
            f"<p>{text}" if count == 9 else f"<ul><li>{text}</ul>"
            for count, text in zip(words, texts, strict=True)
        )
    ).table
    asked: list[tuple[int, int]] = []

    def is_list(start: int, end: int) -> bool:
        asked.append((start, end))
        return True

    none = np.zeros(10, np.int32)
    assert torn_lists(table, kept, np.full(10, 0.5), none, is_list) == [4, 5]
    assert asked == [(4, 6)]
    assert torn_lists(table, kept, np.full(10, 0.01), none, never) == []
    assert torn_lists(table, kept, np.full(10, 0.5), none + 1, never) == []
