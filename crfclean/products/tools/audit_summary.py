"""Report the estimates for the run, its groups and its sites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crfclean.page.chars import plural
from crfclean.products.tools.audit import Sample
from crfclean.products.tools.audited import GROUPINGS, OTHERS, UNKNOWN
from crfclean.products.tools.estimates import (
    MODEL_DRAWS,
    NAMES,
    Estimates,
    doubted,
    estimates,
    group_estimates,
    smoothed,
)
from crfclean.products.tools.judgements import Judgements
from crfclean.products.tools.strata import STRATA
from crfclean.types import CrfcleanError, Floats

__all__ = ["report"]

# report the estimates for the run, its groups and its sites

LEAST_JUDGED = 15  # a group with fewer judged draws has no figures
LEAST_WORDS = 300  # smaller sites are not named: they are hardly worth a label
MAX_SITES = 10
_BELONGS, _JUDGED = 1, 0


@dataclass(frozen=True, slots=True)
class GroupReport:
    """A group of blocks: its words, the draws judged in it, and its estimates."""

    name: str
    words: float
    judged: int
    estimates: Estimates


@dataclass(frozen=True, slots=True)
class Report:
    """The figures of a run by words, of its groups with enough judgements, and of its sites.

    `judgements` is the number of judged blocks, `draws` that of the draws of these blocks. `sites`
    are those whose expected F1 is below that of the run, the lowest first. `wordless` pages failed
    or have no text. `statuses` and `models`, by fingerprint, count the pages.
    """

    pages: int
    words: float
    kept_words: float
    judgements: int
    draws: int
    estimates: Estimates
    groups: Mapping[str, tuple[GroupReport, ...]]
    sites: tuple[GroupReport, ...]
    wordless: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    models: Mapping[str, int] = field(default_factory=dict)


def report(sample: Sample, judgements: Judgements) -> Report:
    """Make the report of a sample's judgements; raises `CrfcleanError` if there are none."""
    if not judgements:
        raise CrfcleanError("nothing is judged yet")
    tallies = _Tallies(sample, judgements)
    judged, belong = tallies.overall
    overall = estimates(sample.words, judged, belong, sample.means)
    return Report(
        sample.pages,
        float(sample.words.sum()),
        sample.kept_words,
        len(judgements),
        int(judged.sum()),
        overall,
        {name: tallies.of_grouping(name) for name in GROUPINGS},
        tuple(tallies.weakest_sites(_f1(overall))),
        sample.wordless,
        sample.facts.get("status", {}),
        sample.facts.get("model", {}),
    )


class _Tallies:
    """The judged draws of a sample by stratum, of all and of each group."""

    def __init__(self, sample: Sample, judgements: Judgements) -> None:
        self._sample = sample
        self.overall: Floats = np.zeros((2, STRATA))
        self._groups: dict[tuple[str, str], Floats] = {}
        for stratum, number in _judged_draws(sample, judgements):
            belongs = judgements[number]
            for counts in (self.overall, *self._counts_of(number)):
                counts[_JUDGED, stratum] += 1
                counts[_BELONGS, stratum] += belongs
        judged, belong = self.overall
        self._shares = smoothed(judged, belong, doubted(sample.means), MODEL_DRAWS)

    def _counts_of(self, number: int) -> Iterator[Floats]:
        """The counts of the groups that a block is in."""
        for grouping, name in zip(GROUPINGS, self._sample.blocks[number].groups, strict=True):
            group = name if name in self._sample.groups[grouping] else OTHERS
            yield self._groups.setdefault((grouping, group), np.zeros((2, STRATA)))

    def of_grouping(self, grouping: str) -> tuple[GroupReport, ...]:
        """Return the groups with enough judgements, the largest first."""
        groups = (self._group(grouping, name) for name in self._sample.groups[grouping])
        enough = [group for group in groups if group.judged >= LEAST_JUDGED]
        return tuple(sorted(enough, key=lambda group: (-group.words, group.name)))

    def weakest_sites(self, below: float) -> list[GroupReport]:
        """Return the sites with the lowest expected F1 below a limit; none if there is only one."""
        names = [name for name in self._sample.groups["site"] if name not in (UNKNOWN, OTHERS)]
        if len(names) < 2:
            return []
        sites = [self._group("site", name) for name in names]
        large = [
            site for site in sites if site.words >= LEAST_WORDS and _f1(site.estimates) < below
        ]
        return sorted(large, key=lambda site: (_f1(site.estimates), site.name))[:MAX_SITES]

    def _group(self, grouping: str, name: str) -> GroupReport:
        words = np.array(self._sample.groups[grouping][name], np.float64)
        judged, belong = self._groups.get((grouping, name), np.zeros((2, STRATA)))
        figures = group_estimates(words, judged, belong, self._shares)
        return GroupReport(name, float(words.sum()), int(judged.sum()), figures)


def _f1(figures: Estimates) -> float:
    """Return the F1 of estimates, 1 if it is undefined."""
    return figures["f1"].estimate if "f1" in figures else 1.0


def _judged_draws(sample: Sample, judgements: Judgements) -> Iterator[tuple[int, int]]:
    """Yield the judged draws, up to the first draw of the last block that is judged.

    Later draws of judged blocks are left out: they would count large blocks too often.
    """
    left = set(judgements)
    for stratum, number in sample.draws:
        if number in judgements:
            yield stratum, number
            left.discard(number)
        if not left:
            return


def summary_text(result: Report) -> str:
    """Return all figures as tables."""
    kept = result.kept_words / result.words
    size = f"{result.pages:,} pages with {result.words:,.0f} words, of which {kept:.1%} are kept"
    lines = [f"{plural(result.judgements, 'block')} judged of {size}"]
    if result.wordless:
        lines.append(
            f"{result.wordless:,} of these pages failed or have no text: not part of the figures"
        )
    lines += [
        "",
        _row("", "words", "judged", ("precision", "recall", "F1")),
        _line("all", result.words, result.draws, result.estimates),
    ]
    for grouping, groups in result.groups.items():
        if len(groups) > 1:
            lines.append(f"by {grouping}")
            lines += [_line(f"  {g.name}", g.words, g.judged, g.estimates) for g in groups]
    if result.sites:
        lines += ["", "Label pages of these sites first (lowest expected F1):"]
        lines += [_line(f"  {g.name}", g.words, g.judged, g.estimates) for g in result.sites]
    return "\n".join(lines) + "\n"


def _line(name: str, words: float, judged: int, figures: Estimates) -> str:
    values = [figures.get(measure) for measure in NAMES]
    cells = [f"{v.estimate:.3f} {v.low:.3f}-{v.high:.3f}" if v else "-" for v in values]
    return _row(name, f"{words:,.0f}", str(judged), cells)


def _row(name: str, words: str, judged: str, cells: Sequence[str]) -> str:
    shown = name if len(name) <= 26 else name[:25] + "…"
    return f"{shown:26}{words:>12}{judged:>7}" + "".join(f"{cell:>18}" for cell in cells)
