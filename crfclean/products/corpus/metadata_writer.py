"""Write what a page states about itself, as JSON or as a YAML header for Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from crfclean.document.json import json_row, json_text
from crfclean.metadata.read import open_models, read
from crfclean.metadata.values import front_matter, metadata_dict
from crfclean.types import Document


@dataclass(frozen=True, slots=True)
class MetadataPageWriter:
    """Write a page's metadata in a format of `METADATA_FORMATS` or as a row of a corpus."""

    format: str = "json"
    columns: ClassVar[tuple[str, ...]] = ()

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

    def write(
        self,
        document: Document,
        page_id: str = "",
        extra: Mapping[str, str] = {},  # noqa: ARG002
    ) -> str:
        """Return the metadata of a page; as YAML it is the header of Markdown."""
        if self.format == "yaml":
            return front_matter(document, page_id)
        return json_text({"url": document.url, **metadata_dict(read(document))}, self.format)

    def row(self, document: Document, facts: Mapping[str, Any]) -> bytes:
        """Return the metadata of a page as one JSON object on one line."""
        fields = {"url": document.url, **metadata_dict(read(document)), "status": document.status}
        return json_row(fields, facts, document.truncated)
