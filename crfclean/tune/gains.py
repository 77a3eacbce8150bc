"""Decide by the F1 of held-out pages whether a change is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

TOLERANCE = 0.002  # of F1: what a convention may lose beside its standard error


def gain(new: Sequence[float], old: Sequence[float]) -> tuple[float, float]:
    """The mean gain in F1 over pages, and its standard error: infinite for a single page.

    >>> gain([0.9, 0.8], [0.7, 0.8])
    (0.1, 0.1)
    """
    gains = np.subtract(new, old)
    error = float(gains.std(ddof=1)) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    return round(float(gains.mean()), 6), round(float(error), 6)


def holds(new: Sequence[float], old: Sequence[float]) -> bool:
    """Whether F1 of held-out pages speaks for a convention, or at least not against it.

    The mean gain less its standard error may fall short by `TOLERANCE`: a loss on a single page
    of ten is enough to refuse what gains nothing elsewhere.

    >>> holds([0.9, 0.9, 0.9], [0.9, 0.9, 0.9]), holds([0.9, 0.9, 0.5], [0.9, 0.9, 0.6])
    (True, False)
    """
    mean, error = gain(new, old)
    return mean - error >= -TOLERANCE


def pays(new: Sequence[float], old: Sequence[float], margin: float, errors: float) -> bool:
    """Whether the mean gain in F1 on held-out pages exceeds a margin and its standard errors.

    A single page has no standard error, and shows nothing.

    >>> pays([0.9, 0.9, 0.9], [0.7, 0.8, 0.9], 0.01, 1.0)
    True
    >>> pays([0.9, 0.3, 0.9], [0.7, 0.6, 0.6], 0.01, 1.0)
    False
    """
    mean, error = gain(new, old)
    return len(new) > 1 and mean > max(margin, errors * error)
