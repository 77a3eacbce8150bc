"""The type of a feature, with what many features end in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from crfclean.page.measures import Measures
from crfclean.types import Bools, Floats

Feature: TypeAlias = Callable[[Measures], Floats]
"""Measures of a page -> one value for each of its n blocks, shape (n,)."""


def flag(mask: Bools) -> Floats:
    """A mask as numbers, 0 or 1, of the same shape."""
    return mask.astype(np.float64)
