"""Decide by the F1 of held-out pages whether a change is more than chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

TOLERANCE = 0.002  # of F1: what a convention may lose beside its standard error
MARGIN = 0.01  # of F1: an adaptation that gains less is not worth a model of its own


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


def pays(new: Sequence[float], old: Sequence[float], errors: float = 1.0) -> bool:
    """Whether F1 of held-out pages shows that an adaptation helps, on pages as on the mean.

    The mean gain must exceed so many of its standard errors, and `MARGIN`.

    >>> pays([0.9, 0.9, 0.9], [0.7, 0.8, 0.9]), pays([0.9, 0.3, 0.9], [0.7, 0.6, 0.6])
    (True, False)
    """
    mean, error = gain(new, old)
    return mean > max(MARGIN, errors * error)
