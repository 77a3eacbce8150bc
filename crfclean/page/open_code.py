"""Follow the code of a page through a walk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from crfclean.page.elements import CODE_LINE, SPLIT


class Code(NamedTuple):
    """The code of a page, by the indices of elements.

    `units` are one block each, but for the bars `apart` at their ends; `numbers` hold nothing but
    line numbers, which are no text. `is_cut`: the blocks of a walk without this would be others.
    """

    units: frozenset[int] = frozenset()
    apart: frozenset[int] = frozenset()
    numbers: frozenset[int] = frozenset()
    is_cut: bool = False


NO_CODE = Code()


@dataclass(slots=True, eq=False)
class OpenCode:
    """The depths of the open unit, bar and column of numbers in a walk, 0 for none."""

    code: Code = NO_CODE
    unit: int = 0
    bar: int = 0
    numbers: int = 0

    def enter(self, node: int, depth: int) -> None:
        """Begin an element, which is at this depth itself."""
        if node in self.code.units:
            self.unit = depth
        elif node in self.code.apart:
            self.bar = depth
        elif node in self.code.numbers:
            self.numbers = depth

    def leave(self, depth: int) -> None:
        """End an element; the path is as deep as it was before it began."""
        self.unit = 0 if depth < self.unit else self.unit
        self.bar = 0 if depth < self.bar else self.bar
        self.numbers = 0 if depth < self.numbers else self.numbers

    def action(self, node: int, action: int) -> int:
        """What an element does to the text: a boundary inside a unit ends a line."""
        if node in self.code.units:
            return SPLIT["block"]
        in_lines = self.unit and not self.bar and node not in self.code.apart
        return CODE_LINE if in_lines and action > 0 else action
