"""One experiment with several values of a key: ablations, learning curves, parameters.

`python eval/sweep.py DESCRIPTION --vary KEY JSON JSON ...`: each value takes the key's place
in turn (`params.l2` reaches into a mapping); differences are paired, to the first value's pages.
"""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from crfclean.cut import CutParams
from eval.lib.descriptions import Description, describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import Predicted, load_data, predict
from eval.lib.record import environment, record


def changed(wanted: Description, key: str, value: Any) -> Description:
    """A description with another value of a key."""
    name, _, inner = key.partition(".")
    if inner:
        value = {**getattr(wanted, name), inner: value}
    return replace(wanted, **{name: value})


def scores(predicted: list[Predicted], cut: CutParams) -> dict[str, list[float]]:
    """Set -> F1 of every page."""
    found: dict[str, list[float]] = {}
    for one in predicted:
        found.setdefault(one.page.set, []).append(one.page.f1(one.tags(cut).kept))
    return found


def sweep(wanted: Description, given: Namespace) -> list[dict[str, Any]]:
    """A row a value: means by set, and differences to the first value."""
    descriptions = [changed(wanted, given.vary, json.loads(text)) for text in given.values]
    data = load_data(descriptions, given.data, given.workers)
    first: dict[str, list[float]] = {}
    rows = []
    for text, one in zip(given.values, descriptions, strict=True):
        predicted = predict(one, data, given.workers)
        found = scores(predicted, CutParams(**one.cut))
        first = first or found
        row: dict[str, Any] = {"value": json.loads(text)}
        for name, values in found.items():
            sites = [page.page.gold.site for page in predicted if page.page.set == name]
            gain = np.subtract(values, first[name])
            row[name] = {"f1": mean(values, sites), "gain": mean(gain.tolist(), sites)}
        rows.append(row)
        cells = (f"{name} {row[name]['f1'][0]:.4f} {row[name]['gain'][0]:+.4f}" for name in found)
        print(f"{given.vary} {text:30} " + "  ".join(cells), flush=True)
    return rows


def main() -> None:
    args = description_parser(__doc__)
    args.add_argument("--vary", required=True, help="KEY, or KEY.INNER")
    args.add_argument("--values", nargs="+", required=True, help="JSON values")
    given = args.parse_args()
    wanted = describe(given)
    rows = sweep(wanted, given)
    name = f"sweep_{given.description.stem}_{given.vary}"
    result = {"description": asdict(wanted), "vary": given.vary, "rows": rows}
    record(name, {**result, **environment()})


if __name__ == "__main__":
    main()
