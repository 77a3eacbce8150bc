"""Segmentation of a page into coherent texts, by node energy or by link rules."""
