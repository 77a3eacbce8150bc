"""Tests of `cli/batch.py`: how a run ended."""

from __future__ import annotations

from collections import Counter

from crfclean.cli.batch import batch_summary


def test_summary_tells_what_there_is() -> None:
    counts = Counter({"ok": 2, "without": 1, "low-score": 3, "done-before": 4})
    told = "6 pages: 2 cleaned, 1 without text, 0 failed, 3 below the score, 4 done before"
    assert batch_summary(counts) == told


def test_summary_counts_pages_that_are_not_visible() -> None:
    counts = Counter({"ok": 3, "visible": 1, "hidden": 1, "not-in-this-html": 4})
    assert batch_summary(counts).endswith(
        ", 0 failed, 1 read from hidden text, 4 whose content is not in the HTML"
    )
