"""Measure what `--precision` and the probabilities of blocks promise on collections left out.

Run `python -m eval.accuracy.precision --data DIR --predictions FOLDER`.

Each collection is predicted by a model that has seen none of it, and decided as the shipped model
does. For each precision that a user asks for, the target is the least expected precision from which
on the mean precision of a page, averaged over the other collections, less one standard deviation
among them, is what was asked for. Precision is the share of the kept words that are gold words, a
mean over the pages that keep some. The reliability table has, for blocks by their probability, the
share of words that are gold, by collection.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from crfclean.decision.choosing import most_at_precision
from crfclean.decision.verdict import decide
from crfclean.products.teach.metrics import word_scores
from crfclean.types import Floats, Label
from eval.lib.descriptions import describe
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.measure import LINES, SNIPPETS
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.models.train_default import AUTO

ASKED = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
REPORTED = (0.8, 0.9, 0.95)
STEPS = np.arange(0.5, 0.9, 0.02), np.arange(0.9, 0.99, 0.005), np.arange(0.99, 0.9996, 0.0005)
TARGETS = np.round(np.concatenate([*STEPS, [1.0]]), 5)
"""Expected precisions that are tried."""
NEVER = len(TARGETS) - 1
"""The place of a target that no page has."""
EDGES = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Bounds of probabilities in the table of reliability."""


@dataclass(frozen=True)
class Curves:
    """Mean precision of the pages with text, recall of all, share without text, by target."""

    pages: int
    precision: Floats
    recall: Floats
    without: Floats
    reliability: list[list[float | None]]


def page_curves(page: Predicted, probability: Floats) -> list[tuple[float, float]]:
    """Precision (NaN without text) and recall of a page at each target."""
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


def curves(pages: Sequence[Predicted]) -> Curves:
    """The figures of a collection; NaN for targets that leave no page with text."""
    tags = [decide(page.page.evidence(), page.marginals, AUTO) for page in pages]
    pairs = list(zip(pages, tags, strict=True))
    table = np.array([page_curves(page, of_page.probabilities) for page, of_page in pairs])
    precision, recall = table[:, :, 0], table[:, :, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no page with text
        means = np.nanmean(precision, axis=0)
    claimed = np.concatenate([of_page.probabilities for of_page in tags])
    gold = np.concatenate([page.page.example.labels != Label.OTHER for page in pages])
    words = np.concatenate([page.page.example.frame.words for page in pages])
    rows = reliability(claimed, gold, words)
    return Curves(len(pages), means, recall.mean(axis=0), np.isnan(precision).mean(axis=0), rows)


def reliability(claimed: Floats, gold: Floats, words: Floats) -> list[list[float | None]]:
    """Mean probability and share of gold, by words, between each two of `EDGES`."""
    rows: list[list[float | None]] = []
    for low, high in pairwise(EDGES):
        inside = (claimed >= low) & (claimed < high if high < 1 else claimed <= high)
        total = float(words[inside].sum())
        if not total:
            rows.append([None, None])
            continue
        parts = (float((words * values)[inside].sum()) / total for values in (claimed, gold))
        rows.append([round(part, 4) for part in parts])
    return rows


def place_of_target(fitted: Sequence[Curves], asked: float) -> int:
    """The place of the least target with what is asked for, `NEVER` where none has it."""
    precision = np.array([collection.precision for collection in fitted])
    bound = np.nanmean(precision, axis=0) - np.nanstd(precision, axis=0, ddof=1)
    enough = np.flatnonzero(bound >= asked)
    return int(enough[0]) if len(enough) else NEVER


def report(by_set: Mapping[str, Curves]) -> list[dict[str, Any]]:
    """A row a collection and precision, with targets fitted without the collection."""
    rows = []
    for name, collection in by_set.items():
        others = [curve for other, curve in by_set.items() if other != name]
        for asked in REPORTED:
            place = place_of_target(others, asked)
            figures = (TARGETS, collection.precision, collection.recall, collection.without)
            named = zip(("target", "precision", "recall", "without"), figures, strict=True)
            values = {key: round(float(column[place]), 4) for key, column in named}
            rows.append({"set": name, "pages": collection.pages, "asked": asked, **values})
    return rows


def main() -> None:
    args = left_out_parser(__doc__).parse_args()
    left_out = LeftOut(describe(args), args)
    by_set = {}
    for name in args.sets or left_out.names:
        if name not in (*LINES, SNIPPETS):
            pages = [page for page in left_out.predicted(name) if page.page.gold.text.strip()]
            by_set[name] = curves(pages)
            print(name, by_set[name].reliability, flush=True)
    places = {asked: place_of_target(list(by_set.values()), asked) for asked in ASKED}
    targets = {str(asked): float(TARGETS[place]) for asked, place in places.items()}
    rows = report(by_set)
    print(targets, *rows, sep="\n")
    reliable = {name: collection.reliability for name, collection in by_set.items()}
    result = {"targets": targets, "rows": rows, "edges": EDGES, "reliability": reliable}
    record("accuracy/precision", {**result, **environment()})


if __name__ == "__main__":
    main()
