"""Coherent texts of a page, by node energy or by the positions of links."""
