"""`Blocks` -> `Tags` by rules on links: the main text is picked among the coherent texts."""

from __future__ import annotations

from dataclasses import dataclass, field

from crfclean.coherent import SegmentParams
from crfclean.digests import digest_of
from crfclean.linkrules import LinkParams
from crfclean.maintext import MainParams, tag_main_text
from crfclean.types import Blocks, Tags


@dataclass(frozen=True)
class LinksTagger:
    """The rules on links with their parameters; it has no model."""

    links: LinkParams = field(default_factory=LinkParams)
    main: MainParams = field(default_factory=MainParams)

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the rules' parameters."""
        return digest_of({"tagger": "links", "links": self.links, "main": self.main})

    def tag(self, blocks: Blocks) -> Tags:
        """Keep the blocks of the main text."""
        return tag_main_text(blocks, SegmentParams("links", links=self.links), self.main)


def named() -> LinksTagger:
    """The tagger with its defaults."""
    return LinksTagger()
