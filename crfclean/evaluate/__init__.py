"""Texts to scores, intervals, comparisons and reports."""
