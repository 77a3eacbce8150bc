"""Measure the texts of `clean --include levels` beside the union of three extractors.

Run `python -m eval.accuracy.levels eval/accuracy/experiments/default.json --data DIR`.

Pages are predicted out-of-fold by site and decided as the shipped model does; of each set the
first `--pages` are measured. A union has every word as often as the extractor that has it most
often. Precision, recall and F1 are means over pages, on words; words kept are sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from operator import or_
from typing import Any

import numpy as np

from crfclean.decision.rules import LEVELS, expected_precision, expected_recall, kept_at
from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.parallel import map_in_order
from crfclean.types import CoarseKind
from eval.lib.corpora import corpus
from eval.lib.descriptions import describe
from eval.lib.peers import PEERS
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import AUTO

UNITED = ("resiliparse", "trafilatura", "jusText")


@dataclass(frozen=True)
class Row:
    """A page's text at a level: scores, expected ones (0..1), and its number of words."""

    precision: float
    recall: float
    f1: float
    expected_precision: float
    expected_recall: float
    words: int


def scored(text: str, gold: str, expected: tuple[float, float] = (0.0, 0.0)) -> Row:
    """The row of a text."""
    scores = word_scores(text, gold)
    return Row(scores.precision, scores.recall, scores.f1, *expected, len(text.split()))


def of_levels(page: Predicted) -> dict[str, Row]:
    """The rows of a page by level."""
    tags, words = page.tags_as(AUTO), page.page.example.frame.words
    probability, rows = tags.probabilities, {}
    for name in LEVELS:
        kept = kept_at(name, tags, words, page.page.kinds == CoarseKind.COMMENTS)
        expected = (
            expected_precision(probability, words, kept),
            expected_recall(probability, words, kept),
        )
        rows[name] = scored(page.page.text(kept), page.page.gold.text, expected)
    return rows


def united(gold: GoldPage, _: object = None) -> str:
    """The words of the union of the extractors' texts of a page."""
    counts = [Counter(PEERS[name](gold.page.html, gold.lang).lower().split()) for name in UNITED]
    return " ".join(reduce(or_, counts).elements())


def means(rows: Sequence[Row]) -> dict[str, float]:
    """Means over pages; the words are summed."""
    columns = {name: [asdict(row)[name] for row in rows] for name in asdict(rows[0])}
    result = {name: round(float(np.mean(values)), 4) for name, values in columns.items()}
    return result | {"words": sum(columns["words"])}


def of_set(
    pages: Sequence[Predicted], by_id: Mapping[str, GoldPage], workers: int
) -> dict[str, Any]:
    """The figures of a set; `by_id` are its golds with their pages, which predictions lack."""
    golds = [by_id[page.page.gold.id] for page in pages]
    union = map_in_order(united, golds, None, workers)
    by_level = [of_levels(page) for page in pages]
    result: dict[str, Any] = {"pages": len(pages)}
    result |= {name: means([rows[name] for rows in by_level]) for name in LEVELS}
    result["union"] = means(
        [scored(text, gold.text) for text, gold in zip(union, golds, strict=True)]
    )
    return result


def main() -> None:
    parser = predictions_parser(__doc__)
    parser.add_argument("--pages", type=int, default=100, help="of each set")
    args = parser.parse_args()
    description = describe(args)
    predicted, results = predictions(description, args), {}
    for name in description.test:
        pages = [page for page in predicted if page.page.set == name and page.page.gold.text]
        by_id = {gold.id: gold for gold in corpus(name, args.data)}
        results[name] = of_set(pages[: args.pages], by_id, args.workers)
        print(name, results[name], flush=True)
    record("accuracy/levels", {"results": results, **environment()})


if __name__ == "__main__":
    main()
