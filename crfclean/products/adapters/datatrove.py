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

from crfclean.pipeline import CleanOptions
from crfclean.products.adapters.adapter import Cleaner, facts, text_of

__all__ = ["CrfcleanExtractor"]

_TIMEOUT = 10.0  # seconds: enough for a page of 10 MB, and for the start of a child

_Extracted = tuple[str, dict[str, Any]]


class CrfcleanExtractor(BaseExtractor):
    """An extractor for datatrove's pipelines, in place of its `Trafilatura`.

    A document's `metadata` keeps its entries (`url` and others), and gets `status`, `score`
    (the expected F1 of the text on words, 0..1), `truncated` and `model`. A page without text is
    dropped, as by other extractors, and counted by its status.
    """

    name = "⛏ crfclean"
    _requires_dependencies = ("crfclean",)

    def __init__(
        self,
        timeout: float = _TIMEOUT,
        model: str | Path = "default",
        **options: Unpack[CleanOptions],
    ) -> None:
        super().__init__(timeout)
        self.cleaner = Cleaner(model, **options)

    def extract(self, text: object) -> str:
        """The text of one page, "" if it has none."""
        return self.extract_with_facts(text)[0]

    def extract_with_facts(self, text: object, url: object = None) -> _Extracted:
        """The text of one page, and the entries for `metadata`."""
        document = self.cleaner.clean(text, url)
        return text_of(document), facts(document) | {"model": self.cleaner.name}

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
                document.metadata |= metadata
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
