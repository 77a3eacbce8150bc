"""Taggers of the published systems beside the CRF, and the coherent texts of a page."""
