"""Locate spans, sentences and quotes of a document's text on its page."""

from crfclean.citations.cite import Citation, CitedBlock, blocks, cite, find, sentences
from crfclean.citations.passages import rank

__all__ = ["Citation", "CitedBlock", "blocks", "cite", "find", "rank", "sentences"]
