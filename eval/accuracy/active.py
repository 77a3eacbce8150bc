"""Active learning: labelled pages against F1, the least certain first or in random order.

For each of three folds of the pages: of the others so many are labelled (their gold), a model is
trained, alone and on top of a base, and scored on the fold. The least certain page is told by the
model of the step before, at first by the base, which has seen none of the pages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crfclean.bundle import Bundle, save
from crfclean.evidence import of_table
from crfclean.examples import fold_of
from crfclean.features import FEATURES
from crfclean.labelfiles import certainty
from crfclean.taggers.crf import from_bundle
from crfclean.train import TrainParams
from crfclean.types import Label
from crfclean.workers import map_in_order
from eval.accuracy.adaptation import base_model, learned, scores
from eval.lib.descriptions import describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import CONVENTIONS
from eval.lib.prepared import Prepared, load_set
from eval.lib.record import environment, record

SIZES = (5, 10, 20, 40, 80)
FOLDS = 3
ORDERS = ("certainty", "margin", "random 1", "random 2", "random 3")
SET = "irdata-big9"

Job = tuple[int, str, str]
Row = dict[str, Any]


def measured(bundle: Bundle, page: Prepared, order: str) -> float:
    """How sure a model is of a page: the session's certainty, or the mean margin of its blocks."""
    one, tagger = page.example, from_bundle(Path("model"), bundle)
    columns = of_table(
        one.columns, tuple(FEATURES), one.frame, bundle.encoder.names, bundle.network
    )
    found, _ = tagger.predict(columns)
    if order == "certainty":
        return certainty(found.max(1), np.array([len(text) for text in page.texts]))
    kept = 1.0 - found[:, Label.OTHER]
    return float(np.abs(kept - 0.5).mean()) if len(kept) else 0.5


def chosen(
    order: str, pool: Sequence[Prepared], count: int, bundle: Bundle, known: Sequence[Prepared]
) -> list[Prepared]:
    """The pages labelled so far and the next ones of an order, `count` in all."""
    rest = [page for page in pool if page.gold.id not in {one.gold.id for one in known}]
    if order.startswith("random"):
        key: Any = lambda page: hashlib.sha256(f"{order} {page.gold.id}".encode()).hexdigest()  # noqa: E731
    else:
        key = lambda page: (measured(bundle, page, order), page.gold.id)  # noqa: E731
    return [*known, *sorted(rest, key=key)[: count - len(known)]]


def run(job: Job, shared: tuple[list[Prepared], Path, Bundle]) -> list[Row]:
    """F1 of every test page by number of labelled pages."""
    fold, model, order = job
    pages, folder, base = shared
    pool = [page for page in pages if fold_of(page.gold.id, FOLDS) != fold]
    test = [page for page in pages if fold_of(page.gold.id, FOLDS) == fold]
    params = TrainParams(base=str(folder)) if model == "adapted" else TrainParams()
    keep = tuple(CONVENTIONS[SET].split(","))
    sites = [page.gold.site for page in test]
    known: list[Prepared] = []
    bundle, rows = base, []
    for size in SIZES:
        known = chosen(order, pool, size, bundle, known)
        bundle = learned(known, params) or bundle
        f1 = scores(bundle, test, keep if bundle is base else ())
        rows.append({"pages": size, "model": model, "order": order, "f1": f1, "sites": sites})
    return rows


def joined(rows: Sequence[Row], size: int, model: str, order: str) -> tuple[list[float], list[str]]:
    """F1 and sites of all folds' test pages; of several random orders the mean."""
    mine = [row for row in rows if (row["pages"], row["model"]) == (size, model)]
    names = dict.fromkeys(row["order"] for row in mine if row["order"].startswith(order))
    found = [[f1 for row in mine if row["order"] == name for f1 in row["f1"]] for name in names]
    first = mine[0]["order"]
    sites = [site for row in mine if row["order"] == first for site in row["sites"]]
    return np.mean(found, axis=0).tolist(), sites


def summary(rows: Sequence[Row]) -> list[Row]:
    """Mean F1 by model, pages and order, and the gain over random order."""
    found: list[Row] = []
    for model in ("alone", "adapted"):
        for size in SIZES:
            random, sites = joined(rows, size, model, "random")
            one: Row = {"model": model, "pages": size, "random": mean(random, sites)}
            for order in ("certainty", "margin"):
                f1, _ = joined(rows, size, model, order)
                one[order] = mean(f1, sites)
                one[f"{order} gain"] = mean(np.subtract(f1, random).tolist(), sites)
            found.append(one)
    return found


def main() -> None:
    given = description_parser(__doc__).parse_args()
    wanted = describe(given)
    pages = load_set(SET, given.data, given.workers)
    base = base_model(wanted, given.data, given.workers)
    jobs = [(f, m, o) for m in ("alone", "adapted") for o in ORDERS for f in range(FOLDS)]
    with TemporaryDirectory() as folder:
        save(base, Path(folder))
        parts = map_in_order(run, jobs, (pages, Path(folder), base), given.workers)
        rows = [row for part in parts for row in part]
    results = summary(rows)
    for one in results:
        print(one)
    record("active", {"description": wanted.note, "set": SET, "results": results, **environment()})


if __name__ == "__main__":
    main()
