"""Counts of the files of directories that were left out, in words."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from crfclean.corpus.listing import NO_HTML
from crfclean.corpus.operation import Result
from crfclean.evaluate.plurals import plural

MAX_SUFFIXES = 6  # that the line names: a directory of sources has dozens


@dataclass(slots=True, eq=False)
class LeftOut:
    """How many files were left out, by the reason; of those without HTML also their suffixes."""

    reasons: Counter[str] = field(default_factory=Counter)
    suffixes: defaultdict[str, Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter[str])
    )

    def add(self, result: Result) -> None:
        """Count a file that was left out."""
        self.reasons[result.message] += 1
        if result.message == NO_HTML:
            self.suffixes[NO_HTML][Path(result.name).suffix.lower()] += 1

    @property
    def words(self) -> str:
        """What follows a run's other counts, "" if nothing was left out."""
        if not self.reasons:
            return ""
        counts = (f"{count} {reason}{self._names(reason)}" for reason, count in self._ordered())
        return f"; {plural(self.reasons.total(), 'file')} left out: {', '.join(counts)}"

    def _ordered(self) -> list[tuple[str, int]]:
        return sorted(self.reasons.items(), key=lambda item: (-item[1], item[0]))

    def _names(self, reason: str) -> str:
        """The commonest suffixes, as in ` (.css .js)`."""
        counts = self.suffixes[reason] if reason in self.suffixes else Counter[str]()
        names = sorted((name for name in counts if name), key=lambda name: (-counts[name], name))
        more = " ..." if len(names) > MAX_SUFFIXES else ""
        return f" ({' '.join(names[:MAX_SUFFIXES])}{more})" if names else ""
