"""Inference in a linear chain of three labels: marginals and the best sequence.

The recurrences are plain Python over floats: for three labels that is faster than a numpy call
per step, and linear in the chain's length.
"""

from __future__ import annotations

import numpy as np

from crfclean.core import native
from crfclean.types import Floats, Ints


def marginals(scores: Floats, transitions: Floats) -> Floats:
    """Marginals by forward-backward (Rabiner 1989, scaled at every step), shape (n, 3).

    `scores` (n, 3) are the labels' log factors (emissions), `transitions` (3, 3) those of the step
    from the row's label to the column's; -inf bars a label.
    """
    if not len(scores):
        return np.zeros((0, 3))
    factors = np.exp(scores - np.maximum.reduce(scores, axis=1, keepdims=True))
    steps = np.exp(transitions)
    if native.CORE is not None:
        by_core = native.CORE.marginals(factors, steps)
        return np.frombuffer(by_core, np.float64).reshape(-1, 3)
    forward = _pass(factors, steps)
    backward = _pass(factors[::-1], steps.T)[::-1]
    both = forward * np.divide(backward, factors, out=np.zeros_like(factors), where=factors > 0)
    product: Floats = both / both.sum(axis=1, keepdims=True)
    return product


def _pass(factors: Floats, steps: Floats) -> Floats:
    """One sweep: r[t] is (r[t-1] @ steps) * factors[t], normalised to sum 1; shape (n, 3)."""
    (t00, t01, t02), (t10, t11, t12), (t20, t21, t22) = steps.tolist()
    a, b, c = (factors[0] / factors[0].sum()).tolist()
    first, second, third = [a], [b], [c]  # lists of floats: no tuples for the garbage collector
    for x, y, z in zip(*factors[1:].T.tolist(), strict=True):
        a, b, c = (
            (a * t00 + b * t10 + c * t20) * x,
            (a * t01 + b * t11 + c * t21) * y,
            (a * t02 + b * t12 + c * t22) * z,
        )
        total = a + b + c
        a, b, c = a / total, b / total, c / total
        first.append(a)
        second.append(b)
        third.append(c)
    return np.array([first, second, third]).T


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
