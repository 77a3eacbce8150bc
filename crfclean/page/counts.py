"""Counts of blocks by the compiled core, in place of those that numpy makes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from typing import Any, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from crfclean.core import native
from crfclean.page.arrays import numbered
from crfclean.page.chars import core_table, core_tables
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


def numbered_values(attributes: tuple[Mapping[str, str], ...], name: str) -> tuple[Ints, list[str]]:
    """A number for the value of each element's attribute, "" for none, and the distinct values."""
    if native.CORE is None:
        return numbered(each.get(name, "") for each in attributes)
    numbers, distinct = native.CORE.attribute(attributes, name)
    return np.frombuffer(numbers, np.int64), distinct


def count_solid(texts: tuple[str, ...]) -> Floats | None:
    """Characters of each text other than white space, (n,), by the core; None without one."""
    if native.CORE is None:
        return None
    return np.frombuffer(native.CORE.solid(texts, core_tables()[0]), np.float64)


def count_marks(texts: tuple[str, ...], chars: str) -> Floats | None:
    """How many of the characters each text has, (n,), by the core; None without one."""
    if native.CORE is None:
        return None
    return np.frombuffer(native.CORE.marks(texts, core_table(chars)), np.float64)
