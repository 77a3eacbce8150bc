"""Cross-validation by site: F1 on words by decision rule and page type, beside the peers.

Each fold's model is trained on the other folds' sites. The threshold and the flattening of a
fold are those that score best on the out-of-fold marginals of the other folds: a page's own score
never chooses its parameter (the other folds' models did see it in training). Intervals are 95 %
bootstrap intervals over sites.
"""

from __future__ import annotations

import hashlib
import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from corpora import corpus, parser
from peer_scores import peer_scores
from record import environment, record

from crfclean.blocks import split
from crfclean.cut import CutParams, best_expected_f1, flatten
from crfclean.evaluate import interval, word_scores
from crfclean.features import matrix
from crfclean.gold import GoldPage, gold_labels
from crfclean.measures import Measures
from crfclean.taggers.crf import from_bundle
from crfclean.train import Example, TrainParams, fit
from crfclean.types import Bools, Floats, Label
from crfclean.workers import map_in_order

THRESHOLDS = tuple(round(0.1 + 0.05 * step, 2) for step in range(13))
FLATTENINGS = (0.4, 0.5, 0.6, 0.7, 0.8, 1.0)


@dataclass(frozen=True)
class Prepared:
    """A page ready for training and scoring: block texts and words, columns and labels."""

    gold: GoldPage
    texts: tuple[str, ...]
    words: Floats
    example: Example


@dataclass(frozen=True)
class Predicted:
    """Out-of-fold marginals (n, 3) and Viterbi labels (n,) of a page."""

    page: Prepared
    fold: int
    marginals: Floats
    viterbi: Bools


def prepare(gold: GoldPage, _: None) -> Prepared:
    """Cut a page, compute its columns and align its gold; keep no HTML."""
    blocks = split(gold.page)
    measures = Measures(blocks)
    labels = gold_labels(gold, blocks)
    words = measures.words if len(blocks) else np.zeros(0)
    lean = replace(gold, page=replace(gold.page, html=""))
    return Prepared(lean, blocks.texts, words, Example(matrix(measures), labels))


def fold_of(site: str, folds: int) -> int:
    """The fold of a site: a digest of its name, the same on every machine."""
    return int(hashlib.sha256(site.encode()).hexdigest(), 16) % folds


def run_fold(fold: int, shared: tuple[list[Prepared], TrainParams, int]) -> list[Predicted]:
    """Train on the other folds, predict this one."""
    pages, params, folds = shared
    training = [page for page in pages if fold_of(page.gold.site, folds) != fold]
    bundle = fit([page.example for page in training], params)
    tagger = from_bundle(Path("fold"), bundle)
    predicted = []
    for page in pages:
        if fold_of(page.gold.site, folds) == fold:
            marginals, labels = tagger.predict(page.example.columns)
            predicted.append(Predicted(page, fold, marginals, labels != Label.OTHER))
    return predicted


def f1(page: Prepared, keep: Bools) -> float:
    """F1 of a page's text if these blocks are kept."""
    kept = (text for text, wanted in zip(page.texts, keep, strict=True) if wanted)
    return word_scores("\n".join(kept), page.gold.text).f1


def above(one: Predicted, threshold: float) -> Bools:
    """The blocks from a probability on."""
    kept: Bools = 1.0 - one.marginals[:, Label.OTHER] >= threshold
    return kept


def expected(one: Predicted, factor: float) -> Bools:
    """The blocks of the best expected F1."""
    probability = flatten(1.0 - one.marginals[:, Label.OTHER], factor)
    return best_expected_f1(probability, one.page.words)


def tuned(
    pages: Sequence[Predicted],
    rule: Callable[[Predicted, float], Bools],
    values: Sequence[float],
) -> tuple[Floats, list[float]]:
    """Scores (pages,) with each fold's parameter chosen on the other folds; and the choices."""
    grid = np.array([[f1(one.page, rule(one, value)) for value in values] for one in pages])
    folds = np.array([one.fold for one in pages])
    scores, chosen = np.zeros(len(pages)), []
    for fold in sorted(set(folds.tolist())):
        best = int(grid[folds != fold].mean(0).argmax())
        chosen.append(values[best])
        scores[folds == fold] = grid[folds == fold, best]
    return scores, chosen


