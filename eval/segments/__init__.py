"""Coherent texts, the expert system and what they give the CRF."""
