"""`Reading` -> what the thesis on forums measured: templates of sites, and every step of a reading.

`crfclean forum --steps` writes it; no post depends on it.
"""
