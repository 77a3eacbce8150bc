"""`Document` -> TEI-XML, valid against TEI simplePrint."""

from __future__ import annotations

from crfclean.content import comments_content, content
from crfclean.metadata.values import Metadata, Value
from crfclean.parts import Show
from crfclean.showing import shown
from crfclean.tei import tei_document
from crfclean.types import Document


def to_tei(document: Document, show: Show = Show(), metadata: Metadata | None = None) -> str:
    """A document's content as TEI; comments beside the text are a division at its end.

    Without `metadata` the page's own title and language stand in the header.
    """
    known = plain_metadata(document) if metadata is None else metadata
    beside = shown(comments_content(document), show) if document.comments else ()
    return tei_document(shown(content(document), show), known, document.url, beside)


def plain_metadata(document: Document) -> Metadata:
    """What the page's `title` element and `lang` attribute say."""
    nodes, title = document.blocks.nodes, document.blocks.title
    attributes = nodes.attributes[0] if len(nodes) else {}
    lang = (attributes.get("lang") or attributes.get("xml:lang") or "").strip()
    return Metadata(
        title=Value(title, "title", 1.0, "") if title else None,
        language=Value(lang, "lang", 1.0, "/html[1]") if lang else None,
    )
