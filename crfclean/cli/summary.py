"""Say how pages were cleaned: a message for each page that is not, and a line at the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from logging import ERROR, INFO, WARNING
from typing import Protocol

from crfclean.cli.messages import LOG
from crfclean.document.page_text import FAILED, LOW_SCORE, OK, TRUNCATIONS
from crfclean.page.chars import escaped, plural

UNMATCHED = "without an element that matches "
"""The key of the pages without such an element is this and the selector."""

DOUBTFUL = 0.5
"""The text of a page with a lower score is mostly wrong."""

RARE: Mapping[str, str] = {
    LOW_SCORE: "below the score",
    "truncated": "truncated",
    "guessed": "with a guessed encoding",
    "hidden": "read from hidden text",
    "carried": "whose content is only in their structured data",
    "not-in-this-html": "whose content is not in the HTML",
    "doubtful": f"with a score below {DOUBTFUL}",
}
"""Key of a count that a summary shows only if it is not 0 -> its words."""


class CountedPage(Protocol):
    """What is counted and said of a page; see `PageText`."""

    @property
    def status(self) -> str: ...  # noqa: D102
    @property
    def message(self) -> str: ...  # noqa: D102
    @property
    def truncated(self) -> str: ...  # noqa: D102
    @property
    def score(self) -> float: ...  # noqa: D102
    @property
    def where(self) -> str: ...  # noqa: D102
    @property
    def encoding_guessed(self) -> bool: ...  # noqa: D102
    @property
    def unmatched(self) -> tuple[str, ...]: ...  # noqa: D102


def count_page(counts: Counter[str], cleaned: CountedPage) -> None:
    """Count what a summary names of a page besides its outcome."""
    is_ok = cleaned.status == OK
    counts["truncated"] += bool(cleaned.truncated)
    counts["guessed"] += cleaned.encoding_guessed
    counts.update(UNMATCHED + words for words in cleaned.unmatched)
    counts[cleaned.where if is_ok else ""] += 1
    counts["doubtful"] += is_ok and 0 < cleaned.score < DOUBTFUL


def summary(counts: Mapping[str, int]) -> str:
    """Summarise the counts of pages in a line."""
    read = sum(counts[outcome] for outcome in (OK, "without", FAILED, LOW_SCORE))
    return f"{plural(read, 'page')}: {', '.join([*outcomes(counts), *rare_counts(counts)])}"


def outcomes(counts: Mapping[str, int]) -> list[str]:
    """Return the counts that a summary always shows."""
    words = {OK: "cleaned", "without": "without text", FAILED: "failed"}
    return [f"{counts[outcome]} {name}" for outcome, name in words.items()]


def rare_counts(counts: Mapping[str, int], rare: Mapping[str, str] = RARE) -> list[str]:
    """Return the counts that are not 0 in words, then those of selectors that match nothing."""
    names = {**rare, **{key: key for key in sorted(counts) if key.startswith(UNMATCHED)}}
    return [f"{counts[key]} {name}" for key, name in names.items() if counts[key]]


def tell_page(name: str, cleaned: CountedPage, outcome: str) -> None:
    """Print why a page is not cleaned, or cut short; control characters are escaped."""
    if cleaned.status == OK:
        LOG.info("%s: %s, score %.4f", escaped(name), cleaned.status, cleaned.score)
    else:
        level = ERROR if outcome == FAILED else INFO if outcome == LOW_SCORE else WARNING
        LOG.log(level, "%s: %s", escaped(name), escaped(cleaned.message))
    tell_cuts(name, cleaned.truncated)


def tell_cuts(name: str, truncated: str) -> None:
    """Print why a page is cut short."""
    for reason in filter(None, truncated.split(",")):
        why = TRUNCATIONS.get(reason) or f"cut by the crawler ({escaped(reason)})"
        LOG.warning("%s: truncated: %s", escaped(name), why)
