"""What the core makes of columns is what numpy makes of them, bit by bit."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from crfclean.core import native
from crfclean.features.first_pass import Frame, first_pass_columns
from crfclean.nn.scaling import Scaling
from crfclean.taggers.crf import _sums
from eval.lib.cores import by_both

pytestmark = pytest.mark.skipif(native.CORE is None, reason="the core was not built")
RNG = np.random.default_rng(31)


@pytest.mark.parametrize("features", [1, 7, 8, 9, 31, 128, 129, 200, 700])
def test_scores_are_sums_of_weights_of_neighbours(features: int) -> None:
    bins, table = RNG.integers(0, 5, (9, features)), RNG.normal(size=(3, features, 5))
    start, order = np.array([0.0, -np.inf, 0.5]), np.arange(features)
    views = tuple((distance, order, table) for distance in (-2, 0, 1, 12))
    scores = native.CORE.scores(bins, features, start, views)
    sums, expected = _sums(table, bins), np.tile(start, (9, 1))
    expected[2:] += sums[:-2]
    expected += sums
    expected[:-1] += sums[1:]
    assert np.frombuffer(scores, np.float64).reshape(9, 3).tolist() == expected.tolist()


@pytest.mark.parametrize("count", [1, 15, 16, 17, 600])
def test_inputs_are_scaled_equally(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (RNG.normal(size=(40, count)) ** 4 - 1).astype(np.float32)
    scaling = Scaling(np.arange(40) % 3 == 0, RNG.normal(size=40), RNG.random(40) + 0.03)
    by_core = scaling(rows.T)
    monkeypatch.setattr(native, "CORE", None)
    assert by_core.tolist() == scaling(rows.T).tolist()


@pytest.mark.parametrize("count", [1, 2, 7, 9, 40, 130, 600])
def test_columns_of_a_first_pass_are_equal(count: int) -> None:
    for words in (RNG.integers(0, 40, count) / 2.0, np.zeros(count)):
        spans = np.sort(RNG.integers(0, count + 1, (4, count, 2)), axis=2)
        page = Frame(words, spans, RNG.integers(-1, 9, (3, count)))
        for probabilities in (RNG.dirichlet([0.3] * 3, count), np.eye(3)[[2] * count]):
            both = by_both(partial(first_pass_columns, page, probabilities))
            by_core, by_python = (columns.tolist() for columns in both)
            assert by_core == by_python


def test_other_sizes_are_refused() -> None:
    rows, index, moments = np.zeros((2, 3), np.float32), np.array([5], np.int32), np.ones(2)
    for call in (
        lambda: native.CORE.scaled(rows, rows[:1], index, moments, moments, 4.0),
        lambda: native.CORE.scaled(rows, rows, index[:1] * 0, moments, moments, 4.0),
        lambda: native.CORE.scaled(rows, rows[:1], index * 0, moments, np.ones(3), 4.0),
        lambda: native.CORE.scores(np.zeros((2, 2), np.int64), 3, np.zeros(3), ()),
        lambda: native.CORE.scores(np.zeros((2, 2), np.int64), 2, np.zeros(2), ()),
        lambda: native.CORE.scores(np.full((2, 2), 9), 2, np.zeros(3), ((0, [], []),)),
        lambda: native.CORE.first_pass((moments,) * 6, 0.8, 10, 100, (3, 8, 20)),
    ):
        with pytest.raises((ValueError, TypeError)):
            call()