def summary(scores: Floats, pages: Sequence[GoldPage]) -> dict[str, Any]:
    """Mean and interval over all pages, means and intervals by page type."""
    result = {"all": _mean(scores, pages)}
    for kind in sorted({page.kind for page in pages}):
        chosen = [place for place, page in enumerate(pages) if page.kind == kind]
        result[kind] = _mean(scores[chosen], [pages[place] for place in chosen])
    return result


def _mean(scores: Floats, pages: Sequence[GoldPage]) -> list[float]:
    low, high = interval(scores, [page.site for page in pages])
    return [round(float(scores.mean()), 4), round(low, 4), round(high, 4)]


def show(results: dict[str, dict[str, Any]]) -> None:
    """Print mean and interval of every system, over all pages and by page type."""
    for name, result in results.items():
        cells = (
            f"{kind} {m:.3f} [{low:.3f}, {high:.3f}]" for kind, (m, low, high) in result.items()
        )
        print(f"{name:26} " + "  ".join(cells))


def predict_all(gold: Sequence[GoldPage], params: TrainParams, given: Namespace) -> list[Predicted]:
    """Out-of-fold predictions of all pages, in their order."""
    pages = list(map_in_order(prepare, gold, None, given.workers))
    shared = (pages, params, given.folds)
    parts = map_in_order(run_fold, range(given.folds), shared, given.workers)
    found = {one.page.gold.id: one for part in parts for one in part}
    return [found[page.gold.id] for page in pages]


def our_systems(predicted: Sequence[Predicted]) -> tuple[dict[str, Floats], dict[str, Any]]:
    """Scores of every page under each decision rule, and the parameters that were chosen."""
    thresholded, thresholds = tuned(predicted, above, THRESHOLDS)
    expectation, flattenings = tuned(predicted, expected, FLATTENINGS)
    shipped = CutParams().flatten
    systems = {
        "crf, viterbi": np.array([f1(one.page, one.viterbi) for one in predicted]),
        "crf, tuned threshold": thresholded,
        "crf, expected F1": expectation,
        "crf, as shipped": np.array([f1(one.page, expected(one, shipped)) for one in predicted]),
    }
    grid = {
        factor: round(float(np.mean([f1(one.page, expected(one, factor)) for one in predicted])), 4)
        for factor in FLATTENINGS
    }
    chosen = {"thresholds": thresholds, "flattenings": flattenings, "f1_by_flattening": grid}
    return systems, chosen


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--set", default="wcxb-dev")
    args.add_argument("--folds", type=int, default=5)
    args.add_argument("--workers", type=int, default=2)
    args.add_argument("--params", type=json.loads, default={}, help="training parameters, JSON")
    args.add_argument("--no-peers", action="store_true")
    args.add_argument("--note", default="", help="what this experiment tries, for the log")
    given = args.parse_args()
    params = TrainParams(**given.params)
    gold = corpus(given.set, given.data)
    systems, chosen = our_systems(predict_all(gold, params, given))
    results = {}
    if not given.no_peers:
        for name, rows in peer_scores(given.set, gold, given.workers).items():
            systems[name] = np.array([row.f1 for row in rows])
            difference = systems["crf, as shipped"] - systems[name]
            results[f"difference to {name}"] = summary(difference, gold)
    results = {name: summary(scores, gold) for name, scores in systems.items()} | results
    show(results)
    print(chosen)
    cut = asdict(CutParams())
    result = {"set": given.set, "note": given.note, "params": asdict(params), "default_cut": cut}
    record("cross_validation", {**result, **chosen, "results": results, **environment()})


if __name__ == "__main__":
    main()
