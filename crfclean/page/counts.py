"""Counts of blocks by the compiled core, in place of those that numpy makes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.core import native
from crfclean.page.arrays import numbered
from crfclean.page.chars import SPACE, classify, core_table, core_tables
from crfclean.types import Floats, Ints


class Counted(Protocol):
    """What has counts: `core_counts` are empty without a core."""

    @property
    def core_counts(self) -> Mapping[str, npt.NDArray[Any]]:
        """Name of a property -> its value."""
        ...


_TRAITS: Mapping[str, npt.DTypeLike] = {
    "sizes": np.int64,
    "first_codes": np.uint16,
    "first_classes": np.uint8,
    "last_codes": np.uint16,
    "end_codes": np.uint16,
    "before_codes": np.uint16,
    "likely": np.uint8,
}
"""Name -> type of what the core says of the ends of texts, and of what they may have."""

_TOGETHER = ("id", "rel", "itemprop", "role", "itemtype")
_KEPT = "class"
_Attributes: TypeAlias = "tuple[Mapping[str, str], ...]"
_Values: TypeAlias = "Mapping[str, tuple[Ints, list[str]]]"
_LATEST: deque[tuple[_Attributes, _Values]] = deque(maxlen=1)

_Page = TypeVar("_Page", bound=Counted)
_Array = TypeVar("_Array", bound=npt.NDArray[Any])


def counted(function: Callable[[_Page], _Array]) -> cached_property[_Array]:
    """A cached property whose value is the core's, if there is one."""
    name = function.__name__

    @wraps(function)
    def value(page: _Page) -> Any:
        counts = page.core_counts
        return counts[name] if counts else function(page)

    return cached_property(value)


def count_texts(texts: tuple[str, ...]) -> Mapping[str, npt.NDArray[Any]]:
    """The counts of texts by the core, by the names of `Measures`; empty without a core."""
    if native.CORE is None:
        return {}
    by_class, kinds, words, capitalised, ends = native.CORE.counts(texts, *core_tables())
    traits = zip(_TRAITS, native.CORE.traits(texts, *core_tables()), strict=True)
    return {
        **{name: np.frombuffer(values, _TRAITS[name]) for name, values in traits},
        "by_class": np.frombuffer(by_class, np.int32).reshape(-1, 8),
        "token_kinds": np.frombuffer(kinds, np.int32).reshape(-1, 4),
        "words": np.frombuffer(words, np.float64),
        "capitalised": np.frombuffer(capitalised, np.float64),
        "sentence_ends": np.frombuffer(ends, np.float64),
    }


def numbered_values(
    attributes: _Attributes, names: tuple[str, ...]
) -> list[tuple[Ints, list[str]]]:
    """For each attribute a number for each element's value ("" for none), and the values."""
    if native.CORE is None:
        return [numbered(each.get(name, "") for each in attributes) for name in names]
    rows = native.CORE.attributes(attributes, names)
    return [(np.frombuffer(numbers, np.int64), distinct) for numbers, distinct in rows]


def values_with(name: str, attributes: _Attributes) -> _Values:
    """An attribute, and those that are read together with it, with their `numbered_values`.

    Classes of the last page are kept: the search for code has read them before anyone else asks.
    """
    if name != _KEPT:
        names = _TOGETHER if name in _TOGETHER else (name,)
        return dict(zip(names, numbered_values(attributes, names), strict=True))
    for read, values in tuple(_LATEST):
        if read is attributes:
            return values
    values = {name: numbered_values(attributes, (name,))[0]}
    _LATEST.append((attributes, values))
    return values


def count_solid(texts: tuple[str, ...]) -> Floats:
    """Characters of each text other than white space, shape (texts,)."""
    if native.CORE is not None:
        return np.frombuffer(native.CORE.solid(texts, core_tables()[0]), np.float64)
    solid = np.concatenate([[0], np.cumsum(classify("".join(texts)) != SPACE)])
    ends = np.cumsum(np.array([len(text) for text in texts], np.int64))
    return np.diff(solid[ends], prepend=0).astype(np.float64)


def count_marks(texts: tuple[str, ...], chars: str) -> Floats | None:
    """How many of the characters each text has, (n,), by the core; None without one."""
    if native.CORE is None:
        return None
    return np.frombuffer(native.CORE.marks(texts, core_table(chars)), np.float64)
