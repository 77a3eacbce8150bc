"""Annotated pages, and the alignment of a text to a page's blocks."""
