"""The place of a span of text on its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from crfclean.page.offsets import Piece


@dataclass(frozen=True, slots=True)
class CitedBlock:
    """A block of a cited span: the characters `start` to `end` (half-open) of its text.

    `place` says where they stand in the page's elements (see `page.offsets`); `xpath` and `place`
    are empty for text that the page holds as data.
    """

    index: int
    xpath: str
    start: int
    end: int
    place: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Citation:
    """A span of text and where it stands.

    `start` and `end` are its characters in `Document.text` (half-open), None if a block of it does
    not belong to the text. `url` is the page's address with a text fragment, the fragment alone for
    a page without address, "" where the page does not show the text. `is_unique`: no other words of
    the page fit the fragment. `similarity` (0..1) is that to the quote that was looked for.
    """

    text: str
    start: int | None
    end: int | None
    blocks: tuple[CitedBlock, ...]
    url: str
    is_unique: bool
    similarity: float = 1.0

    def to_dict(self) -> Mapping[str, Any]:
        """The citation as JSON has it."""
        blocks = [
            {
                "index": block.index,
                "xpath": block.xpath,
                "span": [block.start, block.end],
                "place": [piece._asdict() for piece in block.place],
            }
            for block in self.blocks
        ]
        return {
            "text": self.text,
            "span": None if self.start is None else [self.start, self.end],
            "url": self.url,
            "is_unique": self.is_unique,
            "similarity": round(self.similarity, 4),
            "blocks": blocks,
        }
