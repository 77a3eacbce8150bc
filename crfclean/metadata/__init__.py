"""Metadata of a document: title, authors, dates and the rest, by `read(document)`."""

from crfclean.metadata.read import read
from crfclean.types import Metadata, PageType, Value

__all__ = ["Metadata", "PageType", "Value", "read"]
