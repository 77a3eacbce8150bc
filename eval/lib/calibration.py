"""How well probabilities are calibrated.

`probability` (n,) in 0..1 is that of a block being gold, `truth` (n,) says whether it is, and
`weights` (n,) are not negative.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from crfclean.types import Bools, Floats

BINS = 15  # as in Guo et al. 2017


@dataclass(frozen=True)
class Reliability:
    """Bins of equal width in 0..1, from low to high; all arrays (bins,).

    `predicted` and `observed` are a bin's mean probability and its share of gold blocks, NaN
    where it is empty; `share` is its part of the total weight.
    """

    predicted: Floats
    observed: Floats
    share: Floats


def reliability(probability: Floats, truth: Bools, weights: Floats) -> Reliability:
    """Predicted and observed shares by bin of probability.

    A bin includes its lower edge, the last one both.
    """
    places = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    total = np.bincount(places, weights, BINS)
    filled = np.where(total > 0, total, np.nan)
    return Reliability(
        np.bincount(places, weights * probability, BINS) / filled,
        np.bincount(places, weights * truth, BINS) / filled,
        total / weights.sum(),
    )


def binned_error(bins: Reliability) -> float:
    """The expected calibration error (ECE): the mean gap of the bins, weighted by share; in 0..1.

    Guo et al. 2017 ("On Calibration of Modern Neural Networks"), for the probability of one class.

    >>> bins = reliability(np.array([0.25, 0.25, 1.0]), np.array([False, True, True]), np.ones(3))
    >>> binned_error(bins)
    0.16666666666666666
    """
    return float(np.nansum(bins.share * np.abs(bins.predicted - bins.observed)))
