"""The parameters of a walk over a page's events."""

from __future__ import annotations

from dataclasses import dataclass

from crfclean.page.elements import DROPPED, Look
from crfclean.page.open_code import NO_CODE, Code


@dataclass(frozen=True, slots=True)
class WalkParams:
    """What a walk keeps and bounds.

    `elements` are those that blocks are restricted to, `dropped` those that never give text. The
    page may have control characters, which are dropped (`controls`), or `formulas`. The elements
    of `block_level` are that from their start, whatever their names say: an earlier walk has found
    it, and the `code`. `hidden`: elements that are hidden from the reader are read as well, save
    dialogs; or only those that look `opened`.
    """

    elements: tuple[str, ...] = ()
    dropped: frozenset[str] = DROPPED
    controls: bool = False
    max_blocks: int | None = None
    formulas: bool = False
    block_level: frozenset[int] = frozenset()
    code: Code = NO_CODE
    hidden: bool = False
    opened: frozenset[Look] = frozenset()
