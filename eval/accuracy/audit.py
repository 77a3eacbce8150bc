"""Measure the intervals of `crfclean audit` in simulated audits of sets with gold.

Run `python -m eval.accuracy.audit eval/accuracy/experiments/default.json --data DIR`.

Pages are predicted out-of-fold by site and decided as the shipped model does. A set, or all of them
together, is a run whose gold answers the judgements; a block belongs to the text if its gold label
is not OTHER. Each simulation draws anew, as `audit.sample` does: random words of each stratum.
Coverage is the share of simulations whose 95 % interval holds the measure of the whole run, and
width its mean width. Beside it, as many blocks drawn at random from all (each as likely as any
other), with the linearised ratio on the logit scale. Groups are the sets of the run of all sets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crfclean.audit.estimate import Estimates, estimates, group_estimates, overall_shares
from crfclean.audit.strata import STRATA, draw_order, stratum_of
from crfclean.audit.summary import LEAST_JUDGED, LEAST_WORDS, MAX_SITES
from crfclean.types import Bools, Floats, Ints, Label
from eval.lib.descriptions import describe
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import AUTO

JUDGEMENTS = (50, 100, 200)
MEASURES = ("precision", "recall", "f1")
QUANTILE = 1.959964
ALL = "all sets"
SITE_JUDGEMENTS = 100


@dataclass(frozen=True)
class Run:
    """The n blocks of a run that have words, all arrays (n,); `sets` and `sites` are numbers."""

    kept: Bools
    truth: Bools
    words: Floats
    probability: Floats
    strata: Ints
    sets: Ints
    sites: Ints

    def part(self, mask: Bools) -> Run:
        """Some of the blocks."""
        arrays = {name: values[mask] for name, values in self.__dict__.items()}
        return replace(self, **arrays)

    def words_by_stratum(self, weights: Floats | None = None) -> Floats:
        """The words of each stratum, (STRATA,), or their weighted sum."""
        values = self.words if weights is None else self.words * weights
        return np.bincount(self.strata, values, STRATA).astype(np.float64)

    @property
    def measures(self) -> dict[str, float]:
        """Precision, recall and F1 by words."""
        correct = float(self.words[self.kept & self.truth].sum())
        kept, belonging = float(self.words[self.kept].sum()), float(self.words[self.truth].sum())
        return {
            "precision": correct / kept,
            "recall": correct / belonging,
            "f1": 2 * correct / (kept + belonging),
        }


def run_of(pages: Sequence[Predicted]) -> Run:
    """The blocks of pages, as the shipped model decides."""
    names = sorted({page.page.set for page in pages})
    sites = {name: number for number, name in enumerate(sorted({_site(page) for page in pages}))}
    rows = []
    for page in pages:
        tags, example = page.tags_as(AUTO), page.page.example
        size = len(example)
        columns = (
            tags.kept,
            example.labels != Label.OTHER,
            example.frame.words,
            tags.probabilities,
            np.full(size, names.index(page.page.set)),
            np.full(size, sites[_site(page)]),
        )
        rows.append([column[example.frame.words > 0] for column in columns])
    kept, truth, words, probability, sets, places = (
        np.concatenate(columns) for columns in zip(*rows, strict=True)
    )
    pairs = zip(probability.tolist(), kept.tolist(), strict=True)
    strata = np.array([stratum_of(value, kept=was_kept) for value, was_kept in pairs])
    return Run(kept, truth, words, probability, strata, sets, places)


def _site(page: Predicted) -> str:
    return f"{page.page.set} {page.page.gold.site}"


Audit = tuple[Any, Any, Any]
"""Draws judged and draws that belong, by stratum, and the blocks drawn."""


def auditor(run: Run, count: int) -> Callable[[np.random.Generator], Audit]:
    """A function that draws `count` random words of a run's strata, and judges them."""
    words = run.words_by_stratum()
    means = run.words_by_stratum(run.probability) / np.where(words > 0, words, 1.0)
    sizes = np.bincount(list(draw_order(words, means, count)), minlength=STRATA)
    members = [np.flatnonzero(run.strata == stratum) for stratum in range(STRATA)]
    ends = [np.cumsum(run.words[places]) for places in members]

    def audit(random: np.random.Generator) -> Audit:
        drawn = [
            places[np.searchsorted(end, random.random(size) * end[-1], "right")]
            for places, end, size in zip(members, ends, sizes, strict=True)
            if size
        ]
        blocks = np.concatenate(drawn)
        belong = np.bincount(run.strata[blocks], run.truth[blocks], STRATA)
        return sizes.astype(np.float64), belong, blocks

    return audit


