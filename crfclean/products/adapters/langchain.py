"""Clean the HTML in LangChain's blobs or documents (extra `langchain`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Unpack

from langchain_core.document_loaders import BaseBlobParser
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.documents.base import Blob

from crfclean.page.decode import MAX_BYTES
from crfclean.pipeline import CleanOptions
from crfclean.products.adapters.adapter import Cleaner, facts, text_of

__all__ = ["CrfcleanBlobParser", "CrfcleanTransformer"]


class CrfcleanBlobParser(BaseBlobParser):
    """Parses blobs with HTML into documents; give it to LangChain's `GenericLoader`.

    The metadata are the blob's, plus `source`, `title`, `status`, `score` (expected F1 of the
    text on words, 0..1), `truncated` and `model`. A page without text gives an empty document
    whose status says why; a file that cannot be read raises `OSError`.
    """

    def __init__(self, model: str | Path = "default", **options: Unpack[CleanOptions]) -> None:
        self.cleaner = Cleaner(model, **options)

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """Yield the document of a blob; the blob's encoding is ignored for the page's own."""
        cleaned = self.cleaner.clean(_data(blob), blob.metadata.get("url") or blob.source)
        metadata = {"source": blob.source, "title": cleaned.blocks.title, **blob.metadata}
        yield Document(
            page_content=text_of(cleaned),
            metadata={**metadata, **facts(cleaned), "model": self.cleaner.name},
        )


class CrfcleanTransformer(BaseDocumentTransformer):
    """Cleans documents whose content is HTML; `id` and metadata are kept.

    The metadata get `status`, `score`, `truncated` and `model`. Documents without text also come
    back, in order; their status says why they are empty.
    """

    def __init__(self, model: str | Path = "default", **options: Unpack[CleanOptions]) -> None:
        self.cleaner = Cleaner(model, **options)

    def transform_documents(
        self, documents: Sequence[Document], **_options: Any
    ) -> Sequence[Document]:
        """Clean every document; LangChain runs this in a thread for its `atransform_documents`."""
        transformed = []
        for document in documents:
            source = document.metadata.get("url") or document.metadata.get("source")
            cleaned = self.cleaner.clean(document.page_content, source)
            metadata = {**document.metadata, **facts(cleaned), "model": self.cleaner.name}
            transformed.append(
                Document(page_content=text_of(cleaned), metadata=metadata, id=document.id)
            )
        return transformed


def _data(blob: Blob) -> bytes | str | None:
    data: bytes | str | None = blob.data
    if data is not None or blob.path is None:
        return data
    with Path(blob.path).open("rb") as stream:
        return stream.read(MAX_BYTES + 1)
