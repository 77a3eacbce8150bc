"""Keep what is computed of a page, but of wide arrays only the latest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

_MAX_WIDE = 3  # families of columns: features take theirs one family after the other
_WIDE = 8  # columns of an array that is a family

_Page = TypeVar("_Page")


class Memo(dict[object, Any]):
    """Values by the function, or other key, that they are of; `wide` are the latest families."""

    def __init__(self) -> None:
        super().__init__()
        self.wide: dict[object, Any] = {}

    def once(self, function: Callable[[_Page], Any], page: _Page) -> Any:
        """The value of a function of the page, computed where it is not kept."""
        if function in self.wide:
            self.wide[function] = self.wide.pop(function)  # now the latest
            return self.wide[function]
        if function in self:
            return self[function]
        value = function(page)
        (self.wide if _is_wide(value) else self)[function] = value
        if len(self.wide) > _MAX_WIDE:
            del self.wide[next(iter(self.wide))]
        return value


def _is_wide(value: object) -> bool:
    return isinstance(value, np.ndarray) and value.ndim == 2 and min(value.shape) >= _WIDE
