"""Clean the HTML of datatrove's documents (extra `datatrove`).

datatrove extracts in a child process that must answer a warm-up call within the timeout, or every
document is dropped: the model is opened before the child is forked. The child also returns status
and score, which the base class has no place for; so the loop is written here, with its counts.
"""

from __future__ import annotations

from typing import Any

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.extractors.base import BaseExtractor, ExtractorSandbox
from datatrove.utils.logging import logger
from datatrove.utils.typeshelper import StatHints

from crfclean.extras.adapter import Cleaner, facts, text_of
from crfclean.types.choices import AUTO

_TIMEOUT = 10.0  # seconds: enough for a page of 10 MB, and for a child that starts from nothing

_Extracted = tuple[str, dict[str, Any]]


class CrfcleanExtractor(BaseExtractor):
    """An extractor beside datatrove's Trafilatura, for its pipelines.

    A document's `metadata` keeps its entries (`url` and others), and gets `status`, `score`
    (the expected F1 of the text on words, 0..1), `truncated` and `model`. A page without text is
    dropped, as by the other extractors, and counted by its status.
    """

    name = "⛏ crfclean"
    _requires_dependencies = ("crfclean",)

    def __init__(
        self,
        timeout: float = _TIMEOUT,
        model: str = "default",
        keep: tuple[str, ...] = (),
        as_: str = AUTO,
    ) -> None:
        super().__init__(timeout)
        self.cleaner = Cleaner(model, tuple(keep), as_)

    def extract(self, text: object) -> str:
        """The text of one page, "" if it has none."""
        return self.extract_with_facts(text)[0]

    def extract_with_facts(self, text: object, url: object = None) -> _Extracted:
        """The text of one page, and the entries for `metadata`."""
        document = self.cleaner.clean(text, url)
        return text_of(document), facts(document) | {"model": self.cleaner.name}

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        """Clean documents with HTML; those without text or out of time are counted and dropped.

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
        """The child process's text and metadata of a document; None if it is late, or dies."""
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
