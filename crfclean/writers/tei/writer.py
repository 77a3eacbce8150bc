"""`Document` -> TEI-XML, valid against TEI simplePrint."""

from __future__ import annotations

from dataclasses import replace

from crfclean.metadata.read import read
from crfclean.metadata.values import Metadata, Value
from crfclean.structure.content import comments_content, content
from crfclean.structure.filter import shown
from crfclean.structure.parts import USUAL, Show
from crfclean.types import Document
from crfclean.writers.tei import tei_document


def to_tei(document: Document, show: Show = USUAL, metadata: Metadata | None = None) -> str:
    """A document's content as TEI; comments beside the text are a division at its end.

    `metadata` are read from the page where none are given. What its `title` element and `lang`
    attribute say stands in where they have neither, or where `show` leaves metadata out.
    """
    known = metadata
    if known is None:
        known = read(document) if show.metadata else Metadata()
    beside = shown(comments_content(document), show) if document.comments else ()
    parts = shown(content(document), show)
    return tei_document(parts, _with_own(known, document), document.url, beside)


def _with_own(metadata: Metadata, document: Document) -> Metadata:
    nodes, title = document.blocks.nodes, document.blocks.title
    attributes = nodes.attributes[0] if len(nodes) else {}
    lang = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
    return replace(
        metadata,
        title=metadata.title or (Value(title, "title", 1.0) if title else None),
        language=metadata.language or (Value(lang, "lang", 1.0, "/html[1]") if lang else None),
    )
