"""Compare recipes of the perceptron by out-of-fold F1 on words.

Run `python -m eval.mlp.sweep --vary NAME --values JSON JSON --data DIR`.

Each value is a mapping of changes of the preset (`--preset`); gains are paired to the first recipe.
There is no post-analysis.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from crfclean.decision.params import CutParams
from crfclean.nn.params import RECIPES, Recipe
from crfclean.types import Label
from eval.lib.corpora import data_parser
from eval.lib.intervals import mean
from eval.lib.mlp_predictions import TRAIN, Scored, load_sets, predict
from eval.lib.record import environment, record

CUTS = {"threshold": CutParams("threshold"), "expected_f1": CutParams()}


def changed(recipe: Recipe, changes: dict[str, Any]) -> Recipe:
    """A recipe with other values; lists become tuples."""
    values: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in changes.items()
    }
    return replace(recipe, **values)


def scores(predicted: Sequence[Scored]) -> dict[str, dict[str, list[float]]]:
    """Set -> rule -> F1 of every page."""
    by_set: dict[str, dict[str, list[float]]] = {}
    for page in predicted:
        by_rule = by_set.setdefault(page.page.set, {name: [] for name in CUTS})
        for name, cut in CUTS.items():
            by_rule[name].append(page.page.f1(page.tags(cut).kept))
    return by_set


def blocks(predicted: Sequence[Scored], cut: CutParams) -> dict[str, float]:
    """Blocks found and wrong as shares of the gold's, main headings aside."""
    gold, kept = (
        np.concatenate(
            [(labels != Label.OTHER)[page.page.example.informative] for page, labels in pairs]
        )
        for pairs in (
            [(page, page.page.example.labels) for page in predicted],
            [(page, page.tags(cut).labels) for page in predicted],
        )
    )
    return {
        "found": float((gold & kept).sum() / gold.sum()),
        "wrong": float((kept & ~gold).sum() / gold.sum()),
    }


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--preset", default="tuned", choices=list(RECIPES))
    parser.add_argument("--vary", required=True, help="name of the sweep")
    parser.add_argument("--values", nargs="+", required=True, help="JSON mappings of changes")
    parser.add_argument("--test", nargs="+", default=["wcxb-dev", "magic-html-article"])
    parser.add_argument("--only", nargs="*", type=int, default=[], help="folds; default: all")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    sets = load_sets((*TRAIN, *args.test), args.data, args.workers)
    first: dict[str, dict[str, list[float]]] = {}
    rows = []
    for text in args.values:
        recipe, start = changed(RECIPES[args.preset], json.loads(text)), time.process_time()
        predicted = predict(recipe, sets, args.test, args.only)
        row: dict[str, Any] = {"changes": json.loads(text), "recipe": asdict(recipe)}
        row["cpu_s"] = round(time.process_time() - start)
        by_set = scores(predicted)
        first = first or by_set
        for name, rules in by_set.items():
            pages = [page for page in predicted if page.page.set == name]
            sites = [page.page.gold.site for page in pages]
            row[name] = {
                rule: {
                    "f1": mean(values, sites),
                    "gain": mean(np.subtract(values, first[name][rule]).tolist(), sites),
                    **blocks(pages, CUTS[rule]),
                }
                for rule, values in rules.items()
            }
        rows.append(row)
        cells = [
            f"{name} {rule} {figures['f1'][0]:.4f} {figures['gain'][0]:+.4f} "
            f"blocks {figures['found']:.3f} -{figures['wrong']:.3f}"
            for name in by_set
            for rule, figures in row[name].items()
        ]
        print(f"{text:50} {row['cpu_s']:4} s  " + "  ".join(cells), flush=True)
    result = {"preset": args.preset, "vary": args.vary, "only": args.only, "rows": rows}
    record(f"mlp/sweep_{args.vary}", {**result, **environment()})


if __name__ == "__main__":
    main()
