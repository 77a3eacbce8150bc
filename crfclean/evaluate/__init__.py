"""Scores, intervals, comparisons, reports."""
