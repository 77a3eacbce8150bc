"""Inference in a linear chain of three labels: marginals and the best sequence."""

from __future__ import annotations

import numpy as np

from crfclean.core.native import CORE
from crfclean.types import Floats, Ints


def marginals(scores: Floats, transitions: Floats) -> Floats:
    """Marginals by forward-backward (Rabiner 1989, scaled at every step), shape (n, 3).

    `scores` (n, 3) are the labels' log factors (emissions), `transitions` (3, 3) those of the step
    from the row's label to the column's; -inf bars a label.
    """
    if not len(scores):
        return np.zeros((0, 3))
    factors = np.exp(scores - np.maximum.reduce(scores, axis=1, keepdims=True))
    by_core = CORE.marginals(factors, np.exp(transitions))
    return np.frombuffer(by_core, np.float64).reshape(-1, 3)


def viterbi(scores: Floats, transitions: Floats) -> Ints:
    """The most probable label sequence (Viterbi 1967), shape (n,); ties go to the lower label."""
    if not len(scores):
        return np.zeros(0, np.int32)
    best, steps = scores[0].tolist(), transitions.T.tolist()
    pointers = []
    for row in scores[1:].tolist():
        totals = [[value + step for value, step in zip(best, into, strict=True)] for into in steps]
        previous = [values.index(max(values)) for values in totals]
        best = [totals[label][previous[label]] + row[label] for label in range(3)]
        pointers.append(previous)
    path = [best.index(max(best))]
    for previous in reversed(pointers):
        path.append(previous[path[-1]])
    return np.array(path[::-1], np.int32)
