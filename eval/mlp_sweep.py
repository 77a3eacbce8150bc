"""Recipes of the perceptron side by side: out-of-fold F1 on words, paired to the first one's.

`python eval/mlp_sweep.py --vary NAME --values JSON JSON ...`: each value is a mapping of changes of
the preset (`--preset`); no post-analysis.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np
from corpora import parser
from experiment import mean
from mlp_predictions import TRAIN, Scored, load_sets, predict
from record import environment, record

from crfclean.cut import CutParams
from crfclean.nn.params import PRESETS, Recipe
from crfclean.types import Label

CUTS = {"threshold": CutParams("threshold"), "expected_f1": CutParams()}


def changed(recipe: Recipe, changes: dict[str, Any]) -> Recipe:
    """A recipe with other values; lists become tuples."""
    given: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one for key, one in changes.items()
    }
    return replace(recipe, **given)


def scores(predicted: Sequence[Scored]) -> dict[str, dict[str, list[float]]]:
    """Set -> rule -> F1 of every page."""
    found: dict[str, dict[str, list[float]]] = {}
    for one in predicted:
        mine = found.setdefault(one.page.set, {name: [] for name in CUTS})
        for name, cut in CUTS.items():
            mine[name].append(one.page.f1(one.tags(cut).kept))
    return found


def blocks(predicted: Sequence[Scored], cut: CutParams) -> dict[str, float]:
    """Blocks found and wrong as shares of the gold's, main headings aside."""
    gold, kept = (
        np.concatenate([(labels != Label.OTHER)[one.page.example.told] for one, labels in pairs])
        for pairs in (
            [(one, one.page.example.labels) for one in predicted],
            [(one, one.tags(cut).labels) for one in predicted],
        )
    )
    return {
        "found": float((gold & kept).sum() / gold.sum()),
        "wrong": float((kept & ~gold).sum() / gold.sum()),
    }


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--preset", default="tuned", choices=list(PRESETS))
    args.add_argument("--vary", required=True, help="name of the sweep")
    args.add_argument("--values", nargs="+", required=True, help="JSON mappings of changes")
    args.add_argument("--test", nargs="+", default=["wcxb-dev", "magic-html-article"])
    args.add_argument("--only", nargs="*", type=int, default=[], help="folds; default: all")
    args.add_argument("--workers", type=int, default=1)
    given = args.parse_args()
    sets = load_sets((*TRAIN, *given.test), given.data, given.workers)
    first: dict[str, dict[str, list[float]]] = {}
    rows = []
    for text in given.values:
        recipe, start = changed(PRESETS[given.preset], json.loads(text)), time.process_time()
        predicted = predict(recipe, sets, given.test, given.only)
        row: dict[str, Any] = {"changes": json.loads(text), "recipe": asdict(recipe)}
        row["cpu_s"] = round(time.process_time() - start)
        found = scores(predicted)
        first = first or found
        for name, rules in found.items():
            mine = [one for one in predicted if one.page.set == name]
            sites = [one.page.gold.site for one in mine]
            row[name] = {
                rule: {
                    "f1": mean(values, sites),
                    "gain": mean(np.subtract(values, first[name][rule]).tolist(), sites),
                    **blocks(mine, CUTS[rule]),
                }
                for rule, values in rules.items()
            }
        rows.append(row)
        cells = [
            f"{name} {rule} {one['f1'][0]:.4f} {one['gain'][0]:+.4f} "
            f"blocks {one['found']:.3f} -{one['wrong']:.3f}"
            for name in found
            for rule, one in row[name].items()
        ]
        print(f"{text:50} {row['cpu_s']:4} s  " + "  ".join(cells), flush=True)
    result = {"preset": given.preset, "vary": given.vary, "only": given.only, "rows": rows}
    record(f"mlp_sweep_{given.vary}", {**result, **environment()})


if __name__ == "__main__":
    main()
