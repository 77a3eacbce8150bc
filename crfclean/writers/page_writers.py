"""Write what a page states about itself, or its coherent texts, as files or rows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from crfclean.metadata.read import open_models, read
from crfclean.metadata.values import as_dict, front_matter
from crfclean.segmentation.coherent import segments_of
from crfclean.segmentation.picture import to_picture
from crfclean.segmentation.text_tree import SegmentParams
from crfclean.types import Document, Segment
from crfclean.writers.json import json_row, libraries

# write what a page states about itself, as JSON or as a YAML header for Markdown


class MetadataWriter(Protocol):
    """A function that writes what a page states about itself."""

    def __call__(self, document: Document, *, identify_language: bool = False) -> str:
        """Return the text of a file."""
        ...


def _to_json(document: Document, *, identify_language: bool = False) -> str:
    """One indented JSON object, with the page's address."""
    return _dumped(document, 1, identify_language=identify_language)


def _to_jsonl(document: Document, *, identify_language: bool = False) -> str:
    """One JSON object on one line."""
    return _dumped(document, None, identify_language=identify_language)


def _to_yaml(document: Document, *, identify_language: bool = False) -> str:
    """The header that Markdown gets with `--include front-matter`."""
    return front_matter(read(document, identify_language=identify_language))


def _dumped(document: Document, indent: int | None, *, identify_language: bool) -> str:
    fields = metadata_dict(document, identify_language=identify_language)
    return json.dumps(fields, ensure_ascii=False, indent=indent) + "\n"


def metadata_dict(document: Document, *, identify_language: bool = False) -> dict[str, Any]:
    """Return the page's URL and what it states about itself.

    `with` names the optional libraries that took part; without any there is none.
    """
    values = as_dict(read(document, identify_language=identify_language))
    used = libraries(identify_language=identify_language)
    return {"url": document.url, **values, **({"with": used} if used else {})}


METADATA_WRITERS: Mapping[str, MetadataWriter] = {
    "json": _to_json,
    "jsonl": _to_jsonl,
    "yaml": _to_yaml,
}
"""Format -> writer; the format is also the suffix of output files."""


@dataclass(frozen=True, slots=True)
class MetadataPageWriter:
    """Write a page's metadata in a format of `METADATA_WRITERS` or as a row of a corpus."""

    format: str = "json"
    identify_language: bool = False

    @property
    def options(self) -> Mapping[str, Any]:
        """What rows depend on besides the tagger."""
        return {
            "command": "metadata",
            "with": libraries(identify_language=self.identify_language),
        }

    def prepare(self, *, rows: bool) -> None:  # noqa: ARG002
        """Open the models of metadata, once per process."""
        open_models(identify_language=self.identify_language)

    def write(self, document: Document) -> str:
        """Return the metadata of a page."""
        return METADATA_WRITERS[self.format](document, identify_language=self.identify_language)

    def row(self, document: Document, facts: Mapping[str, Any]) -> bytes:
        """Return the metadata of a page as one JSON object on one line."""
        values = metadata_dict(document, identify_language=self.identify_language)
        fields = {**values, "status": document.status}
        return json_row(fields, facts, document.truncated)


# write the coherent texts of a page as text or JSON


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


def _segments_as_json(document: Document, params: SegmentParams) -> str:
    """One indented JSON object."""
    return json.dumps(segments_dict(document, params), ensure_ascii=False, indent=1) + "\n"


def _segments_as_jsonl(document: Document, params: SegmentParams) -> str:
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
    "json": _segments_as_json,
    "jsonl": _segments_as_jsonl,
    "txt": _to_txt,
    "html": to_picture,
}
"""Format -> writer; the format is also the suffix of output files."""
