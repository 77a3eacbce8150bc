"""How a run ended, in words: the counts of its pages."""

from __future__ import annotations

from collections.abc import Mapping

from crfclean.corpus.operation import DONE, DUPLICATE, FILTERED, JOINED, LOW_SCORE, UNWRITTEN
from crfclean.evaluate.plurals import plural

DOUBTFUL = 0.5
"""The text of a page with a lower score is mostly wrong: much is missing, or should be."""


def batch_summary(counts: Mapping[str, int]) -> str:
    """How a run ended, in a line."""
    always = {"ok": "cleaned", "without": "without text", "failed": "failed"}
    parts = [f"{counts[key]} {name}" for key, name in always.items()]
    return f"{page_count(counts)}: {', '.join(parts + rare_counts(counts))}"


def page_count(counts: Mapping[str, int]) -> str:
    """The number of pages that were read, in words: "3 pages"."""
    read = sum(counts[key] for key in ("ok", "without", "failed", JOINED, *UNWRITTEN))
    return plural(read, "page")


def rare_counts(counts: Mapping[str, int]) -> list[str]:
    """Counts that are shown only if they are not 0."""
    names = {
        LOW_SCORE: "below the score",
        FILTERED: "filtered out",
        JOINED: "joined with others",
        DUPLICATE: "left out as duplicates",
        "forgotten": "not remembered (--deduplicate-limit)",
        "truncated": "truncated",
        "guessed": "with a guessed encoding",
        "hidden": "read from hidden text",
        "structured": "read from data",
        "not-in-this-html": "whose content is not in the HTML",
        "doubtful": f"with a score below {DOUBTFUL}",
        DONE: "done before",
    }
    return [f"{counts[key]} {name}" for key, name in names.items() if counts[key]]