def simple_estimates(run: Run, blocks: Ints) -> dict[str, tuple[float, float]]:
    """The intervals of blocks drawn at random from all; a measure without meaning is missing."""
    words, kept, truth = run.words[blocks], run.kept[blocks], run.truth[blocks]
    both = words * (kept & truth)
    pairs = {
        "precision": (both, words * kept),
        "recall": (both, words * truth),
        "f1": (2 * both, words * kept + words * truth),
    }
    return {name: interval for name, pair in pairs.items() if (interval := _ratio(*pair))}


def _ratio(top: Floats, bottom: Floats) -> tuple[float, float] | None:
    """The 95 % interval of a ratio of sums, linearised, on the logit scale."""
    if not bottom.sum():
        return None
    value = float(top.sum() / bottom.sum())
    if not 0 < value < 1:
        return value, value
    error = np.sqrt(len(top) * np.var(top - value * bottom, ddof=1)) / bottom.sum()
    logit, half = np.log(value / (1 - value)), QUANTILE * error / (value * (1 - value))
    low, high = 1 / (1 + np.exp(np.clip([half - logit, -half - logit], -50, 50)))
    return float(low), float(high)


Means = list[list[float]]
"""Coverage and width of each of `MEASURES`."""


class Coverage:
    """How often intervals hold the truth, and how wide they are."""

    def __init__(self, truth: Mapping[str, float]) -> None:
        self._truth = truth
        self._rows: dict[str, list[tuple[bool, float]]] = {name: [] for name in MEASURES}

    def add(self, intervals: Mapping[str, tuple[float, float]]) -> None:
        """Note the intervals of a simulation; a missing one holds nothing, and is 1 wide."""
        for name in MEASURES:
            low, high = intervals.get(name, (0.0, 1.0))
            holds = name in intervals and low <= self._truth[name] <= high
            self._rows[name].append((holds, high - low))

    @property
    def means(self) -> Means:
        """Coverage and width of each of `MEASURES`."""
        means = (np.mean(self._rows[name], axis=0) for name in MEASURES)
        return [[round(float(value), 3) for value in pair] for pair in means]

    def __bool__(self) -> bool:
        return bool(self._rows["f1"])


def _pairs(figures: Estimates) -> dict[str, tuple[float, float]]:
    return {name: (interval.low, interval.high) for name, interval in figures.items()}


def simulated(run: Run, count: int, simulations: int) -> tuple[Means, Means]:
    """Coverage and width of audits of a run, and of blocks drawn at random."""
    words, audit, random = run.words_by_stratum(), auditor(run, count), np.random.default_rng(1)
    means = run.words_by_stratum(run.probability) / np.where(words > 0, words, 1.0)
    audited, simple = Coverage(run.measures), Coverage(run.measures)
    for _ in range(simulations):
        judged, belong, _ = audit(random)
        audited.add(_pairs(estimates(words, judged, belong, means)))
        simple.add(simple_estimates(run, random.integers(0, len(run.words), count)))
    return audited.means, simple.means


def of_groups(run: Run, groups: Ints, count: int, simulations: int) -> Means:
    """Mean coverage and width over groups of a run that have enough judgements."""
    audit, random = auditor(run, count), np.random.default_rng(1)
    parts = [run.part(groups == group) for group in range(groups.max() + 1)]
    rows = [Coverage(part.measures) for part in parts]
    words, means = run.words_by_stratum(), run.words_by_stratum(run.probability)
    for _ in range(simulations):
        judged, belong, blocks = audit(random)
        shares = overall_shares(judged, belong, means / np.where(words > 0, words, 1.0))
        for group, part in enumerate(parts):
            chosen = blocks[groups[blocks] == group]
            if len(chosen) >= LEAST_JUDGED:
                counts = _counts(run, chosen)
                rows[group].add(_pairs(group_estimates(part.words_by_stratum(), *counts, shares)))
    means_of_groups = [row.means for row in rows if row]
    pairs = np.array(means_of_groups).reshape(-1, len(MEASURES), 2).mean(axis=0)
    return [[round(float(value), 3) for value in pair] for pair in pairs]


