"""Measure a cascade: the first pass alone decides the pages that it is sure of, the model the rest.

Run `python -m eval.accuracy.cascade eval/accuracy/experiments/default.json --predictions FILE
--data DIR`, where FILE is what `eval.accuracy.experiment` has kept, or will be written.

A page without comments is left to the first pass where the F1 that it expects of its best choice of
blocks is above a bound; 0 leaves it all such pages, 1 none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from crfclean.taggers.decision import best_expected_f, expected_f1
from crfclean.taggers.learned import decide
from crfclean.taggers.params import CutParams
from crfclean.taggers.threads import LEAST_WORDS
from crfclean.types import Floats, Label
from eval.lib.descriptions import describe
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import KEEP

BOUNDS = (0.0, 0.8, 0.9, 0.93, 0.95, 0.97, 0.98, 0.99, 1.0)
"""Expected F1 above which the first pass decides alone."""
FIRST = "first pass"


@dataclass(frozen=True)
class Decided:
    """F1 of a page by the first pass alone and by the whole model, and how sure the first is."""

    set: str
    first: float
    whole: float
    sureness: float


def decided(page: Predicted, cut: CutParams) -> Decided:
    """A page, decided by the first pass alone and by the whole model."""

    def f1(marginals: Floats) -> float:
        facts = page.page.facts(marginals, cut)
        return page.page.f1(decide(marginals, page.best, facts, cut).kept)

    first = page.alone[FIRST]
    return Decided(page.page.set, f1(first), f1(page.marginals), sureness(page, first))


def sureness(page: Predicted, marginals: Floats) -> float:
    """The F1 to expect of the best choice of blocks, 0 for a page with comments."""
    kept, words = 1.0 - marginals[:, Label.OTHER], page.page.example.frame.words
    if (kept * words)[page.page.inside].sum() >= LEAST_WORDS:
        return 0.0
    return expected_f1(kept, words, best_expected_f(kept, words))


def row(pages: Sequence[Decided], sets: Sequence[str], bound: float) -> dict[str, Any]:
    """Mean F1 by set at a bound, their mean, and the share of pages that the first pass decides."""
    by_set = {name: [page for page in pages if page.set == name] for name in sets}
    f1 = {
        name: round(float(np.mean([p.first if p.sureness > bound else p.whole for p in part])), 4)
        for name, part in by_set.items()
    }
    share = float(np.mean([page.sureness > bound for page in pages]))
    mean = round(float(np.mean(list(f1.values()))), 4)
    return {"bound": bound, "decided by the first pass": round(share, 3), "mean": mean, "f1": f1}


def main() -> None:
    args = predictions_parser(__doc__).parse_args()
    description = describe(args)
    cut = CutParams(**{**description.cut, "keep": KEEP})
    pages = [decided(page, cut) for page in predictions(description, args)]
    rows = [row(pages, description.test, bound) for bound in BOUNDS]
    for values in rows:
        print(values, flush=True)
    record("accuracy/cascade", {"description": asdict(description), "rows": rows, **environment()})


if __name__ == "__main__":
    main()
