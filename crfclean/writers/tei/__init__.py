"""`Part`s + `Metadata` -> a TEI-XML document (TEI simplePrint)."""

from crfclean.writers.tei.document import tei_document

__all__ = ["tei_document"]
