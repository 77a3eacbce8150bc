"""Measure the precision that `--precision` gives on held-out collections, and fit its targets.

Run `python -m eval.accuracy.precision eval/accuracy/experiments/default.json --data DIR`.

Pages are predicted out-of-fold by site. For each precision that a user asks for, the target is the
least expected precision from which on the mean precision of a page, averaged over the collections
of `FITTED`, less one standard deviation among them, is what was asked for. What is reported of a
collection comes from targets that were fitted without it. Precision is the share of the kept words
that are gold words, a mean over the pages that keep some, as `crfclean eval` prints it.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from crfclean.evaluate.metrics import word_scores
from crfclean.taggers.decision import most_at_precision
from crfclean.taggers.params import CutParams
from crfclean.types import Floats
from eval.lib.descriptions import describe
from eval.lib.predictions import CONVENTIONS, Predicted
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import KEEP

FITTED = (
    *("wcxb-dev", "magic-html-article", "magic-html-forum"),
    *("web-forum-52-dev", "fundus-dev", "immortal-zh"),
)
"""Collections that may be learned from; the others are measured only."""
ASKED = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.97, 0.99)
REPORTED = (0.8, 0.9, 0.95, 0.99)
TARGETS = np.round(
    np.concatenate(
        [
            *(np.arange(0.5, 0.9, 0.02), np.arange(0.9, 0.99, 0.005)),
            *(np.arange(0.99, 0.9996, 0.0005), [1.0]),
        ]
    ),
    5,
)
"""Expected precisions that are tried."""
NEVER = len(TARGETS) - 1
"""The place of a target that no page has."""


@dataclass(frozen=True)
class Curves:
    """Mean precision of the pages with text, recall of all, share without text, by target."""

    pages: int
    precision: Floats
    recall: Floats
    without: Floats


def page_curves(page: Predicted, keep: tuple[str, ...]) -> list[tuple[float, float]]:
    """Precision (NaN without text) and recall of a page at each target."""
    # with what the page's kinds leave out whatever is asked for
    probability = page.tags_as(CutParams(keep=keep)).probabilities
    words = page.page.example.frame.words
    scores = dict[bytes, tuple[float, float]]()
    rows = []
    for target in TARGETS:
        kept = most_at_precision(probability, words, float(target))
        key = kept.tobytes()
        if key not in scores:
            text = word_scores(page.page.text(kept), page.page.gold.text)
            scores[key] = (text.precision, text.recall) if kept.any() else (np.nan, 0.0)
        rows.append(scores[key])
    return rows


def curves(pages: Sequence[Predicted], keep: tuple[str, ...]) -> Curves:
    """The means of a collection; NaN for targets that leave no page with text."""
    table = np.array([page_curves(page, keep) for page in pages])
    precision, recall = table[:, :, 0], table[:, :, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no page with text
        means = np.nanmean(precision, axis=0)
    return Curves(len(pages), means, recall.mean(axis=0), np.isnan(precision).mean(axis=0))


def place_of_target(fitted: Sequence[Curves], asked: float) -> int:
    """The place of the least target with what is asked for, `NEVER` where none has it."""
    precision = np.array([collection.precision for collection in fitted])
    bound = precision.mean(axis=0) - precision.std(axis=0, ddof=1)
    enough = np.flatnonzero(bound >= asked)
    return int(enough[0]) if len(enough) else NEVER


def report(by_set: Mapping[str, Curves], fitted: Mapping[str, Curves]) -> list[dict[str, Any]]:
    """A row a collection and precision, with targets fitted without the collection."""
    rows = []
    for name, collection in by_set.items():
        others = [curve for other, curve in fitted.items() if other != name]
        for asked in REPORTED:
            uncalibrated = int(np.abs(TARGETS - asked).argmin())
            row = {"set": name, "pages": collection.pages, "asked": asked}
            row |= _figures("", collection, place_of_target(others, asked))
            rows.append(row | _figures("before_", collection, uncalibrated))
    return rows


def _figures(prefix: str, collection: Curves, place: int) -> dict[str, float | None]:
    """Target, precision, recall and share without text at a place; None for no precision."""
    named = {"target": TARGETS, "precision": collection.precision, "recall": collection.recall}
    named |= {"without": collection.without}
    values = {name: float(column[place]) for name, column in named.items()}
    return {
        prefix + name: None if np.isnan(value) else round(value, 4)
        for name, value in values.items()
    }


def result(predicted: Sequence[Predicted]) -> dict[str, Any]:
    """The targets of all fitted collections, and rows of each, also by its own convention."""
    names = list(dict.fromkeys(page.page.set for page in predicted))
    by_set = {name: [page for page in predicted if page.page.set == name] for name in names}
    all_kinds = {name: curves(pages, KEEP) for name, pages in by_set.items()}
    conventional = {
        name: curves(pages, tuple(CONVENTIONS[name].split(",")))
        for name, pages in by_set.items()
        if name in CONVENTIONS
    }
    fitted = {name: all_kinds[name] for name in all_kinds if name in FITTED}
    places = {asked: place_of_target(list(fitted.values()), asked) for asked in ASKED}
    return {
        "fitted_on": list(fitted),
        "targets": {str(asked): float(TARGETS[place]) for asked, place in places.items()},
        "rows": report(all_kinds, fitted),
        "by_convention": report(conventional, fitted),
    }


def show(figures: Mapping[str, Any]) -> None:
    """Print the targets and the rows."""
    print("targets", figures["targets"])
    for kind in ("rows", "by_convention"):
        print(kind)
        for row in figures[kind]:
            print("  " + "  ".join(f"{name} {value}" for name, value in row.items()))


def main() -> None:
    args = predictions_parser(__doc__).parse_args()
    description = describe(args)
    figures = result(predictions(description, args))
    show(figures)
    described = {"description": asdict(description)}
    record("accuracy/precision", {**described, **figures, **environment()})


if __name__ == "__main__":
    main()
