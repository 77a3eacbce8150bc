"""What all taggers around another one have of it: name, elements, decisions, comments, rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from crfclean.decision.params import CutParams
from crfclean.taggers.capabilities import (
    Decides,
    MarksComments,
    Traces,
    elements_of,
    name_of,
    need,
)
from crfclean.types import Blocks, Bools, Tagger

_Around = TypeVar("_Around", bound="Around")


@dataclass(frozen=True)
class Around:
    """The base of a tagger around another one, `tagger`; `tag` is its own."""

    tagger: Tagger

    @property
    def inner(self) -> Tagger:
        """The tagger inside."""
        return self.tagger

    @property
    def name(self) -> str:
        """The name of the tagger inside."""
        return name_of(self.tagger)

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the blocks of the tagger inside are restricted to; empty: none."""
        return elements_of(self.tagger)

    @property
    def cut(self) -> CutParams:
        """The decision rule of the tagger inside; raises `CrfcleanError` where it has none."""
        return need(self.tagger, Decides).cut

    def with_cut(self: _Around, params: CutParams) -> _Around:  # noqa: PYI019 - Self is of 3.11
        """The same with another decision rule of the tagger inside; raises `CrfcleanError`."""
        return replace(self, tagger=need(self.tagger, Decides).with_cut(params))

    def comments(self, blocks: Blocks) -> Bools:
        """The comments (n,) found by the tagger inside; raises `CrfcleanError`."""
        return need(self.tagger, MarksComments).comments(blocks)

    def trace(self, blocks: Blocks) -> str:
        """The rules that the tagger inside applied; raises `CrfcleanError`."""
        return need(self.tagger, Traces).trace(blocks)
