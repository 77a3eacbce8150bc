"""Report what the judgements of a sample say of the whole run, of its parts and of its sites."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass

import numpy as np

from crfclean.audit.estimate import Estimates, estimates, group_estimates, overall_shares
from crfclean.audit.judgements import Judgements
from crfclean.audit.rows import GROUPINGS, UNKNOWN
from crfclean.audit.sample import OTHERS, STRATA, Sample
from crfclean.types import CrfcleanError, Floats

LEAST_JUDGED = 15  # draws of a group for which there are figures
LEAST_WORDS = 300  # of a site that may be named: smaller ones are hardly worth a label
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
    """The figures of a run by words, of its groups that have enough judgements, and of its sites.

    `judgements` are the blocks that are judged, `draws` the draws that stand for them. `sites` are
    those whose expected F1 is below that of the run, the lowest first; `wordless` pages failed, or
    have no text.
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


def report(sample: Sample, judgements: Judgements) -> Report:
    """The report of a sample's judgements; raises `CrfcleanError` where there is none."""
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
        {name: tuple(tallies.of_grouping(name)) for name in GROUPINGS},
        tuple(tallies.weakest_sites(_f1_of(overall))),
        sample.wordless,
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
        self._shares = overall_shares(judged, belong, sample.means)

    def _counts_of(self, number: int) -> Iterator[Floats]:
        """The counts of the groups that a block is in."""
        for grouping, name in zip(GROUPINGS, self._sample.blocks[number].groups, strict=True):
            group = name if name in self._sample.groups[grouping] else OTHERS
            yield self._groups.setdefault((grouping, group), np.zeros((2, STRATA)))

    def of_grouping(self, grouping: str) -> Iterator[GroupReport]:
        """The groups with enough judgements, those of the most words first."""
        groups = (self._group(grouping, name) for name in self._sample.groups[grouping])
        enough = [group for group in groups if group.judged >= LEAST_JUDGED]
        yield from sorted(enough, key=lambda group: (-group.words, group.name))

    def weakest_sites(self, below: float) -> list[GroupReport]:
        """The sites whose expected F1 is the lowest, and below a limit; none of a single site."""
        names = [name for name in self._sample.groups["site"] if name not in (UNKNOWN, OTHERS)]
        if len(names) < 2:
            return []
        sites = [self._group("site", name) for name in names]
        large = [site for site in sites if site.words >= LEAST_WORDS and _f1(site) < below]
        return sorted(large, key=lambda site: (_f1(site), site.name))[:MAX_SITES]

    def _group(self, grouping: str, name: str) -> GroupReport:
        words = np.array(self._sample.groups[grouping][name], np.float64)
        judged, belong = self._groups.get((grouping, name), np.zeros((2, STRATA)))
        figures = group_estimates(words, judged, belong, self._shares)
        return GroupReport(name, float(words.sum()), int(judged.sum()), figures)


def _f1(group: GroupReport) -> float:
    return _f1_of(group.estimates)


def _f1_of(figures: Estimates) -> float:
    """The F1 of estimates, 1 where it has no meaning."""
    return figures["f1"].estimate if "f1" in figures else 1.0


def _judged_draws(sample: Sample, judgements: Judgements) -> Iterator[tuple[int, int]]:
    """The draws that judgements answer: none after the first draw of the last block judged.

    Later draws of judged blocks are left out: they would be there for large blocks alone.
    """
    left = set(judgements)
    for stratum, number in sample.draws:
        if number in judgements:
            yield stratum, number
            left.discard(number)
        if not left:
            return


def report_json(result: Report) -> str:
    """All figures as indented JSON."""
    return json.dumps(asdict(result), ensure_ascii=False, indent=1) + "\n"


def _wordless(pages: int) -> list[str]:
    """What nobody can judge, in a line, if there is any."""
    return [f"nothing is said of {pages:,} of them, which failed or have no text"] if pages else []


def report_text(result: Report) -> str:
    """All figures as tables."""
    kept = result.kept_words / result.words
    size = f"{result.pages:,} pages with {result.words:,.0f} words, of which {kept:.1%} are kept"
    lines = [
        f"{result.judgements} blocks judged of {size}",
        *_wordless(result.wordless),
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
    cells = []
    for measure in ("precision", "recall", "f1"):
        value = figures.get(measure)
        interval = value and f"{value.estimate:.3f} {value.low:.3f}-{value.high:.3f}"
        cells.append(interval or "-")
    return _row(name, f"{words:,.0f}", str(judged), cells)


def _row(name: str, words: str, judged: str, cells: tuple[str, ...] | list[str]) -> str:
    shown = name if len(name) <= 26 else name[:25] + "…"
    return f"{shown:26}{words:>12}{judged:>7}" + "".join(f"{cell:>18}" for cell in cells)
