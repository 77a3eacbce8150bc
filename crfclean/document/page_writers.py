"""Write the metadata of a page, or its coherent texts, as files or rows."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from crfclean.document.json import json_row, json_text
from crfclean.metadata.candidates import as_dict, front_matter
from crfclean.metadata.read import open_models, read
from crfclean.systems.by_rules import to_picture
from crfclean.systems.coherent import SegmentParams, segments_of
from crfclean.types import Document

# write what a page states about itself, as JSON or as a YAML header for Markdown


def metadata_dict(document: Document) -> dict[str, Any]:
    """Return the page's URL and what it states about itself."""
    return {"url": document.url, **as_dict(read(document))}


@dataclass(frozen=True, slots=True)
class MetadataPageWriter:
    """Write a page's metadata in a format of `METADATA_FORMATS` or as a row of a corpus."""

    format: str = "json"

    @property
    def options(self) -> Mapping[str, Any]:
        """The options that rows depend on besides the tagger."""
        return {"command": "metadata"}

    def prepare(self, *, rows: bool) -> None:  # noqa: ARG002
        """Open the models of metadata, once per process."""
        open_models()

    def is_empty(self, document: Document) -> bool:  # noqa: ARG002
        """Return False: a page without text may have metadata."""
        return False

    def write(self, document: Document, page_id: str = "") -> str:
        """Return the metadata of a page; as YAML it is the header of Markdown."""
        if self.format == "yaml":
            return front_matter(document, page_id)
        return json_text(metadata_dict(document), self.format)

    def row(self, document: Document, facts: Mapping[str, Any]) -> bytes:
        """Return the metadata of a page as one JSON object on one line."""
        fields = {**metadata_dict(document), "status": document.status}
        return json_row(fields, facts, document.truncated)


# write the coherent texts of a page as text or JSON


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

    def write(self, document: Document, page_id: str = "") -> str:  # noqa: ARG002
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
