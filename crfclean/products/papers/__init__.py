"""Taggers after published methods, beside the CRF, and the coherent texts of a page."""
