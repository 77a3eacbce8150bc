"""Marginals and gold of blocks -> calibration error, reliability and precision-recall curves.

Everywhere `probability` (n,) in 0..1 says how likely a block is wanted, `truth` (n,) whether it
is, and `weights` or `words` (n,) are not negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crfclean.types import Bools, Floats

BINS = 15  # as in Guo et al. 2017


@dataclass(frozen=True)
class Reliability:
    """Bins of equal width in 0..1, from low to high; all arrays (bins,).

    `predicted` and `observed` are a bin's mean probability and its share of wanted blocks, NaN
    where it is empty; `share` is its part of the whole weight.
    """

    predicted: Floats
    observed: Floats
    share: Floats


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision and recall where blocks are kept from a threshold on; all arrays (thresholds,).

    Thresholds fall, so recall never does.
    """

    precision: Floats
    recall: Floats
    thresholds: Floats


def reliability(
    probability: Floats, truth: Bools, weights: Floats | None = None, bins: int = BINS
) -> Reliability:
    """Predicted and observed shares by bin of probability; every block weighs 1 by default.

    A bin has its lower end, the last one both. Raises `ValueError` on arrays that do not fit.

    >>> found = reliability(np.array([0.1, 0.3, 0.9]), np.array([False, True, True]), bins=2)
    >>> found.predicted.round(2).tolist(), found.observed.tolist(), found.share.round(2).tolist()
    ([0.2, 0.9], [0.5, 1.0], [0.67, 0.33])
    """
    weight = np.ones(len(probability)) if weights is None else weights
    _check(probability, truth, weight)
    places = np.minimum((probability * bins).astype(np.int64), bins - 1)
    total = np.bincount(places, weight, bins)
    filled = np.where(total > 0, total, np.nan)
    return Reliability(
        np.bincount(places, weight * probability, bins) / filled,
        np.bincount(places, weight * truth, bins) / filled,
        total / weight.sum(),
    )


def expected_calibration_error(
    probability: Floats, truth: Bools, weights: Floats | None = None, bins: int = BINS
) -> float:
    """Mean gap between predicted and observed shares of bins, by their weight; in 0..1.

    With the blocks' words as `weights` it is that of a word. ECE of Guo et al. 2017 ("On
    Calibration of Modern Neural Networks"), for the probability of one class.

    >>> expected_calibration_error(np.array([0.25, 0.25, 1.0]), np.array([False, True, True]))
    0.16666666666666666
    """
    return binned_error(reliability(probability, truth, weights, bins))


def binned_error(found: Reliability) -> float:
    """The expected calibration error of bins."""
    return float(np.nansum(found.share * np.abs(found.predicted - found.observed)))


def precision_recall_curve(
    probability: Floats, truth: Bools, words: Floats | None = None
) -> PrecisionRecall:
    """Precision and recall on words at each probability as threshold, from the highest down.

    Without `words` every block counts as one. Blocks of the same probability are kept together.
    Raises `ValueError` on arrays that do not fit, or without any wanted word.

    >>> curve = precision_recall_curve(
    ...     np.array([0.2, 0.9, 0.5]), np.array([True, True, False]), np.array([3.0, 1.0, 1.0])
    ... )
    >>> curve.precision.tolist(), curve.recall.tolist(), curve.thresholds.tolist()
    ([1.0, 0.5, 0.8], [0.25, 0.25, 1.0], [0.9, 0.5, 0.2])
    """
    weight = np.ones(len(probability)) if words is None else words
    _check(probability, truth, weight)
    counted = np.flatnonzero(weight > 0)
    order = counted[np.argsort(-probability[counted], kind="stable")]
    kept, right = np.cumsum(weight[order]), np.cumsum((weight * truth)[order])
    if not right[-1]:
        raise ValueError("no wanted words: recall has no meaning")
    sorted_probability = probability[order]
    last = np.append(np.flatnonzero(np.diff(sorted_probability)), len(order) - 1)
    return PrecisionRecall(
        right[last] / kept[last], right[last] / right[-1], sorted_probability[last]
    )


def average_precision(curve: PrecisionRecall) -> float:
    """Area under the steps of a curve: precision at each threshold by the recall it adds; 0..1."""
    return float((np.diff(curve.recall, prepend=0.0) * curve.precision).sum())


def _check(probability: Floats, truth: Bools, weight: Floats) -> None:
    if not probability.ndim == 1 or not probability.shape == truth.shape == weight.shape:
        raise ValueError(f"shapes {probability.shape}, {truth.shape}, {weight.shape} do not fit")
    if not ((probability >= 0) & (probability <= 1)).all():
        raise ValueError("probabilities must lie in 0..1")
    if not (np.isfinite(weight) & (weight >= 0)).all() or not weight.sum() > 0:
        raise ValueError("weights must not be negative, and some must be above 0")