def _counts(run: Run, blocks: Ints) -> tuple[Any, Any]:
    """Draws and draws that belong of some blocks, by stratum."""
    judged = np.bincount(run.strata[blocks], minlength=STRATA).astype(np.float64)
    return judged, np.bincount(run.strata[blocks], run.truth[blocks], STRATA)


def of_sites(run: Run, simulations: int) -> dict[str, float]:
    """The real F1 of the sites that an audit names as the weakest, and the mean of all sites."""
    words = np.zeros((run.sites.max() + 1, STRATA))
    np.add.at(words, (run.sites, run.strata), run.words)
    correct, belonging, kept = (
        np.bincount(run.sites, run.words * mask, len(words))
        for mask in (run.kept & run.truth, run.truth, run.kept)
    )
    real = 2 * correct / np.maximum(kept + belonging, 1)
    large = np.flatnonzero((words.sum(1) >= LEAST_WORDS) & (belonging > 0))
    audit, random = auditor(run, SITE_JUDGEMENTS), np.random.default_rng(1)
    totals = run.words_by_stratum()
    means = run.words_by_stratum(run.probability) / np.where(totals > 0, totals, 1.0)
    named, gaps = [], []
    for _ in range(simulations):
        judged, belong, blocks = audit(random)
        shares = overall_shares(judged, belong, means)
        expected = [_site_f1(run, site, words[site], blocks, shares) for site in large.tolist()]
        order = np.argsort(expected, kind="stable")[:MAX_SITES]
        named.append(real[large[order]].mean())
        gaps.append(np.mean(expected) - real[large].mean())
    lowest = np.sort(real[large])[:MAX_SITES].mean()
    figures = len(large), real[large].mean(), np.mean(named), lowest, np.mean(gaps)
    names = ("sites", "all", "named", "ten worst", "expected minus real")
    return {name: round(float(value), 3) for name, value in zip(names, figures, strict=True)}


def _site_f1(run: Run, site: int, words: Floats, blocks: Ints, shares: Floats) -> float:
    counts = _counts(run, blocks[run.sites[blocks] == site])
    return group_estimates(words, *counts, shares)["f1"].estimate


def main() -> None:
    parser = predictions_parser(__doc__)
    parser.add_argument("--simulations", type=int, default=500)
    args = parser.parse_args()
    pages = [page for page in predictions(describe(args), args) if page.page.gold.text.strip()]
    run = run_of(pages)
    names = sorted({page.page.set for page in pages})
    runs = {name: run.part(run.sets == number) for number, name in enumerate(names)} | {ALL: run}
    results: dict[str, Any] = {}
    rows: dict[int, list[tuple[Means, Means]]] = {count: [] for count in JUDGEMENTS}
    for name, part in runs.items():
        results[name] = {"real": [round(part.measures[measure], 3) for measure in MEASURES]}
        for count in JUDGEMENTS:
            rows[count].append(simulated(part, count, args.simulations))
            results[name][str(count)] = [coverage for coverage, _ in rows[count][-1][0]]
        print(name, results[name], flush=True)
    over_sets = {
        str(count): np.round(np.mean(pairs, axis=0), 3).tolist() for count, pairs in rows.items()
    }
    groups = {str(n): of_groups(run, run.sets, n, args.simulations) for n in JUDGEMENTS}
    print("groups", groups)
    sites = {name: of_sites(runs[name], 20) for name in ("wcxb-dev", "daniel-dev", "dragnet-dev")}
    print("sites", sites)
    fields = {"simulations": args.simulations, "measures": MEASURES, "results": results}
    fields |= {"mean audit, at random": over_sets, "groups": groups, "sites": sites}
    record("accuracy/audit", {**fields, **environment()})


if __name__ == "__main__":
    main()
