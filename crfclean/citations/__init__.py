"""The places of spans of a document's text on its page: `cite`, `sentences`, `find`."""

from crfclean.citations.cite import blocks, cite, sentences
from crfclean.citations.find import find
from crfclean.citations.values import Citation, CitedBlock

__all__ = ["Citation", "CitedBlock", "blocks", "cite", "find", "sentences"]
