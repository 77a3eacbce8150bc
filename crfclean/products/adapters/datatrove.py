"""Clean the HTML of datatrove's documents (extra `datatrove`).

datatrove extracts in a child process. It drops every document if the child does not answer a
warm-up call within the timeout, so the model is opened before the fork. The base class has no place
for status and score; therefore this module has a loop of its own, with the same counts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Unpack

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.extractors.base import BaseExtractor, ExtractorSandbox
from datatrove.utils.logging import logger
from datatrove.utils.typeshelper import StatHints

from crfclean.document.columns import ROW_COLUMNS
from crfclean.document.json import to_dict
from crfclean.document.parts import Show
from crfclean.pipeline import CleanOptions
from crfclean.products.adapters.adapter import Cleaner, text_of

__all__ = ["CrfcleanExtractor"]

_TIMEOUT = 10.0  # seconds: enough for a page of 10 MB, and for the start of a child

_OWN = frozenset(["id", "text", "input", "message", "duplicate_of"])
"""Columns of a row that a document has itself, or that only a run of `clean` fills."""

_Extracted = tuple[str, dict[str, Any]]


class CrfcleanExtractor(BaseExtractor):
    """A step of datatrove's pipelines, in place of its `Trafilatura`.

    A document's `metadata` keeps its entries (`url` and others), and gets the columns of a row (see
    `document.columns`) besides the text; a text that is not known is "", so that a column has one
    type. Without `metadata`, title, authors, dates and the like are empty, for half of the time. A
    page without text is dropped, as by the steps of datatrove, and counted by its status.
    """

    name = "⛏ crfclean"
    _requires_dependencies = ("crfclean",)

    def __init__(
        self,
        timeout: float = _TIMEOUT,
        model: str | Path = "default",
        *,
        metadata: bool = True,
        **options: Unpack[CleanOptions],
    ) -> None:
        super().__init__(timeout)
        self.cleaner = Cleaner(model, **options)
        self.show = Show(metadata=metadata)

    def extract(self, text: object) -> str:
        """The text of one page, "" if it has none."""
        return text_of(self.cleaner.clean(text))

    def extract_with_facts(self, text: object, url: object = None) -> _Extracted:
        """The text of one page, and the entries for `metadata`."""
        document = self.cleaner.clean(text, url)
        row = to_dict(document, self.show) | {"model": self.cleaner.name}
        named = ((column.name, row[column.name]) for column in ROW_COLUMNS)
        told = {name: "" if value is None else value for name, value in named if name not in _OWN}
        return text_of(document), told

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Clean documents with HTML; drop and count those without text or out of time.

        Raises `ModelError` before the first page.
        """
        del rank, world_size
        self.extract("<p>The model is opened here, before a process is forked.</p>")
        with ExtractorSandbox(timeout=self.timeout, warmup_text="") as sandbox:
            for document in data:
                self.stat_update(StatHints.total)
                with self.track_time():
                    extracted = self._extracted(document, sandbox)
                if extracted is None:
                    continue
                document.text, metadata = extracted
                known = {name for name, value in document.metadata.items() if value}
                document.metadata |= {
                    name: value for name, value in metadata.items() if value or name not in known
                }
                if document.text:
                    self.stat_update(StatHints.forwarded)
                    self.update_doc_stats(document)
                    yield document
                else:
                    self.stat_update(StatHints.dropped, f"dropped_{metadata['status']}")

    def _extracted(self, document: Document, sandbox: ExtractorSandbox) -> _Extracted | None:
        """Return text and metadata of a document; None if the child process is late or dies."""
        page = (document.text, document.metadata.get("url"))
        try:
            extracted: _Extracted = sandbox.process_document(page, self.extract_with_facts)
        except TimeoutError:
            self.stat_update("timeout")
            logger.warning(f"{document.id}: no text within {self.timeout:g} s, left out")
            return None
        except (EOFError, OSError):
            self.stat_update("broken_process")
            logger.warning(f"{document.id}: its process died, left out")
            return None
        self.stat_update("extracted")
        return extracted
