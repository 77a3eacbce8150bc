"""Cite spans of a document's text: any characters, blocks, sentences."""

from __future__ import annotations

from bisect import bisect_right

from crfclean.citations.citer import Citer, solid_places
from crfclean.citations.sentences import sentence_spans
from crfclean.citations.values import Citation
from crfclean.types import CrfcleanError, Document


def cite(document: Document, start: int, end: int) -> Citation:
    """The citation of the characters `start` to `end` (half-open) of the document's text.

    Raises `CrfcleanError` for a span that is empty or not in the text.
    """
    text = document.text
    size = len(text)
    if not 0 <= start < end <= size or not text[start:end].strip():
        raise CrfcleanError(f"no characters {start} to {end} in a text of {size} characters")
    citer = Citer(document)
    kept, begins = list(citer.starts), list(citer.starts.values())
    first, last = bisect_right(begins, start) - 1, bisect_right(begins, end - 1) - 1
    spans = []
    for index, begin in zip(kept[first : last + 1], begins[first : last + 1], strict=True):
        length = len(citer.shown[index])
        spans.append(
            (index, *_in_block(citer, index, max(0, start - begin), min(length, end - begin)))
        )
    return citer.citation([span for span in spans if span[1] < span[2]])


def _in_block(citer: Citer, index: int, start: int, end: int) -> tuple[int, int]:
    """Where characters of a block's text with line breaks stand in the block."""
    if index not in citer.moved:
        return start, end
    shown, places = citer.shown[index], solid_places(citer.document.blocks.texts[index])
    first, last = (len(solid_places(shown[:place])) for place in (start, end))
    return (places[first], places[last - 1] + 1) if first < last else (0, 0)


def blocks(document: Document) -> list[Citation]:
    """A citation of each block of the document's text."""
    citer, texts = Citer(document), document.blocks.texts
    return [citer.citation([(index, 0, len(texts[index]))]) for index in document.kept]


def sentences(document: Document) -> list[Citation]:
    """A citation of each sentence of the document's text; none goes from one block to the next."""
    citer, texts = Citer(document), document.blocks.texts
    return [
        citer.citation([(index, start, end)])
        for index in document.kept
        for start, end in sentence_spans(texts[index])
    ]
