"""Clean the HTML of LangChain's blobs and documents (extra `langchain`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from langchain_core.document_loaders import BaseBlobParser
from langchain_core.documents import BaseDocumentTransformer, Document
from langchain_core.documents.base import Blob

from crfclean.extras.adapter import Cleaner, facts, text_of
from crfclean.page.decode import MAX_BYTES


class CrfcleanBlobParser(BaseBlobParser):
    """Pages as blobs -> documents; give it to LangChain's `GenericLoader`.

    The metadata are the blob's, with `source`, `title`, `status`, `score` (expected F1 of the
    text on words, 0..1), `truncated` and `model`. A page without text gives an empty document
    whose status says why; a file that cannot be read raises `OSError`.
    """

    def __init__(self, model: str | Path = "default", keep: Sequence[str] = ()) -> None:
        self.cleaner = Cleaner(model, tuple(keep))

    def lazy_parse(self, blob: Blob) -> Iterator[Document]:
        """One document of a blob; its encoding is that of the page, not the blob's default."""
        cleaned = self.cleaner.clean(_data(blob), blob.metadata.get("url") or blob.source)
        told = {"source": blob.source, "title": cleaned.blocks.title, **blob.metadata}
        yield Document(
            page_content=text_of(cleaned),
            metadata={**told, **facts(cleaned), "model": self.cleaner.name},
        )


class CrfcleanTransformer(BaseDocumentTransformer):
    """Documents whose content is HTML -> the same with clean text; `id` and metadata are kept.

    The metadata get `status`, `score`, `truncated` and `model`. All documents come back in their
    order, those without text too: their status says why.
    """

    def __init__(self, model: str | Path = "default", keep: Sequence[str] = ()) -> None:
        self.cleaner = Cleaner(model, tuple(keep))

    def transform_documents(
        self, documents: Sequence[Document], **_options: Any
    ) -> Sequence[Document]:
        """Clean every document; LangChain runs this in a thread for its `atransform_documents`."""
        return [self._transformed(document) for document in documents]

    def _transformed(self, document: Document) -> Document:
        source = document.metadata.get("url") or document.metadata.get("source")
        cleaned = self.cleaner.clean(document.page_content, source)
        told = {**document.metadata, **facts(cleaned), "model": self.cleaner.name}
        return Document(page_content=text_of(cleaned), metadata=told, id=document.id)


def _data(blob: Blob) -> bytes | str | None:
    """A blob's content, from its file where that is not read yet."""
    data: bytes | str | None = blob.data
    if data is not None or blob.path is None:
        return data
    with Path(blob.path).open("rb") as stream:
        return stream.read(MAX_BYTES + 1)
