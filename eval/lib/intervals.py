"""Means over pages with their bootstrap intervals over sites."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crfclean.products.teach.means import interval


def mean(scores: Sequence[float], sites: Sequence[str]) -> list[float]:
    """Mean, low and high end of its interval over sites."""
    values = np.array(scores)
    return [round(value, 4) for value in (float(values.mean()), *interval(values, sites))]
