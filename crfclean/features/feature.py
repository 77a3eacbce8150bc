"""The types of a feature and of a family of features, with what many features end in."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from crfclean.page.measures import Measures
from crfclean.types import Bools, Floats

Feature: TypeAlias = Callable[[Measures], Floats]
"""Measures of a page -> one value for each of its n blocks, shape (n,)."""

Family: TypeAlias = Callable[[Measures], npt.NDArray[Any]]
"""Measures of a page -> the values of k features that are computed as one, shape (k, n)."""


@dataclass(frozen=True, slots=True, eq=False)
class Row:
    """The feature that is one row of a family; on small pages, asking is the largest cost.

    Each is equal to itself alone, so that the features of a table are compared without a call.
    """

    family: Family
    number: int

    def __call__(self, page: Measures) -> Floats:
        """The values of the feature, shape (n,)."""
        return np.asarray(self.family(page)[self.number], np.float64)


def rows_of(names: Iterable[str], family: Family) -> dict[str, Feature]:
    """Features of these names, in the order of the family's rows."""
    return {name: Row(family, number) for number, name in enumerate(names)}


def flag(mask: Bools) -> Floats:
    """A mask as numbers, 0 or 1, of the same shape."""
    return mask.astype(np.float64)
