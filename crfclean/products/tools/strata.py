"""The strata of an audit, and the order of their judgements."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

import numpy as np

from crfclean.types import Bools, Floats

KEPT_EDGES = (0.7, 0.95)
LEFT_OUT_EDGES = (0.01, 0.1)
"""Probabilities between the strata of kept blocks, and between those of dropped blocks."""

STRATA = len(KEPT_EDGES) + len(LEFT_OUT_EDGES) + 2
KEPT_STRATA: Bools = np.arange(STRATA) <= len(KEPT_EDGES)
"""Mask of the strata of kept blocks, shape (STRATA,)."""

_LEAST = 2  # draws of every stratum with words, so that its share does not rest on the model
_LEAST_SPREAD = 0.2  # a model may be surer than it is right: see eval/accuracy/README.md
_EXPECTED_F1 = 0.9


def stratum_of(probability: float, *, kept: bool) -> int:
    """Return the stratum of a block; an edge belongs to the stratum above it.

    >>> stratum_of(0.99, kept=True), stratum_of(0.5, kept=True), stratum_of(0.01, kept=False)
    (2, 0, 4)
    """
    if kept:
        return bisect_right(KEPT_EDGES, probability)
    return len(KEPT_EDGES) + 1 + bisect_right(LEFT_OUT_EDGES, probability)


def draw_order(words: Floats, means: Floats, count: int) -> Iterator[int]:
    """Yield the strata of `count` draws; any number of first draws is a good allocation.

    `words` (STRATA,) are the words of each stratum, `means` (STRATA,) their mean probabilities. The
    allocation is Neyman's for F1: a stratum gets draws in proportion to its words, to the expected
    standard deviation there, and to the change that a word of it makes in F1 = 2 c / (k + t)
    (linearised: 2 - F1 for kept words, F1 for others; Sawade, Landwehr, Scheffer 2010, "Active
    Estimation of F-Measures"). D'Hondt's rule orders the draws. Strata without words get none.
    """
    spread = np.sqrt(np.maximum(means * (1 - means), _LEAST_SPREAD**2))
    need = words * spread * np.where(KEPT_STRATA, 2 - _EXPECTED_F1, _EXPECTED_F1)
    if not need.sum() > 0:
        return
    drawn = np.zeros(STRATA, np.int64)
    for _ in range(count):
        wanting = (drawn < _LEAST) & (words > 0)
        stratum = int(np.argmax(np.where(wanting, np.inf, need / (drawn + 1))))
        drawn[stratum] += 1
        yield stratum
