"""`Blocks` -> `Tags` by node energy: the main text is picked among the coherent texts."""

from __future__ import annotations

from dataclasses import dataclass, field

from crfclean.coherent import SegmentParams
from crfclean.digests import digest_of
from crfclean.energy import EnergyParams
from crfclean.maintext import MainParams, tag_main_text
from crfclean.types import Blocks, Tags

PARAMS = EnergyParams(dissipation=4.0)
"""p is lower than for coherent texts themselves: the rule that picks joins parts of the main text,
and cannot part what is joined. On wcxb-dev values from 4 to 8 are equal."""


@dataclass(frozen=True)
class EnergyTagger:
    """Node energy with its parameters; it has no model."""

    energy: EnergyParams = PARAMS
    main: MainParams = field(default_factory=MainParams)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the rules' parameters."""
        return digest_of({"tagger": "energy", "energy": self.energy, "main": self.main})

    def tag(self, blocks: Blocks) -> Tags:
        """Keep the blocks of the main text."""
        return tag_main_text(blocks, SegmentParams("energy", energy=self.energy), self.main)


def named() -> EnergyTagger:
    """The tagger with its defaults."""
    return EnergyTagger()
