"""Kinds of a page's blocks, from title to legal notice, with probabilities."""
