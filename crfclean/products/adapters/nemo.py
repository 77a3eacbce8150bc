"""Extract the text of NeMo Curator's pages in place of jusText (`pip install nemo-curator`)."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

from nemo_curator.stages.text.download.html_extractors import HTMLExtractorAlgorithm

from crfclean.pipeline import CleanOptions
from crfclean.products.adapters.adapter import Cleaner, paragraphs_of

__all__ = ["CrfcleanAlgorithm"]


class CrfcleanAlgorithm(HTMLExtractorAlgorithm):
    """An algorithm for `html_extraction` of NeMo Curator's stages, like its `JusTextExtractor`.

    Only names are pickled: each of Ray's workers opens the model itself. The parameters are those
    of `adapter.Cleaner`.
    """

    def __init__(self, model: str | Path = "default", **options: Unpack[CleanOptions]) -> None:
        self.cleaner = Cleaner(model, **options)

    def extract_text(
        self, html: str, stop_words: frozenset[str], language: str
    ) -> list[str] | None:
        """Return the paragraphs of a page, or None without text, so that its row is dropped.

        Stop words and language are ignored. Raises `ModelError` before the first page.
        """
        del stop_words, language
        return paragraphs_of(self.cleaner.clean(html)) or None
