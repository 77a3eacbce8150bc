"""Write what a page states about itself, as JSON or as a YAML header for Markdown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from crfclean.metadata.output import as_dict, front_matter
from crfclean.metadata.read import open_models, read
from crfclean.types import Document
from crfclean.writers.json import json_row, libraries


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
