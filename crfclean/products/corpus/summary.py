"""Count the results of a run, and say in a line how it ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import (
    Mapping,
)
from dataclasses import dataclass, field
from pathlib import Path

from crfclean.cli.messages import EXIT_NOTHING, EXIT_OK, EXIT_SOME_FAILED
from crfclean.cli.summary import RARE, count_page, outcomes, rare_counts
from crfclean.document.page_text import LOW_SCORE
from crfclean.page.chars import plural
from crfclean.products.corpus.jobs import (
    DONE,
    DUPLICATE,
    FILTERED,
    JOINED,
    KEPT,
    LEFT_OUT,
    UNWRITTEN,
    Result,
)
from crfclean.products.corpus.listing import NO_HTML

MAX_SUFFIXES = 6  # named in the summary; a directory of source code has dozens


@dataclass(slots=True, eq=False)
class LeftOut:
    """Counts of the inputs left out, by reason, and of the suffixes of files without HTML."""

    reasons: Counter[str] = field(default_factory=Counter)
    suffixes: Counter[str] = field(default_factory=Counter)
    kinds: set[str] = field(default_factory=set)

    def add(self, result: Result) -> None:
        """Count a file, or a record, that was left out."""
        self.reasons[result.message] += result.pages
        self.kinds.add("record" if result.record else "file")
        if result.message == NO_HTML and not result.record:
            self.suffixes[Path(result.name).suffix.lower()] += 1

    @property
    def words(self) -> str:
        """The end of a run's summary, "" if nothing was left out."""
        if not self.reasons:
            return ""
        ordered = sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))
        counts = (
            (f"{count} " if len(ordered) > 1 else "")
            + reason
            + (self._names if reason == NO_HTML else "")
            for reason, count in ordered
        )
        kind = "input" if len(self.kinds) > 1 else min(self.kinds)
        return f"; {plural(self.reasons.total(), kind)} left out: {', '.join(counts)}"

    @property
    def _names(self) -> str:
        counts = self.suffixes
        names = sorted((name for name in counts if name), key=lambda name: (-counts[name], name))
        more = " ..." if len(names) > MAX_SUFFIXES else ""
        return f" ({' '.join(names[:MAX_SUFFIXES])}{more})" if names else ""


_PAGES_BEFORE = "pages-before"
"""Key of the pages that an earlier run did of shards that this run finished."""

_RARE = {
    LOW_SCORE: RARE[LOW_SCORE],
    FILTERED: "filtered out",
    JOINED: "joined with others",
    KEPT: "kept: their texts were changed after the last run (--overwrite replaces them)",
    DUPLICATE: "left out as duplicates",
    "forgotten": "not remembered (--deduplicate-limit)",
    "truncated": RARE["truncated"],
    "guessed": RARE["guessed"],
    "repeats": "without texts that many pages of their site have",
    **RARE,
    _PAGES_BEFORE: "of the pages done before",
}
"""Key of a count that the summary of a run shows only if it is not 0 -> its words."""


def batch_summary(counts: Mapping[str, int]) -> str:
    """Summarise a run in a line."""
    return f"{page_count(counts)}: {', '.join([*outcomes(counts), *rare_run_counts(counts)])}"


def page_count(counts: Mapping[str, int]) -> str:
    """Return the number of pages that were read, as in "3 pages"."""
    read = sum(counts[key] for key in ("ok", "without", "failed", JOINED, KEPT, *UNWRITTEN))
    return plural(read, "page")


def rare_run_counts(counts: Mapping[str, int]) -> list[str]:
    """Return the counts that a summary shows only if they are not 0."""
    words = rare_counts(counts, _RARE)
    return words + [f"{plural(counts[DONE], 'output file')} done before"] * bool(counts[DONE])


MAX_MESSAGES = 100  # about single pages of shards; the list of failures has all


@dataclass(slots=True, eq=False)
class RunCounts:
    """The counts of a run by outcome and by what summaries name, and what was left out."""

    counts: Counter[str] = field(default_factory=Counter)
    left_out: LeftOut = field(default_factory=LeftOut)
    messages: int = 0

    def add(self, result: Result) -> bool:
        """Count a result; return whether its message is printed, too, not only listed."""
        if result.status == LEFT_OUT:
            self.left_out.add(result)
        self.messages += bool(result.record and result.failed)
        counts = self.counts
        count_page(counts, result)
        counts.update(result.before or {result.outcome: result.pages})
        counts[_PAGES_BEFORE] += result.before.total()
        counts["repeats"] += result.repeats
        counts["items"] += result.items
        counts["empty_items"] += result.empty_items
        counts["forgotten"] += not result.remembered
        few = not result.record or (result.failed and self.messages <= MAX_MESSAGES)
        return few and result.status != LEFT_OUT

    @property
    def exit_code(self) -> int:
        """The exit code of the run."""
        counts = self.counts
        if not counts["ok"] + counts[DONE] + counts[KEPT] + counts[_PAGES_BEFORE]:
            return EXIT_NOTHING
        return EXIT_SOME_FAILED if counts["failed"] else EXIT_OK
