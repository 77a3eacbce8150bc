"""Audits of cleaned corpora: precision, recall and F1 by words from a few judged blocks."""
