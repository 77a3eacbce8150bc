"""Write a document's content and metadata as TEI-XML."""

from __future__ import annotations

from dataclasses import replace

from crfclean.metadata.read import read
from crfclean.metadata.values import Metadata, Value
from crfclean.structure.content import comments_content, content
from crfclean.structure.parts import DEFAULT_SHOW, Show, filter_parts
from crfclean.types import Document
from crfclean.writers.tei.document import tei_document


def to_tei(document: Document, show: Show = DEFAULT_SHOW, metadata: Metadata | None = None) -> str:
    """Return a document's content as TEI; separate comments are a division at its end.

    `metadata` is read from the page if it is None and `show` does not switch it off. A missing
    title or language is taken from the page's `title` element or `lang` attribute.
    """
    if metadata is None:
        identify = show.identify_language
        metadata = read(document, identify_language=identify) if show.metadata else Metadata()
    comments = filter_parts(comments_content(document), show) if document.comments else ()
    parts = filter_parts(content(document), show)
    return tei_document(parts, _completed(metadata, document), document.url, comments)


def _completed(metadata: Metadata, document: Document) -> Metadata:
    """Metadata with the title and language of the page's own elements where it has none."""
    nodes, title = document.blocks.nodes, document.blocks.title
    attributes = nodes.attributes[0] if len(nodes) else {}
    lang = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
    return replace(
        metadata,
        title=metadata.title or (Value(title, "title", 1.0) if title else None),
        language=metadata.language or (Value(lang, "lang", 1.0, "/html[1]") if lang else None),
    )
