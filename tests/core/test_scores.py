"""Tests of the sums of weights, the bins and the marginals of the core."""

from __future__ import annotations

import numpy as np
import pytest

from crfclean.core.native import CORE
from crfclean.modelfiles.binning import Encoder
from crfclean.nn.layers import Scaling
from crfclean.taggers.crf import marginals

RNG = np.random.default_rng(31)


@pytest.mark.parametrize("features", [1, 7, 8, 9, 31, 128, 129, 200, 700])
def test_scores_are_sums_of_weights_of_neighbours(features: int) -> None:
    bins, table = RNG.integers(0, 5, (9, features)), RNG.normal(size=(3, features, 5))
    start, order = np.array([0.0, -np.inf, 0.5]), np.arange(features)
    views = tuple((distance, order, table) for distance in (-2, 0, 1, 12))
    scores = CORE.scores(bins, features, start, views)
    sums = table[:, order, bins].sum(-1).T
    expected = np.tile(start, (9, 1))
    expected[2:] += sums[:-2]
    expected += sums
    expected[:-1] += sums[1:]
    assert np.frombuffer(scores, np.float64).reshape(9, 3) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 600])
def test_a_page_is_scaled_as_in_training(count: int) -> None:
    rows = (RNG.normal(size=(40, count)) ** 4 - 1).astype(np.float32)
    scaling = Scaling(np.arange(40) % 3 == 0, RNG.normal(size=40), RNG.random(40) + 0.03)
    columns = rows.T
    assert scaling(columns).tolist() == scaling(columns.copy(order="C")).tolist()


def test_bins_are_those_of_a_search() -> None:
    edges = ((), (0.5,), (-1.0, 0.1, 0.1 + 1e-9))
    encoder = Encoder(("a", "b", "c"), edges, (0, 0, 0), ((0,),) * 3)
    columns = RNG.choice([-2.0, -1.0, 0.1, 0.5, np.inf, np.nan], (200, 3))
    singles = columns.astype(np.float32)
    expected = [np.searchsorted(edges[k], singles[:, k]).tolist() for k in range(3)]
    assert encoder.bins(columns).T.tolist() == expected
    assert encoder.bins(np.zeros((0, 3))).shape == (0, 3)
    assert Encoder((), (), (), ()).bins(np.zeros((5, 0))).shape == (5, 0)


@pytest.mark.parametrize("count", [1, 2, 7])
def test_marginals_are_shares_of_all_sequences(count: int) -> None:
    scores, steps = RNG.normal(0, 2, (count, 3)), RNG.normal(0, 2, (3, 3))
    scores[count // 2, 1] = -np.inf
    paths = np.array(np.meshgrid(*[range(3)] * count, indexing="ij")).reshape(count, -1).T
    weights = np.exp(scores[np.arange(count), paths].sum(1))
    for left, right in zip(paths.T, paths.T[1:], strict=False):
        weights *= np.exp(steps[left, right])
    expected = [[weights[row == label].sum() for label in range(3)] for row in paths.T]
    assert marginals(scores, steps) == pytest.approx(np.array(expected) / weights.sum())


def test_marginals_of_long_chains_sum_to_one() -> None:
    scores, steps = RNG.normal(0, 40, (3_000, 3)), RNG.normal(0, 9, (3, 3))
    scores[1_500::3, 1] = -np.inf
    shares = marginals(scores, steps)
    assert np.isfinite(shares).all()
    assert (shares >= 0).all()
    assert shares.sum(1) == pytest.approx(np.ones(3_000))
    assert (shares[1_500::3, 1] == 0).all()
    assert marginals(scores[:0], steps).shape == (0, 3)
