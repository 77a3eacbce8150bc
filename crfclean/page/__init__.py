"""Bytes to a page, and a page to its blocks, elements and measures."""
