"""Metadata of a document: title, authors, dates and the rest, by `read(document)`."""

from crfclean.metadata.read import read
from crfclean.metadata.values import Metadata, Value
from crfclean.pagetype.model import PageType

__all__ = ["Metadata", "PageType", "Value", "read"]
