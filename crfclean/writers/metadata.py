"""Write what a page states about itself, as JSON or as a YAML header for Markdown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from crfclean.metadata.output import as_dict, front_matter
from crfclean.metadata.read import open_models, read
from crfclean.types import Document
from crfclean.writers.json import json_row


def _to_json(document: Document) -> str:
    """One indented JSON object, with the page's address."""
    return json.dumps(metadata_dict(document), ensure_ascii=False, indent=1) + "\n"


def _to_jsonl(document: Document) -> str:
    """One JSON object on one line."""
    return json.dumps(metadata_dict(document), ensure_ascii=False) + "\n"


def _to_yaml(document: Document) -> str:
    """The header that Markdown gets with `--front-matter`."""
    return front_matter(read(document))


def metadata_dict(document: Document) -> dict[str, Any]:
    """Return the page's URL and what it states about itself."""
    return {"url": document.url, **as_dict(read(document))}


METADATA_WRITERS: Mapping[str, Callable[[Document], str]] = {
    "json": _to_json,
    "jsonl": _to_jsonl,
    "yaml": _to_yaml,
}
"""Format -> writer; the format is also the suffix of output files."""


@dataclass(frozen=True, slots=True)
class MetadataPageWriter:
    """Write a page's metadata in a format of `METADATA_WRITERS` or as a row of a corpus."""

    format: str = "json"

    @property
    def options(self) -> Mapping[str, Any]:
        """What rows depend on besides the tagger."""
        return {"command": "metadata"}

    def prepare(self, *, rows: bool) -> None:  # noqa: ARG002
        """Open the models of metadata, once per process."""
        open_models()

    def write(self, document: Document) -> str:
        """Return the metadata of a page."""
        return METADATA_WRITERS[self.format](document)

    def row(self, document: Document, facts: Mapping[str, str | None]) -> bytes:
        """Return the metadata of a page as one JSON object on one line."""
        fields = {**metadata_dict(document), "status": document.status}
        return json_row(fields, facts, document.truncated)
