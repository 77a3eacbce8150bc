"""`Document` -> str: its coherent texts as text or JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from crfclean.segmentation.coherent import segments_of
from crfclean.segmentation.params import SegmentParams
from crfclean.segmentation.picture import to_picture
from crfclean.types import Document, Segment
from crfclean.writers.json import json_row


def segment_dict(segment: Segment) -> dict[str, Any]:
    """What the JSON formats carry of a coherent text; labels are those of its blocks."""
    return {
        "xpath": segment.xpath,
        "size": segment.size,
        "energy": float(f"{segment.energy:.6g}"),
        "link_share": round(segment.link_share, 4),
        "blocks": list(segment.blocks),
        "labels": [label.name for label in segment.labels],
        "text": segment.text,
    }


def page_dict(document: Document, params: SegmentParams) -> dict[str, Any]:
    """A page's coherent texts, in page order."""
    found = segments_of(document.blocks, params, document.tags)
    return {
        "url": document.url,
        "title": document.blocks.title,
        "status": document.status,
        "truncated": document.truncated,
        "method": params.method,
        "segments": [segment_dict(one) for one in found],
    }


def to_txt(document: Document, params: SegmentParams) -> str:
    """The coherent texts, a block a line, an empty line between two texts."""
    found = segments_of(document.blocks, params)
    return "\n".join(one.text + "\n" for one in found)


def to_json(document: Document, params: SegmentParams) -> str:
    """One indented JSON object."""
    return json.dumps(page_dict(document, params), ensure_ascii=False, indent=1) + "\n"


def to_jsonl(document: Document, params: SegmentParams) -> str:
    """One JSON object on one line."""
    return json.dumps(page_dict(document, params), ensure_ascii=False) + "\n"


class SegmentWriter(Protocol):
    """A page with labels -> its coherent texts in a format."""

    def __call__(self, document: Document, params: SegmentParams) -> str:
        """Write a page."""
        ...


@dataclass(frozen=True, slots=True)
class SegmentPageWriter:
    """Writes a page's coherent texts in a format of `SEGMENT_WRITERS`, or as a row of a corpus."""

    format: str = "json"
    params: SegmentParams = field(default_factory=SegmentParams)

    @property
    def options(self) -> Mapping[str, Any]:
        """What rows depend on; of a list of words the digest."""
        words = "\n".join(sorted(self.params.energy.dictionary))
        digest = hashlib.sha256(words.encode("utf-8", "backslashreplace")).hexdigest()
        energy = asdict(self.params.energy) | {"dictionary": digest}
        links = asdict(self.params.links)
        return {"command": "segment", "method": self.params.method, "energy": energy} | links

    def prepare(self, *, rows: bool) -> None:
        """Do nothing: no model is needed."""

    def write(self, document: Document) -> str:
        """The texts of a page."""
        return SEGMENT_WRITERS[self.format](document, self.params)

    def row(self, document: Document, facts: Mapping[str, str | None]) -> bytes:
        """The texts of a page as one JSON object on one line."""
        return json_row(page_dict(document, self.params), facts, document.truncated)


SEGMENT_WRITERS: Mapping[str, SegmentWriter] = {
    "json": to_json,
    "jsonl": to_jsonl,
    "txt": to_txt,
    "html": to_picture,
}
"""Format -> writer; the format is also the ending of the output files."""
