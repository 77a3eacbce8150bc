"""Measure how the shipped recipe transfers: each collection by a model trained on all others.

Run `python -m eval.accuracy.transfer --data DIR --predictions FOLDER`.

A collection is judged by the measure of its set (`eval/lib/measure.py`), under its own convention
and as the shipped model is set, by models that have seen none of its pages and sites, neither with
gold nor with silver labels. Each type of pages has its own row. `--sets` names some of the
collections; the recorded results of others stay beside them, if the recipe is the same. `--against`
names a commit: the change of every set and type since its record, page by page where one fell.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import decide
from eval.lib.descriptions import Description, describe
from eval.lib.intervals import mean
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.measure import type_of, value
from eval.lib.predictions import Predicted, convention_of
from eval.lib.record import RESULTS, environment, record
from eval.lib.saved_predictions import names_of
from eval.lib.worths import Worth, by_type, changes, read, write
from eval.models.train_default import AUTO


def page_values(page: Predicted) -> dict[str, dict[str, float]]:
    """System -> convention -> the worth of a page's text; none for a page without gold."""
    systems = {"crfclean": page.marginals, **page.alone}
    cuts = {"own": CutParams(keep=convention_of(page.page.set)), "shipped": AUTO}
    evidence, gold = page.page.evidence(), page.page.gold
    values: dict[str, dict[str, float]] = {}
    for system, marginals in systems.items():
        for name, cut in cuts.items():
            kept = decide(evidence, marginals, cut).kept
            worth = value(page.page.set, gold, page.page.text(kept))
            if worth is not None:
                values.setdefault(system, {})[name] = worth
    return values


def judge(predicted: Sequence[Predicted]) -> tuple[dict[str, Any], list[Worth]]:
    """Means of a collection by system and convention, with intervals by site, and by type.

    Also return the worth of each page as shipped.
    """
    values = [page_values(page) for page in predicted]
    judged = [(page, row) for page, row in zip(predicted, values, strict=True) if row]
    sites = [page.page.gold.site for page, _ in judged]
    result: dict[str, Any] = {"pages": len(judged)}
    for system, by_name in judged[0][1].items():
        result[system] = {
            name: list(mean([row[system][name] for _, row in judged], sites)) for name in by_name
        }
    names = names_of([page.page for page, _ in judged]).tolist()
    worths = [
        worth_of(name, page, row["crfclean"]["shipped"])
        for name, (page, row) in zip(names, judged, strict=True)
    ]
    shipped = np.sort([row.worth for row in worths])
    result["worst 5 %"] = round(float(shipped[: max(1, len(shipped) // 20)].mean()), 4)
    _, *groups = by_type(worths).items()
    result["types"] = {
        rows[0].type: [len(rows), *mean([row.worth for row in rows], [row.site for row in rows])]
        for _, rows in groups
    }
    return result, worths


def worth_of(name: str, page: Predicted, worth: float) -> Worth:
    """A page with its type and its worth."""
    gold, of_set = page.page.gold, page.page.set
    return Worth(of_set, name, gold.site, type_of(gold, of_set), worth)


def earlier(file: Path, recipe: Description) -> dict[str, Any]:
    """The recorded results of the same recipe; none where it has changed."""
    recorded = json.loads(file.read_text("utf-8")) if file.exists() else {}
    described = json.loads(json.dumps(asdict(recipe)))
    return dict(recorded["results"]) if recorded.get("description") == described else {}


def main() -> None:
    parser = left_out_parser(__doc__)
    parser.add_argument("--against", metavar="COMMIT", help="show what changed since its record")
    args = parser.parse_args()
    recipe = replace(describe(args), note="")
    left_out, file = LeftOut(recipe, args), "accuracy/transfer"
    results = earlier(RESULTS / f"{file}.json", recipe)
    before, every = read(args.against) if args.against else {}, list[Worth]()
    for name in args.sets or left_out.names:
        results[name], worths = judge(left_out.predicted(name))
        every += worths
        print(name, results[name], flush=True)
        record(file, {"description": asdict(recipe), "results": results, **environment()})
    write(every)
    print(*changes(every, before), sep="\n")


if __name__ == "__main__":
    main()
