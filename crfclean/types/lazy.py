"""A property that is computed when it is first read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

_Value = TypeVar("_Value")


class Lazy(Generic[_Value]):
    """A property that is computed when it is first read, and kept by its object.

    Up to Python 3.11 `functools.cached_property` takes a lock, which costs more than most values of
    a small page. Without it two threads may compute a value twice.
    """

    def __init__(self, function: Callable[[Any], _Value]) -> None:
        self._function, self._name = function, function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, instance: None, owner: type[Any]) -> Lazy[_Value]: ...
    @overload
    def __get__(self, instance: object, owner: type[Any]) -> _Value: ...
    def __get__(self, instance: object | None, owner: type[Any]) -> _Value | Lazy[_Value]:
        if instance is None:
            return self
        value = vars(instance)[self._name] = self._function(instance)
        return value


def lazy(function: Callable[[Any], _Value]) -> Lazy[_Value]:
    """A method of no parameters as a property that is computed once for each object."""
    return Lazy(function)
