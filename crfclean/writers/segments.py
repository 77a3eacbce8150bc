"""Write the coherent texts of a page as text or JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from crfclean.segmentation.coherent import segments_of
from crfclean.segmentation.picture import to_picture
from crfclean.segmentation.text_tree import SegmentParams
from crfclean.types import Document, Segment
from crfclean.writers.json import json_row


def segment_dict(segment: Segment) -> dict[str, Any]:
    """Return what the JSON formats hold of a coherent text; the labels are those of its blocks."""
    return {
        "xpath": segment.xpath,
        "size": segment.size,
        "energy": float(f"{segment.energy:.6g}"),
        "link_share": round(segment.link_share, 4),
        "blocks": list(segment.blocks),
        "labels": [label.name for label in segment.labels],
        "text": segment.text,
    }


def segments_dict(document: Document, params: SegmentParams) -> dict[str, Any]:
    """Return a page's coherent texts in page order."""
    segments = segments_of(document.blocks, params, document.tags)
    return {
        "url": document.url,
        "title": document.blocks.title,
        "status": document.status,
        "truncated": document.truncated,
        "method": params.method,
        "segments": [segment_dict(segment) for segment in segments],
    }


def _to_txt(document: Document, params: SegmentParams) -> str:
    """The coherent texts, one block per line, with an empty line between two texts."""
    segments = segments_of(document.blocks, params)
    return "\n".join(segment.text + "\n" for segment in segments)


def _to_json(document: Document, params: SegmentParams) -> str:
    """One indented JSON object."""
    return json.dumps(segments_dict(document, params), ensure_ascii=False, indent=1) + "\n"


def _to_jsonl(document: Document, params: SegmentParams) -> str:
    """One JSON object on one line."""
    return json.dumps(segments_dict(document, params), ensure_ascii=False) + "\n"


class SegmentWriter(Protocol):
    """A function that writes the coherent texts of a labelled page in a format."""

    def __call__(self, document: Document, params: SegmentParams) -> str:
        """Write a page."""
        ...


@dataclass(frozen=True, slots=True)
class SegmentPageWriter:
    """Write a page's coherent texts in a format of `SEGMENT_WRITERS` or as a row of a corpus."""

    format: str = "json"
    params: SegmentParams = field(default_factory=SegmentParams)

    @property
    def options(self) -> Mapping[str, Any]:
        """What rows depend on, with a digest in place of a list of words."""
        words = "\n".join(sorted(self.params.energy.dictionary))
        digest = hashlib.sha256(words.encode("utf-8", "backslashreplace")).hexdigest()
        energy = asdict(self.params.energy) | {"dictionary": digest}
        links = asdict(self.params.links)
        return {"command": "segment", "method": self.params.method, "energy": energy} | links

    def prepare(self, *, rows: bool) -> None:
        """Do nothing: no model is needed."""

    def write(self, document: Document) -> str:
        """Return the texts of a page."""
        return SEGMENT_WRITERS[self.format](document, self.params)

    def row(self, document: Document, facts: Mapping[str, Any]) -> bytes:
        """Return the texts of a page as one JSON object on one line."""
        return json_row(segments_dict(document, self.params), facts, document.truncated)


SEGMENT_WRITERS: Mapping[str, SegmentWriter] = {
    "json": _to_json,
    "jsonl": _to_jsonl,
    "txt": _to_txt,
    "html": to_picture,
}
"""Format -> writer; the format is also the suffix of output files."""
