"""The places of spans of a document's text on its page: `cite`, `sentences`, `find`."""

from crfclean.citations.cite import Citation, CitedBlock, blocks, cite, sentences
from crfclean.citations.find import find

__all__ = ["Citation", "CitedBlock", "blocks", "cite", "find", "sentences"]
