"""Labelling of pages at a terminal or in the browser."""
