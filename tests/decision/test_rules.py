"""Tests of `decision/rules.py`."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from crfclean.decision.rules import (
    PRECISION_TARGETS,
    CutParams,
    best_expected_f,
    choose,
    expected_f1,
    expected_target,
    log_odds,
    most_at_precision,
)


def best(probability: list[float], words: list[float]) -> list[bool]:
    return best_expected_f(np.array(probability), np.array(words)).tolist()


# The best cut


@pytest.mark.parametrize(
    ("probability", "words", "expected"),
    [
        ([], [], []),
        ([0.0], [10.0], [False]),
        ([0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [False] * 3),
        ([0.5, 0.9], [0.0, 0.0], [False, False]),
        ([1.0], [5.0], [True]),
        ([0.1], [5.0], [True]),
        ([1.0, 0.0], [5.0, 5.0], [True, False]),
        ([0.0, 1.0], [5.0, 5.0], [False, True]),
        ([0.9, 0.8, 0.1], [10.0, 10.0, 10.0], [True, True, False]),
        # S = 14.5: 2 * 10 / (10 + 14.5) = 0.82 < 2 * 14.5 / (19 + 14.5) = 0.87
        ([1.0, 0.5], [10.0, 9.0], [True, True]),
        # S = 13: 2 * 10 / (10 + 13) = 0.87 > 2 * 13 / (20 + 13) = 0.79
        ([1.0, 0.3], [10.0, 10.0], [True, False]),
        ([0.2, 0.9, 0.2], [1.0, 50.0, 1.0], [False, True, False]),
        ([0.9, 0.9, 0.0], [3.0, 0.0, 3.0], [True, False, False]),
        ([0.8, 0.9, 0.0], [3.0, 0.0, 3.0], [True, True, False]),
    ],
)
def test_best_cut(probability: list[float], words: list[float], expected: list[bool]) -> None:
    assert best(probability, words) == expected


def test_ties_go_to_the_shorter_cut() -> None:
    assert best([1.0, 0.0, 0.0], [1.0, 0.0, 0.0]) == [True, False, False]
    # 2 * 1 / (1 + 1.5) = 0.8 = 2 * 1.5 / (2.25 + 1.5): an exact tie
    assert best([1.0, 0.4], [1.0, 1.25]) == [True, False]


# The most at a precision


def most(probability: list[float], words: list[float], precision: float) -> list[bool]:
    return most_at_precision(np.array(probability), np.array(words), precision).tolist()


@pytest.mark.parametrize(
    ("probability", "words", "precision", "expected"),
    [
        ([], [], 0.9, []),
        ([0.95], [5.0], 0.9, [True]),
        ([0.85], [5.0], 0.9, [False]),
        ([0.9], [5.0], 0.9, [True]),
        ([0.9] * 5, [3.0, 7.0, 0.5, 11.0, 1.0], 0.9, [True] * 5),
        ([0.0], [5.0], 0.0, [True]),
        ([0.0], [5.0], 0.01, [False]),
        ([1.0, 1.0 - 1e-9], [5.0, 5.0], 1.0, [True, False]),
        ([0.0, 0.0], [5.0, 2.0], 0.9, [False, False]),
        # 10 / 10, then 18 / 20 = 0.9, then 18.4 / 20.5 = 0.898
        ([0.8, 1.0, 0.8], [10.0, 10.0, 0.5], 0.9, [True, True, False]),
        ([0.8, 1.0], [10.5, 10.0], 0.9, [False, True]),
        # 50 / 50, then 50.2 / 51 = 0.98: a few unsure words are outweighed
        ([0.2, 1.0], [1.0, 50.0], 0.9, [True, True]),
        # the likeliest block is too unsure, so that all are
        ([0.8, 0.7, 0.6], [1.0, 50.0, 9.0], 0.9, [False] * 3),
    ],
)
def test_most_at_a_precision(
    *, probability: list[float], words: list[float], precision: float, expected: list[bool]
) -> None:
    assert most(probability, words, precision) == expected


@pytest.mark.parametrize(
    ("probability", "words", "expected"),
    [
        ([0.99, 0.95], [0.0, 0.0], [False, False]),
        ([0.1, 0.0], [0.0, 5.0], [False, False]),
        ([0.95, 0.1], [10.0, 0.0], [True, False]),
        ([0.1, 0.95, 0.94], [0.0, 10.0, 0.0], [False, True, False]),
        ([0.99, 0.1, 0.95], [0.0, 0.0, 10.0], [True, False, True]),
        ([0.99, 0.85], [0.0, 10.0], [False, False]),
        ([1.0, 0.5, 0.4], [50.0, 0.0, 1.0], [True, True, True]),
    ],
)
def test_blocks_without_words_follow_those_with(
    probability: list[float], words: list[float], expected: list[bool]
) -> None:
    with np.errstate(all="raise"):
        assert most(probability, words, 0.9) == expected


def test_targets_are_those_that_were_fitted(root: Path) -> None:
    """The table of the code is that of the result, as far as collections reach a precision."""
    result = json.loads((root / "eval/results/accuracy/precision.json").read_text("utf-8"))
    fitted = {float(asked): target for asked, target in result["targets"].items()}
    assert {asked: expected_target(asked) for asked in fitted} == pytest.approx(fitted)
    assert {asked for asked, _ in PRECISION_TARGETS} - {0.0} <= fitted.keys()


# The score


@pytest.mark.parametrize(
    ("probability", "words", "keep", "expected"),
    [
        ([], [], [], 0.0),
        ([0.9], [5.0], [False], 0.0),
        ([0.9], [0.0], [True], 0.0),
        ([0.0], [5.0], [True], 0.0),
        ([1.0], [5.0], [True], 1.0),
        ([1.0, 0.0], [5.0, 9.0], [True, False], 1.0),
        ([1.0, 1.0], [5.0, 5.0], [True, False], 2 * 5 / (5 + 10)),
        ([1.0, 0.0], [5.0, 5.0], [True, True], 2 * 5 / (10 + 5)),
        ([0.9, 0.5, 0.2], [10.0, 4.0, 5.0], [True, True, False], 2 * 11 / (14 + 12)),
        ([0.9, 0.5, 0.2], [10.0, 4.0, 5.0], [False, False, True], 2 * 1 / (5 + 12)),
    ],
)
def test_expected_f1(
    *, probability: list[float], words: list[float], keep: list[bool], expected: float
) -> None:
    with np.errstate(all="raise"):
        found = expected_f1(np.array(probability), np.array(words), np.array(keep, np.bool_))
    assert type(found) is float
    assert found == pytest.approx(expected)


# The rules


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (0.0, [True, True, True, True]),
        (0.25, [False, True, True, True]),
        (0.51, [False, False, False, True]),
        (1.0, [False, False, False, True]),
        (1.1, [False, False, False, False]),
    ],
)
def test_threshold_is_inclusive(threshold: float, expected: list[bool]) -> None:
    probability, words = np.array([0.0, 0.25, 0.5, 1.0]), np.array([0.0, 1e6, 0.0, 1.0])
    assert choose(probability, words, CutParams("threshold", threshold)).tolist() == expected


@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.3, 0.5, 1.0])
def test_log_odds_are_finite_and_rise(probability: float) -> None:
    odds = float(log_odds(np.array(probability)))
    assert math.isfinite(odds)
    assert (odds > 0) == (probability > 0.5)
    if 0.1 < probability < 0.9:
        assert 1 / (1 + math.exp(-odds)) == pytest.approx(probability)
