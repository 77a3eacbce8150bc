"""Audits of cleaned corpora: precision, recall and F1 by words from a few judged blocks."""

from crfclean.audit.sample import Sample, draw
from crfclean.audit.summary import Report, read_judgements, report, write_judgements

__all__ = [
    "Report",
    "Sample",
    "draw",
    "read_judgements",
    "report",
    "write_judgements",
]
