"""Array functions that measures and features share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

import numpy as np

from crfclean.types import Floats, Ints

_Key = TypeVar("_Key", bound=Hashable)


def numbered(values: Iterable[_Key]) -> tuple[Ints, list[_Key]]:
    """A number for each value in order of occurrence, and the distinct values.

    >>> numbered("abac")[0].tolist()
    [0, 1, 0, 2]
    """
    keys = list(values)
    distinct = list(dict.fromkeys(keys))
    numbers = dict(zip(distinct, range(len(distinct)), strict=True))
    return np.array(list(map(numbers.__getitem__, keys)), np.int64), distinct


def share(part: Floats | Ints, total: Floats | Ints | float) -> Floats:
    """Part / total, 0 where the total is 0."""
    return np.divide(part, total, out=np.zeros(part.shape), where=np.greater(total, 0))
