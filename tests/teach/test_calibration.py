"""Tests of `eval/lib/calibration.py`: errors against figures worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.lib import calibration

PROBABILITY = np.array([0.05, 0.15, 0.6, 0.7, 1.0])
TRUTH = np.array([False, True, False, True, True])
WORDS = np.array([10.0, 2.0, 4.0, 4.0, 20.0])
PAGES = st.lists(
    st.tuples(st.floats(0, 1), st.booleans(), st.integers(1, 50)), min_size=1, max_size=60
)


def arrays(rows: list[tuple[float, bool, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    probability, truth, words = zip(*rows, strict=True)
    return np.array(probability), np.array(truth), np.array(words, float)


@pytest.fixture
def _two_bins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "BINS", 2)


@pytest.mark.usefixtures("_two_bins")
def test_reliability_by_hand() -> None:
    found = calibration.reliability(PROBABILITY, TRUTH, WORDS)
    assert found.predicted == pytest.approx([0.8 / 12, (2.4 + 2.8 + 20) / 28])
    assert found.observed == pytest.approx([2 / 12, 24 / 28])
    assert found.share == pytest.approx([0.3, 0.7])
    assert calibration.binned_error(found) == pytest.approx((abs(0.8 - 2) + abs(25.2 - 24)) / 40)


@pytest.mark.usefixtures("_two_bins")
def test_a_bin_has_its_lower_end_and_the_last_both() -> None:
    found = calibration.reliability(np.array([0.0, 0.5, 1.0]), np.array([True] * 3), np.ones(3))
    assert found.share == pytest.approx([1 / 3, 2 / 3])


@given(PAGES)
def test_error_is_bounded_and_not_below_that_of_one_bin(
    rows: list[tuple[float, bool, int]],
) -> None:
    probability, truth, words = arrays(rows)
    error = calibration.binned_error(calibration.reliability(probability, truth, words))
    whole = abs(np.average(probability, weights=words) - np.average(truth, weights=words))
    assert whole - 1e-9 <= error <= 1 + 1e-9
