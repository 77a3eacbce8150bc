"""The expected score of a choice of blocks."""

from __future__ import annotations

from crfclean.decision.sums import expected_scores
from crfclean.types import Bools, Floats


def expected_f1(probability: Floats, words: Floats, keep: Bools) -> float:
    """Return the expected F1 on words of the kept blocks, in 0..1; shapes (n,), (n,) and (n,).

    >>> import numpy as np
    >>> expected_f1(np.array([0.9, 0.5]), np.array([10.0, 2.0]), np.array([True, False]))
    0.9
    """
    return expected_scores(probability, words, keep)[2]
