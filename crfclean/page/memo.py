"""Keep what is computed of a page, some of it for a short time only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

_MAX_WIDE = 3  # families of columns: features take theirs one family after the other
_WIDE = 8  # columns of an array that is a family

_Page = TypeVar("_Page")
_Array = TypeVar("_Array", bound=npt.NDArray[Any])


class Memo(dict[object, Any]):
    """Values by the function, or other key, that they are of.

    `wide` are the latest families of columns; `passing` are values that one group of features
    shares, until `forget_passing`.
    """

    def __init__(self) -> None:
        super().__init__()
        self.wide: dict[object, Any] = {}
        self.passing: dict[object, Any] = {}

    def once(self, function: Callable[[_Page], Any], page: _Page) -> Any:
        """The value of a function of the page, computed where it is not kept."""
        wide = self.wide
        if function in wide:
            wide[function] = wide.pop(function)  # now the latest
            return wide[function]
        if function in self:
            return self[function]
        value = function(page)
        if not _is_wide(value):
            self[function] = value
            return value
        wide[function] = value
        if len(wide) > _MAX_WIDE:
            del wide[next(iter(wide))]
        return value

    def once_a_group(self, function: Callable[[_Page], Any], page: _Page) -> Any:
        """The value of a function of the page, computed where it is not among the passing ones."""
        value = self.passing.get(function)  # another thread may clear them at any time
        if value is None:
            value = self.passing[function] = function(page)
        return value

    def forget_passing(self) -> None:
        """Free what a group of features has shared."""
        self.passing.clear()


def key_of(function: Callable[..., Any]) -> Callable[..., Any]:
    """The key by which a memo keeps the value of a function of `measures.once`."""
    key: Callable[..., Any] = vars(function)["__wrapped__"]
    return key


def _is_wide(value: object) -> bool:
    """Whether a value is a family that takes memory; one of bytes is kept, as kinds need it too."""
    if not isinstance(value, np.ndarray) or value.ndim != 2 or value.itemsize == 1:
        return False
    return bool(min(value.shape) >= _WIDE)


def once_for_tags(
    method: Callable[[Any, Iterable[str]], _Array],
) -> Callable[[Any, Iterable[str]], _Array]:
    """Compute a method once a group of features and choice of tags; its array is read-only."""

    @wraps(method)
    def cached(page: Any, tags: Iterable[str]) -> _Array:
        key = (method, tuple(tags))
        array: _Array | None = page.memo.passing.get(key)
        if array is None:
            array = page.memo.passing[key] = method(page, key[1])
            array.setflags(write=False)
        return array

    return cached
