"""Array functions that measures and features share."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from functools import lru_cache
from typing import TypeVar

import numpy as np

from crfclean.core import native
from crfclean.types import Bools, Floats, Ints

_Key = TypeVar("_Key", bound=Hashable)


def numbered(values: Iterable[_Key]) -> tuple[Ints, list[_Key]]:
    """A number for each value in order of occurrence, and the distinct values.

    >>> numbered("abac")[0].tolist()
    [0, 1, 0, 2]
    """
    keys = tuple(values)
    if native.CORE is not None:
        by_core, distinct = native.CORE.numbered(keys)
        return np.frombuffer(by_core, np.int64), distinct
    distinct = list(dict.fromkeys(keys))
    numbers = dict(zip(distinct, range(len(distinct)), strict=True))
    return np.array(list(map(numbers.__getitem__, keys)), np.int64), distinct


def occurring(values: Ints) -> tuple[Ints, Ints]:
    """A number for each value in order of occurrence, and where each distinct one occurs first.

    >>> [array.tolist() for array in occurring(np.array([7, 5, 7]))]
    [[0, 1, 0], [0, 1]]
    """
    if native.CORE is not None:
        parents, codes = np.full(len(values), -1, np.int32), values.astype(np.int64)
        by_core = native.CORE.paths(parents.tobytes(), codes.tobytes())
        numbers: Ints = np.frombuffer(by_core, np.int64)
        return numbers, np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))
    _, first, which = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[which], first[order]


def among(values: Ints, chosen: Sequence[int]) -> Bools:
    """Whether each value is one of a few, of the same shape; for these numpy's `isin` is slow.

    >>> among(np.array([1, 2, 3, -9, 99]), [3, 1]).tolist()
    [True, False, True, False, False]
    """
    lowest, mask = _membership(tuple(chosen))
    return mask.take(values - lowest, mode="clip")


@lru_cache(maxsize=64)
def _membership(chosen: tuple[int, ...]) -> tuple[int, Bools]:
    """A number below all of a few, and whether each from there on is one of them.

    The first and the last place of the mask stand for all numbers below and above: none is one.
    """
    lowest = min(chosen) - 1
    mask = np.zeros(max(chosen) - lowest + 2, np.bool_)
    mask[[number - lowest for number in chosen]] = True
    return lowest, mask


def around(mask: Bools, end: Ints) -> Ints:
    """How many elements of the mask are at or around each element, by where these end, (m,)."""
    if native.CORE is not None:
        return np.frombuffer(native.CORE.inside(mask, end), np.int64)
    steps = np.bincount(np.flatnonzero(mask), minlength=len(mask) + 1)
    steps -= np.bincount(end[mask], minlength=len(mask) + 1)
    return np.cumsum(steps)[:-1]


def share(part: Floats | Ints, total: Floats | Ints | float) -> Floats:
    """Part / total, 0 where the total is 0."""
    return np.divide(part, total, out=np.zeros(part.shape), where=np.greater(total, 0))
