"""Tests of `teach/tune.py`: which names get a weight, and which do not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from crfclean.teach.tune import Lesson, learn


def lesson(rows: Sequence[tuple[str, float, bool]]) -> Lesson:
    """A page from rows of names (with spaces between), log-odds and whether it is text."""
    names = [frozenset(row[0].split()) for row in rows]
    odds, is_text = np.array([row[1] for row in rows]), np.array([row[2] for row in rows])
    return Lesson(names, odds, is_text, np.ones(len(rows)))


RIGHT = [("#main .entry", 4.0, True)] * 4 + [("#menu", -4.0, False)] * 4
WRONG = [("#main .guidelines", 2.0, False), ("#main .lead", -1.0, True)]


def test_names_of_what_was_wrong_get_a_weight() -> None:
    names = dict(learn([lesson([*RIGHT, *WRONG])] * 5))
    assert names[".guidelines"] < -2.0
    assert names[".lead"] > 1.0
    assert abs(names.get("#main", 0.0)) < 0.5


def test_nothing_is_learnt_of_pages_that_were_right() -> None:
    assert learn([lesson(RIGHT)] * 8) == ()


def test_names_of_a_single_page_are_not_learnt() -> None:
    others = [lesson(RIGHT)] * 5
    assert ".rare" not in dict(learn([*others, lesson([(".rare", 3.0, False)] * 20)]))


def test_one_page_in_ten_is_too_little() -> None:
    pages = [lesson([*RIGHT, ("#main .note", 2.5, number > 0)]) for number in range(10)]
    assert learn(pages) == ()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 0, 2)])
def test_equal_pages_give_equal_weights_in_any_order(order: tuple[int, ...]) -> None:
    pages = [lesson([*RIGHT, (f"#main .guidelines .a{n}", 2.0, False)]) for n in (1, 1, 2, 2)]
    assert learn([pages[place] for place in order]) == learn(pages)


def test_names_that_are_always_together_share_a_weight() -> None:
    names = dict(learn([lesson([*RIGHT, (".box .inner", 2.0, False)] * 2)] * 5))
    assert names[".box"] == names[".inner"] < -1.0


def test_pages_without_blocks_teach_nothing() -> None:
    assert learn([Lesson([], np.zeros(0), np.zeros(0, np.bool_), np.zeros(0))] * 3) == ()
