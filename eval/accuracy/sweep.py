"""Measure an experiment with several values of a key: ablations, learning curves, parameters.

Run `python -m eval.accuracy.sweep DESCRIPTION --vary KEY --values JSON JSON --data DIR`.

Each value takes the key's place in turn (`params.l2` reaches into a mapping); differences are
paired, to the first value's pages.
"""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from crfclean.decision.params import CutParams
from eval.lib.descriptions import Description, describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import Predicted, load_data, predict
from eval.lib.record import environment, record


def changed(description: Description, key: str, value: Any) -> Description:
    """A description with another value of a key."""
    name, _, inner = key.partition(".")
    if inner:
        value = {**getattr(description, name), inner: value}
    return replace(description, **{name: value})


def scores(predicted: list[Predicted], cut: CutParams) -> dict[str, list[float]]:
    """Set -> F1 of every page."""
    by_set: dict[str, list[float]] = {}
    for page in predicted:
        by_set.setdefault(page.page.set, []).append(page.page.f1(page.tags(cut).kept))
    return by_set


def sweep(description: Description, args: Namespace) -> list[dict[str, Any]]:
    """A row a value: means by set, and differences to the first value."""
    descriptions = [changed(description, args.vary, json.loads(text)) for text in args.values]
    first: dict[str, list[float]] = {}
    rows = []
    for text, varied in zip(args.values, descriptions, strict=True):
        data = load_data(varied, args.data, args.workers)
        predicted = predict(varied, data, args.workers)
        by_set = scores(predicted, CutParams(**varied.cut))
        first = first or by_set
        row: dict[str, Any] = {"value": json.loads(text)}
        for name, values in by_set.items():
            sites = [page.page.gold.site for page in predicted if page.page.set == name]
            gain = np.subtract(values, first[name])
            row[name] = {"f1": mean(values, sites), "gain": mean(gain.tolist(), sites)}
        rows.append(row)
        cells = (f"{name} {row[name]['f1'][0]:.4f} {row[name]['gain'][0]:+.4f}" for name in by_set)
        print(f"{args.vary} {text:30} " + "  ".join(cells), flush=True)
    return rows


def main() -> None:
    parser = description_parser(__doc__)
    parser.add_argument("--vary", required=True, help="KEY, or KEY.INNER")
    parser.add_argument("--values", nargs="+", required=True, help="JSON values")
    args = parser.parse_args()
    description = describe(args)
    rows = sweep(description, args)
    name = f"accuracy/sweep_{args.description.stem}_{args.vary}"
    result = {"description": asdict(description), "vary": args.vary, "rows": rows}
    record(name, {**result, **environment()})


if __name__ == "__main__":
    main()
