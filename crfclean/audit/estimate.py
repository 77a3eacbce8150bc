"""Estimate precision, recall and F1 by words from judged draws, with intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from crfclean.audit.sample import KEPT
from crfclean.types import Floats

_MODEL_DRAWS = 1.0  # with it intervals of few draws hold the truth as often as they should
_RUN_DRAWS = 2.0  # what the run says of a group weighs as much as two judgements in each stratum
_LEAST_AGAINST: Floats = np.where(KEPT, 0.1, 0.05)  # of an added draw, against the model's opinion
_QUANTILE = 1.959964  # of the normal distribution, for 95 %
_NAMES = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its 95 % interval, all in 0..1."""

    estimate: float
    low: float
    high: float


Estimates = Mapping[str, Interval]
"""`precision`, `recall` and `f1`; one that has no meaning is missing."""


def estimates(words: Floats, judged: Floats, belong: Floats, means: Floats) -> Estimates:
    """The estimates of a whole run; all arrays (STRATA,).

    Of the `words` of each stratum so many draws were `judged`, and of these so many `belong` to
    the text; `means` are the mean probabilities. A draw is a random word of its stratum, so the
    share of draws that belong is an unbiased estimate of the share of words (Hansen and Hurwitz
    1943, sampling in proportion to size with replacement), and with the known numbers of words c
    correct ones of k kept and t belonging are estimated: P = c / k, R = c / t, F1 = 2 c / (k + t).

    The interval is Wilson's (1927) for as many independent draws as give the variance of the
    linearised ratio (Saerndal, Swensson, Wretman 1992, 5.5; Korn and Graubard 1998 on effective
    sizes), around shares with one draw added in each stratum that the model answers, never as good
    as certain (after Agresti and Coull 1998): without it, a stratum where all judgements are equal
    would seem to be known. A stratum without a judgement counts as the model sees it.
    """
    prior = _doubted(means)
    shares = np.where(judged > 0, belong / np.maximum(judged, 1), prior)
    centre = _smoothed(judged, belong, prior, _MODEL_DRAWS)
    return _with_intervals(words, judged, centre, shares)


def group_estimates(words: Floats, judged: Floats, belong: Floats, shares: Floats) -> Estimates:
    """The estimates of a part of the run, as `estimates`, from few judgements or from none.

    `shares` (STRATA,) are those of the whole run. Two draws of them are added to those of the
    group in each stratum: a composite estimate of a small area (Rao and Molina 2015, ch. 5). One
    without judgements is what its words in each stratum would give anywhere in the run.
    """
    composite = _smoothed(judged, belong, shares, _RUN_DRAWS)
    centre = _smoothed(judged, belong, _doubted(shares), _RUN_DRAWS)
    return _with_intervals(words, judged, centre, composite)


def overall_shares(judged: Floats, belong: Floats, means: Floats) -> Floats:
    """The shares of a whole run's strata, which its groups lean on."""
    return _smoothed(judged, belong, _doubted(means), _MODEL_DRAWS)


def _smoothed(judged: Floats, belong: Floats, prior: Floats, draws: float) -> Floats:
    """The share of words in each stratum that belong, with some draws of a prior share added."""
    shares: Floats = (belong + draws * prior) / (judged + draws)
    return shares


def _doubted(shares: Floats) -> Floats:
    """Shares that are nowhere as good as certain: models are surer than they are right."""
    return np.clip(shares, _LEAST_AGAINST, 1 - _LEAST_AGAINST)


def _with_intervals(
    words: Floats, judged: Floats, centre: Floats, shares: Floats
) -> dict[str, Interval]:
    """Intervals around the measures of `centre`, estimates of `shares`."""
    middles, points = _measures(words, centre), _measures(words, shares)
    variances = centre * (1 - centre) / np.maximum(judged, 1)
    result = {}
    for name, gradient in zip(_NAMES, _gradients(words, centre, middles), strict=True):
        point, middle = points[name], middles[name]
        if not (np.isfinite(point) and np.isfinite(middle)):
            continue
        error = float(np.sqrt((gradient**2 * variances).sum()))
        low, high = _wilson_interval(middle, error)
        result[name] = Interval(point, min(low, point), max(high, point))
    return result


def _measures(words: Floats, shares: Floats) -> dict[str, float]:
    """Precision, recall and F1 if these shares of the strata's words belong; NaN for 0 / 0."""
    kept = float(words[KEPT].sum())
    correct = float((words * shares)[KEPT].sum())
    belonging = float((words * shares).sum())
    tops = correct, correct, 2 * correct
    bottoms = kept, belonging, kept + belonging
    pairs = zip(_NAMES, tops, bottoms, strict=True)
    return {name: top / bottom if bottom else float("nan") for name, top, bottom in pairs}


def _gradients(words: Floats, shares: Floats, measures: Mapping[str, float]) -> list[Floats]:
    """The derivatives of the measures by the shares, each (STRATA,)."""
    kept, belonging = float(words[KEPT].sum()) or 1.0, float((words * shares).sum()) or 1.0
    recall, f1 = measures["recall"], measures["f1"]
    return [
        np.where(KEPT, words, 0.0) / kept,
        words * (KEPT - recall) / belonging,
        words * (2.0 * KEPT - f1) / (kept + belonging),
    ]


def _wilson_interval(middle: float, error: float) -> tuple[float, float]:
    """Wilson's interval of a share with a standard error, in 0..1."""
    middle = min(max(middle, 1e-4), 1 - 1e-4)
    added = _QUANTILE**2 * error**2 / (middle * (1 - middle))  # by the effective number of draws
    centre = (middle + added / 2) / (1 + added)
    half = _QUANTILE * np.sqrt(error**2 + (added / (2 * _QUANTILE)) ** 2) / (1 + added)
    return max(0.0, float(centre - half)), min(1.0, float(centre + half))
