"""Choose blocks by their probabilities, by one of the rules or at a level."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.decision.sums import best_expected_f
from crfclean.types import Bools, Floats, Tags

# Levels are nested texts of a page: a stricter and a more generous text besides the usual one. Each
# maximises an expected F measure (van Rijsbergen 1979): below a beta of 1 precision counts more,
# above it recall.

BELOW_PRECISION = "below-precision"
"""Status of a page on which no choice of blocks reaches the target precision."""

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
"""Target precision -> expected precision that reaches it on pages of new collections.

The model's probabilities are too high on pages unlike its training pages. With these values, the
mean precision over five collections, less their standard deviation, equals the target
(eval/accuracy/precision.py, eval/results/accuracy/precision.json).
"""

BALANCED = "balanced"
LEVELS: Mapping[str, float] = MappingProxyType({"strict": 0.5, BALANCED: 1.0, "generous": 2.0})
"""Level -> its beta, strictest first; the balanced level is the choice of the decision rule."""


def log_odds(probabilities: Floats) -> Floats:
    """The log-odds of probabilities, bounded; the same shape."""
    safe = np.clip(probabilities, 1e-9, 1 - 1e-9)
    odds: Floats = np.log(safe / (1.0 - safe))
    return odds


def choose_blocks(probability: Floats, words: Floats, params: CutParams) -> Bools:
    """Choose the blocks (n,) that a rule keeps, by their probabilities and words, (n,) each."""
    if params.rule == "threshold":
        return probability >= params.threshold
    if params.rule == "precision":
        return most_at_precision(probability, words, expected_target(params.precision))
    return best_expected_f(probability, words)


def most_at_precision(probability: Floats, words: Floats, precision: float) -> Bools:
    """Choose as many blocks, in order of probability, as keep S_k / W_k at `precision` or above.

    S_k and W_k are defined in `sums.best_expected_f`. Their ratio falls with k, so the last k that
    satisfies the bound is the largest. S_k >= precision * W_k is tested as a sum of differences, so
    that rounding loses no blocks of exactly this probability. A block without words is kept only if
    a less probable block with words is kept. Shapes (n,) and (n,) -> (n,).

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
    """Return the expected precision at which pages reach a target precision; both 0..1.

    It is interpolated between the entries of `PRECISION_TARGETS`, and 1 beyond the last entry: no
    lower expected precision reached such a target on the collections.

    >>> [round(expected_target(precision), 4) for precision in (0.0, 0.85, 0.9, 0.99)]
    [0.0, 0.915, 0.965, 1.0]
    """
    asked, used = zip(*PRECISION_TARGETS, strict=True)
    return float(np.interp(precision, asked, used, right=1.0))


def kept_at(level: str, tags: Tags, words: Floats, comments: Bools) -> Bools:
    """Choose the blocks (n,) of a level, from their words (n,) and a mask of comments (n,).

    The levels are nested: strict in balanced in generous. The generous text has comments only if
    the balanced text has some.
    """
    if level == BALANCED:
        return tags.kept
    chosen = best_expected_f(tags.probabilities, words, LEVELS[level])
    if LEVELS[level] < 1:
        return tags.kept & chosen
    has_comments = bool((comments & tags.kept).any())
    return tags.kept | (chosen & (~comments | has_comments))
