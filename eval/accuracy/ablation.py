"""Measure what each part of the decision gives, from out-of-fold predictions.

Run `python -m eval.accuracy.ablation eval/accuracy/experiments/default.json --predictions FILE
--data DIR`, where FILE is what `eval.accuracy.experiment` has kept, or will be written.

Each row leaves one part out of what ships: the gate that sets comments apart on articles, what
stands beside an article (captions, bylines, teasers, menus), the kinds that are no text anywhere,
tables as a whole, the rule of the highest expected F1, and each of the opinions that are pooled.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from crfclean.taggers.learned import BlockFacts, decide
from crfclean.taggers.params import CutParams
from eval.lib.descriptions import describe
from eval.lib.intervals import mean
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import KEEP

WHOLE = "as shipped"
Part = Callable[[BlockFacts], BlockFacts]
PARTS: Mapping[str, Part] = {
    WHOLE: lambda facts: facts,
    "without the gate of comments": lambda facts: replace(facts, verdict=None),
    "without what stands beside articles": lambda facts: replace(facts, beside=None),
    "without kinds that are no text": lambda facts: replace(facts, sure=None),
    "without whole tables": lambda facts: replace(facts, tables=None),
}
"""Name -> what is left of the facts that the decision knows."""
RULES = ("threshold", "viterbi")


def f1(page: Predicted, cut: CutParams, part: Part) -> float:
    """F1 of a page, decided by a part of the facts."""
    facts = part(page.page.facts(page.marginals, cut))
    return page.page.f1(decide(page.marginals, page.best, facts, cut).kept)


def variants(pages: Sequence[Predicted], cut: CutParams) -> dict[str, list[float]]:
    """Name -> F1 of every page."""
    scores = {name: [f1(page, cut, part) for page in pages] for name, part in PARTS.items()}
    for rule in RULES:
        other = replace(cut, rule=rule)
        scores[f"rule {rule}"] = [f1(page, other, PARTS[WHOLE]) for page in pages]
    for name in pages[0].alone:
        alone = [replace(page, marginals=page.alone[name]) for page in pages]
        scores[f"{name} alone"] = [f1(page, cut, PARTS[WHOLE]) for page in alone]
    return scores


def rows(pages: Sequence[Predicted], cut: CutParams) -> dict[str, Any]:
    """Name -> mean F1 with its interval, and the paired change against what ships."""
    scores, sites = variants(pages, cut), [page.page.gold.site for page in pages]
    shipped = scores[WHOLE]
    return {
        name: {
            "f1": mean(values, sites),
            "change": mean(np.subtract(values, shipped).tolist(), sites),
        }
        for name, values in scores.items()
    }


def main() -> None:
    args = predictions_parser(__doc__).parse_args()
    description = describe(args)
    predicted = predictions(description, args)
    cut = CutParams(**{**description.cut, "keep": KEEP})
    results = {}
    for name in description.test:
        results[name] = rows([page for page in predicted if page.page.set == name], cut)
        for part, row in results[name].items():
            print(f"{name:20} {part:36} {row['f1'][0]:.4f} {row['change'][0]:+.4f}", flush=True)
    record(
        "accuracy/ablation",
        {"description": asdict(description), "results": results, **environment()},
    )


if __name__ == "__main__":
    main()
