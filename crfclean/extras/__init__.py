"""Adapters to foreign pipelines, each loaded by name, so that the core needs none of them."""
