"""Write the coherent texts of a page as text, JSON or a picture."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from crfclean.document.json import json_row, json_text
from crfclean.products.papers.coherent import segments_of
from crfclean.products.papers.segment_params import SegmentParams
from crfclean.products.papers.segments_picture import to_picture
from crfclean.types import Document


def segments_dict(document: Document, params: SegmentParams) -> dict[str, Any]:
    """Return a page's coherent texts in page order, with the labels of their blocks."""
    segments = segments_of(document.blocks, params, document.tags)
    return {
        "url": document.url,
        "title": document.blocks.title,
        "status": document.status,
        "truncated": document.truncated,
        "method": params.method,
        "segments": [
            {
                "xpath": segment.xpath,
                "size": segment.size,
                "energy": float(f"{segment.energy:.6g}"),
                "link_share": round(segment.link_share, 4),
                "blocks": list(segment.blocks),
                "labels": [label.name for label in segment.labels],
                "text": segment.text,
            }
            for segment in segments
        ],
    }


@dataclass(frozen=True, slots=True)
class SegmentPageWriter:
    """Write a page's coherent texts in a format of `SEGMENT_FORMATS` or as a row of a corpus."""

    format: str = "json"
    columns: ClassVar[tuple[str, ...]] = ()
    params: SegmentParams = field(default_factory=SegmentParams)

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that rows depend on, with a digest in place of a list of words."""
        words = "\n".join(sorted(self.params.energy.dictionary))
        digest = hashlib.sha256(words.encode("utf-8", "backslashreplace")).hexdigest()
        energy = asdict(self.params.energy) | {"dictionary": digest}
        links = asdict(self.params.links)
        return {"command": "segment", "method": self.params.method, "energy": energy} | links

    def prepare(self, *, rows: bool) -> None:
        """Do nothing: no model is needed."""

    def is_empty(self, document: Document) -> bool:
        """Return whether the page has no text at all."""
        return not len(document.blocks)

    def write(
        self,
        document: Document,
        page_id: str = "",  # noqa: ARG002
        extra: Mapping[str, str] = {},  # noqa: ARG002
    ) -> str:
        """Return the texts of a page; as plain text with an empty line between two of them."""
        if self.format == "html":
            return to_picture(document, self.params)
        if self.format == "txt":
            texts = segments_of(document.blocks, self.params)
            return "\n".join(segment.text + "\n" for segment in texts)
        return json_text(segments_dict(document, self.params), self.format)

    def row(self, document: Document, facts: Mapping[str, Any]) -> bytes:
        """Return the texts of a page as one JSON object on one line."""
        return json_row(segments_dict(document, self.params), facts, document.truncated)
