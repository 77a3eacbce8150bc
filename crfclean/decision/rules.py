"""Choose blocks by their probabilities: the rules, and what to expect of a choice.

Levels are nested texts of a page: a stricter and a more generous one beside the one that is kept.
Each keeps what maximises an expected F measure (van Rijsbergen 1979): with a beta below 1 precision
counts more, with one above 1 recall.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from crfclean.decision.params import CutParams
from crfclean.decision.sums import best_expected_f
from crfclean.types import Bools, Floats, Tags

BELOW_PRECISION = "below-precision"
"""Status of a page without a choice of blocks that has the precision that was asked for."""

PRECISION_TARGETS = (
    (0.0, 0.0),
    (0.5, 0.5),
    (0.6, 0.62),
    (0.7, 0.76),
    (0.8, 0.88),
    (0.85, 0.915),
    (0.9, 0.965),
    (0.95, 0.9965),
)
"""Precision that is asked for -> expected precision that reaches it on pages of new collections.

The model's probabilities are too high on pages unlike those that it was trained on. With these
targets the mean precision over five collections, less one standard deviation among them, is
what is asked for (eval/accuracy/precision.py, eval/results/accuracy/precision.json).
"""

BALANCED = "balanced"
LEVELS: Mapping[str, float] = MappingProxyType({"strict": 0.5, BALANCED: 1.0, "generous": 2.0})
"""Level -> its beta, strictest first; the balanced one is what the decision rule keeps."""


def log_odds(probabilities: Floats) -> Floats:
    """The log-odds of probabilities, bounded; the same shape."""
    safe = np.clip(probabilities, 1e-9, 1 - 1e-9)
    odds: Floats = np.log(safe / (1.0 - safe))
    return odds


def choose(probability: Floats, words: Floats, params: CutParams) -> Bools:
    """The blocks (n,) that a rule keeps, by their probabilities of being text and words (n,)."""
    if params.rule == "threshold":
        return probability >= params.threshold
    if params.rule == "precision":
        return most_at_precision(probability, words, expected_target(params.precision))
    return best_expected_f(probability, words)


def most_at_precision(probability: Floats, words: Floats, precision: float) -> Bools:
    """The most blocks, taken in order of probability, with S_k / W_k at least `precision`.

    S_k and W_k are those of `sums.best_expected_f`; their ratio falls with k, so the last k that
    satisfies the bound is the largest. S_k >= precision * W_k is tested as a sum of differences, so
    that blocks of exactly this probability are kept in spite of rounding. A block without words is
    kept only if a less probable one with words is. Shapes (n,) and (n,) -> (n,).

    >>> most_at_precision(np.array([0.6, 1.0, 0.9]), np.array([5.0, 10.0, 10.0]), 0.9).tolist()
    [False, True, True]
    """
    order = np.argsort(-probability, kind="stable")
    sizes = words[order]
    spare = np.cumsum((probability[order] - precision) * sizes)
    ends = np.flatnonzero((spare >= 0) & (sizes > 0))
    keep = np.zeros(len(words), np.bool_)
    keep[order[: ends[-1] + 1 if len(ends) else 0]] = True
    return keep


def expected_target(precision: float) -> float:
    """The expected precision to aim at, so that pages have this precision; both 0..1.

    Between the entries of `PRECISION_TARGETS` it is interpolated. Beyond the last one nothing but
    certainty is enough: no expected precision reached more on the collections.

    >>> [round(expected_target(precision), 4) for precision in (0.0, 0.85, 0.9, 0.99)]
    [0.0, 0.915, 0.965, 1.0]
    """
    asked, used = zip(*PRECISION_TARGETS, strict=True)
    return float(np.interp(precision, asked, used, right=1.0))


def expected_f1(probability: Floats, words: Floats, keep: Bools) -> float:
    """Expected F1 on words of the kept blocks: 2 S_kept / (W_kept + S_all), in 0..1.

    S is the sum of probability * words, W that of words (see `sums.best_expected_f`); 0 if
    nothing is kept. Shapes (n,), (n,) and (n,).

    >>> expected_f1(np.array([0.9, 0.5]), np.array([10.0, 2.0]), np.array([True, False]))
    0.9
    """
    right = probability * words
    total = float((words * keep).sum() + right.sum())
    return 2.0 * float((right * keep).sum()) / total if total > 0 else 0.0


def expected_precision(probability: Floats, words: Floats, keep: Bools) -> float:
    """Expected precision on words of the kept blocks, S_kept / W_kept, in 0..1; 0 for none.

    >>> expected_precision(np.array([0.9, 0.5]), np.array([10.0, 10.0]), np.array([True, True]))
    0.7
    """
    kept = float((words * keep).sum())
    return float((probability * words * keep).sum()) / kept if kept > 0 else 0.0


def expected_recall(probability: Floats, words: Floats, keep: Bools) -> float:
    """Expected recall on words of the kept blocks, S_kept / S_all, in 0..1; 0 without any words.

    >>> expected_recall(np.array([0.75, 0.25]), np.array([8.0, 8.0]), np.array([True, False]))
    0.75
    """
    right = probability * words
    total = float(right.sum())
    return float((right * keep).sum()) / total if total > 0 else 0.0


def kept_at(level: str, tags: Tags, words: Floats, comments: Bools) -> Bools:
    """The blocks (n,) of a level, from the words (n,) of blocks and which are comments (n,).

    The sets of blocks are nested, strict in balanced in generous. Comments are in the generous text
    only if the balanced one has some.
    """
    if level == BALANCED:
        return tags.kept
    chosen = best_expected_f(tags.probabilities, words, LEVELS[level])
    if LEVELS[level] < 1:
        return tags.kept & chosen
    has_comments = bool((comments & tags.kept).any())
    return tags.kept | (chosen & (~comments | has_comments))
