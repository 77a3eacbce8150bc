"""Tests of `teach/audit.py`: where blocks belong, and the order of draws."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.teach.audit import KEPT, STRATA, draw_order, stratum_of

MEANS = np.array([0.6, 0.85, 0.99, 0.001, 0.05, 0.2])


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("probability", [0.0, 0.01, 0.1, 0.5, 0.7, 0.95, 1.0])
def test_strata_keep_the_decision_apart(probability: float, *, kept: bool) -> None:
    stratum = stratum_of(probability, kept=kept)
    assert 0 <= stratum < STRATA
    assert KEPT[stratum] == kept


def test_every_beginning_is_an_allocation_by_need() -> None:
    words = np.array([100.0, 100.0, 1_000.0, 4_000.0, 100.0, 100.0])
    order = list(draw_order(words, MEANS, 200))
    assert list(draw_order(words, MEANS, 50)) == order[:50]
    counts = np.bincount(order, minlength=STRATA)
    assert counts.sum() == 200
    assert counts[3] > counts[2] > counts[0] > 2


def test_every_stratum_with_words_is_looked_at() -> None:
    words = np.array([1.0, 0.0, 1e9, 1e9, 1.0, 1.0])
    counts = np.bincount(list(draw_order(words, MEANS, 10)), minlength=STRATA)
    assert counts.tolist() == [2, 0, 2, 2, 2, 2]
