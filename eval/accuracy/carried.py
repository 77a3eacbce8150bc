"""Compare the labels that pages carry with gold, and with what the shipped model keeps.

Run `python -m eval.accuracy.carried --data DIR`.

Of each set: pages, pages with labels by `articleBody` in their JSON-LD, and why the others have
none; on the labelled pages with gold the mean word F1 of the labels and of the shipped model, which
has learned from most of these pages.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from crfclean.carried.labels import carried_labels
from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.parallel import map_in_order
from crfclean.taggers.load import by_name
from crfclean.types import Ints, Label, Tagger
from eval.lib.corpora import corpus, data_parser
from eval.lib.intervals import mean
from eval.lib.record import environment, record

SETS = (
    *("fundus-dev", "wcxb-dev", "magic-html-article", "trafilatura-dev", "htmldate-dev"),
    *("readability", "immortal-zh", "daniel-dev", "dragnet-dev"),
)


def judged(gold: GoldPage, tagger: Tagger) -> tuple[str, tuple[float, float] | None]:
    """Why a page has no labels, "" if it has; F1 of labels and model where it has gold, too."""
    blocks = split(gold.page)
    tags = tagger.tag(blocks)
    carried = carried_labels(Measures(blocks), tags)
    if carried.reason or not gold.text.strip():
        return carried.reason, None

    def f1(labels: Ints) -> float:
        chosen = np.flatnonzero(labels != Label.OTHER)
        return word_scores("\n".join(blocks.texts[index] for index in chosen), gold.text).f1

    return "", (f1(carried.labels), f1(tags.labels))


def figures(name: str, data: str, workers: int) -> dict[str, Any]:
    """The figures of a set."""
    pages = corpus(name, data)
    verdicts = list(map_in_order(judged, pages, by_name("default"), workers))
    reasons = Counter(reason for reason, _ in verdicts)
    result: dict[str, Any] = {"pages": len(pages), "labelled": reasons.pop("", 0), **reasons}
    scored = [
        (page.site, scores)
        for page, (_, scores) in zip(pages, verdicts, strict=True)
        if scores is not None
    ]
    if scored:
        sites = [site for site, _ in scored]
        for place, system in enumerate(("labels", "default")):
            result[system] = list(mean([scores[place] for _, scores in scored], sites))
        result["above 0.9"] = sum(scores[0] > 0.9 for _, scores in scored)
    return result


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    results = {name: figures(name, args.data, args.workers) for name in SETS}
    for name, result in results.items():
        print(name, result)
    record("accuracy/carried", {"sets": results, **environment()})


if __name__ == "__main__":
    main()
