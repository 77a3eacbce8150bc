"""Tests of `tools/audit_summary.py`: known answers, coverage of intervals in simulations."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.products.tools.estimates import estimates
from crfclean.products.tools.strata import KEPT_STRATA, STRATA, draw_order
from crfclean.types import Floats

WORDS = np.array([500.0, 800.0, 5_000.0, 6_000.0, 400.0, 300.0])
MEANS = np.array([0.6, 0.85, 0.99, 0.002, 0.05, 0.2])
SHARES = np.array([0.5, 0.75, 0.95, 0.03, 0.1, 0.3])
"""What words of each stratum really belong to the text."""


def real(words: Floats, shares: Floats) -> dict[str, float]:
    correct, wanted = (words * shares)[KEPT_STRATA].sum(), (words * shares).sum()
    kept = words[KEPT_STRATA].sum()
    return {
        "precision": correct / kept,
        "recall": correct / wanted,
        "f1": 2 * correct / (kept + wanted),
    }


def test_estimates_are_weighted_by_the_words_of_strata() -> None:
    judged = np.array([10.0, 20.0, 40.0, 100.0, 10.0, 10.0])
    figures = estimates(WORDS, judged, judged * SHARES, MEANS)
    for name, value in real(WORDS, SHARES).items():
        assert figures[name].estimate == pytest.approx(value)
        assert figures[name].low < value < figures[name].high


def test_strata_without_judgements_count_as_the_model_sees_them() -> None:
    judged = np.array([0.0, 10.0, 10.0, 10.0, 10.0, 0.0])
    figures = estimates(WORDS, judged, judged * SHARES, MEANS)
    shares = np.where(judged > 0, SHARES, MEANS)
    assert figures["f1"].estimate == pytest.approx(real(WORDS, shares)["f1"])
    full = np.full(STRATA, 10.0)
    other = estimates(WORDS, full, full * SHARES, MEANS)["f1"]
    assert figures["f1"].high - figures["f1"].low > other.high - other.low


def test_measures_without_meaning_are_missing() -> None:
    judged = np.full(STRATA, 5.0)
    nothing_kept = estimates(np.where(KEPT_STRATA, 0.0, WORDS), judged, judged * SHARES, MEANS)
    assert "precision" not in nothing_kept
    assert nothing_kept["recall"].estimate == nothing_kept["f1"].estimate == 0.0
    nothing_left = estimates(np.where(KEPT_STRATA, WORDS, 0.0), judged, judged * SHARES, MEANS)
    assert nothing_left["recall"].estimate == 1.0


def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """1,000 audits: fewer than 93 % would be 2.9 standard errors below 95 %."""
    random = np.random.default_rng(7)
    sizes = np.bincount(list(draw_order(WORDS, MEANS, 50)), minlength=STRATA)
    truth, held = real(WORDS, SHARES), dict.fromkeys(("precision", "recall", "f1"), 0)
    for _ in range(1_000):
        belong = random.binomial(sizes, SHARES).astype(np.float64)
        figures = estimates(WORDS, sizes.astype(np.float64), belong, MEANS)
        for name in held:
            held[name] += figures[name].low <= truth[name] <= figures[name].high
    assert min(held.values()) >= 930
    assert held["f1"] <= 990
