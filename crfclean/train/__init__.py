"""Annotated pages to models."""
