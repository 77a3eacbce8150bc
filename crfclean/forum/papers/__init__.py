"""Measurements of the thesis on forums: templates of sites, and every step of a reading.

`crfclean forum --steps` writes them; no post depends on them.
"""
