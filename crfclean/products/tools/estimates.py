"""Estimate precision, recall and F1 by words from judged draws, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crfclean.products.tools.strata import KEPT_STRATA
from crfclean.types import Floats

MODEL_DRAWS = 1.0  # so that intervals of few draws hold the truth as often as they should
_RUN_DRAWS = 2.0  # judgements in each stratum that the shares of the run count for in a group
_LEAST_AGAINST: Floats = np.where(KEPT_STRATA, 0.1, 0.05)
"""Share of an added draw against the model."""
_QUANTILE = 1.959964  # of the normal distribution, for 95 %
NAMES = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval, all in 0..1."""

    estimate: float
    low: float
    high: float


Estimates = Mapping[str, Interval]
"""`precision`, `recall` and `f1`; an undefined one is missing."""


def estimates(words: Floats, judged: Floats, belong: Floats, means: Floats) -> Estimates:
    """Estimate the measures of a whole run; all arrays (STRATA,).

    Each stratum has `words`, with mean probabilities `means`. Of its draws, `judged` were judged,
    and `belong` of these belong to the text. A draw is a random word of its stratum, so the share
    of draws that belong is an unbiased estimate of the share of words (Hansen and Hurwitz 1943,
    sampling in proportion to size with replacement). With c correct of k kept and t belonging
    words: P = c / k, R = c / t, F1 = 2 c / (k + t).

    The interval is Wilson's (1927) for as many independent draws as give the variance of the
    linearised ratio (Saerndal, Swensson, Wretman 1992, 5.5; Korn and Graubard 1998 on effective
    sizes). To the shares, one draw is added in each stratum, which the model answers, but never
    with certainty (after Agresti and Coull 1998): otherwise a stratum of equal judgements would
    seem to be known. A stratum without a judgement has the share that the model expects.
    """
    prior = doubted(means)
    shares = np.where(judged > 0, belong / np.maximum(judged, 1), prior)
    centre = smoothed(judged, belong, prior, MODEL_DRAWS)
    return _with_intervals(words, judged, centre, shares)


def group_estimates(words: Floats, judged: Floats, belong: Floats, shares: Floats) -> Estimates:
    """Estimate the measures of a group of the run, as `estimates` does, from few judgements.

    `shares` (STRATA,) are those of the whole run; they count as two draws in each stratum: a
    composite estimate of a small area (Rao and Molina 2015, ch. 5). A group without judgements has
    the shares of the run.
    """
    composite = smoothed(judged, belong, shares, _RUN_DRAWS)
    centre = smoothed(judged, belong, doubted(shares), _RUN_DRAWS)
    return _with_intervals(words, judged, centre, composite)


def smoothed(judged: Floats, belong: Floats, prior: Floats, draws: float) -> Floats:
    """Return the share of words that belong in each stratum, with draws of a prior added."""
    shares: Floats = (belong + draws * prior) / (judged + draws)
    return shares


def doubted(shares: Floats) -> Floats:
    """Bound shares away from 0 and 1: models are surer than they are right."""
    return np.clip(shares, _LEAST_AGAINST, 1 - _LEAST_AGAINST)


def _with_intervals(
    words: Floats, judged: Floats, centre: Floats, shares: Floats
) -> dict[str, Interval]:
    """Return the estimates by `shares`, with intervals around the measures by `centre`."""
    middles, points = _measures(words, centre), _measures(words, shares)
    variances = centre * (1 - centre) / np.maximum(judged, 1)
    result = {}
    for name, gradient in zip(NAMES, _gradients(words, centre, middles), strict=True):
        point, middle = points[name], middles[name]
        if not (np.isfinite(point) and np.isfinite(middle)):
            continue
        error = float(np.sqrt((gradient**2 * variances).sum()))
        low, high = _wilson_interval(middle, error)
        result[name] = Interval(point, min(low, point), max(high, point))
    return result


def _measures(words: Floats, shares: Floats) -> dict[str, float]:
    """Return precision, recall and F1 if these shares of words belong; NaN for 0 / 0."""
    kept = float(words[KEPT_STRATA].sum())
    correct = float((words * shares)[KEPT_STRATA].sum())
    belonging = float((words * shares).sum())
    tops = correct, correct, 2 * correct
    bottoms = kept, belonging, kept + belonging
    pairs = zip(NAMES, tops, bottoms, strict=True)
    return {name: top / bottom if bottom else float("nan") for name, top, bottom in pairs}


def _gradients(words: Floats, shares: Floats, measures: Mapping[str, float]) -> list[Floats]:
    """The derivatives of the measures by the shares, each (STRATA,)."""
    kept, belonging = float(words[KEPT_STRATA].sum()) or 1.0, float((words * shares).sum()) or 1.0
    recall, f1 = measures["recall"], measures["f1"]
    return [
        np.where(KEPT_STRATA, words, 0.0) / kept,
        words * (KEPT_STRATA - recall) / belonging,
        words * (2.0 * KEPT_STRATA - f1) / (kept + belonging),
    ]


def _wilson_interval(middle: float, error: float) -> tuple[float, float]:
    middle = min(max(middle, 1e-4), 1 - 1e-4)
    added = _QUANTILE**2 * error**2 / (middle * (1 - middle))  # by the effective number of draws
    centre = (middle + added / 2) / (1 + added)
    half = _QUANTILE * np.sqrt(error**2 + (added / (2 * _QUANTILE)) ** 2) / (1 + added)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))
