"""Tools around a run: audit, drift, quotes on a page, a server for language models."""
