"""Regular expressions that are compiled when they are first used, as most pages need few."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

__all__ = ["late_pattern"]

METHODS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")


class LatePattern:
    """A regular expression with the methods of `re.Pattern`, compiled for the first of them.

    >>> LatePattern("[0-9]+").findall("On 12 March 2024")
    ['12', '2024']
    """

    def __init__(self, pattern: str | bytes, flags: int = 0) -> None:
        self.pattern = pattern
        self.asked_flags = flags

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled expression; all of them are attributes from then on."""
        if name.startswith("__"):  # what copying and the like look for
            raise AttributeError(name)
        compiled: Any = re.compile(self.pattern, self.asked_flags)
        for method in METHODS:
            setattr(self, method, getattr(compiled, method))
        return getattr(compiled, name)


if TYPE_CHECKING:
    from re import compile as late_pattern
else:
    late_pattern = LatePattern
