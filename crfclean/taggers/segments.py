"""Label blocks by picking the main text among a page's coherent texts.

They are found by node energy (`energy`) or by rules on links (`links`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from crfclean.io import digest_of
from crfclean.segmentation.coherent import segments_of
from crfclean.segmentation.params import EnergyParams, LinkParams, SegmentParams
from crfclean.taggers.main_text import MainParams, tag_main_text
from crfclean.types import Blocks, Segment, Tags

_LINKS = LinkParams(stray_share=0.05, frame_texts=0)
"""Paragraphs of a frame are not joined, as they are for coherent texts: picking the main text can
join its parts, but not leave out links between them (0.012 of F1 on news, eval/segments)."""

_PARAMS: Mapping[str, SegmentParams] = {
    "energy": SegmentParams("energy", energy=EnergyParams(dissipation=4.0)),
    "links": SegmentParams("links", links=_LINKS),
}
"""Name of a tagger -> how it finds coherent texts."""


@dataclass(frozen=True)
class SegmentTagger:
    """A method that finds coherent texts and picks the main one, without a model."""

    segments: SegmentParams
    main: MainParams = field(default_factory=MainParams)

    @property
    def name(self) -> str:
        """The method: "energy" or "links"."""
        return self.segments.method

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the parameters."""
        return digest_of({"tagger": self.name, "segments": self.segments, "main": self.main})

    def tag(self, blocks: Blocks) -> Tags:
        """Keep the blocks of the main text."""
        return tag_main_text(blocks, self.segments, self.main)

    def coherent_texts(self, blocks: Blocks, tags: Tags) -> list[Segment]:
        """The coherent texts by the method with its default parameters, as `segment` has them."""
        return segments_of(blocks, SegmentParams(self.name), tags)


def from_name(name: str) -> SegmentTagger:
    """One of the taggers in `_PARAMS`."""
    return SegmentTagger(_PARAMS[name])
