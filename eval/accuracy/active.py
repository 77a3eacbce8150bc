"""Measure F1 against labelled pages, with the least certain page labelled first or a random one.

Run `python -m eval.accuracy.active DESCRIPTION --data DIR`.

For each of three folds of the pages, so many pages of the other folds are labelled (by their gold);
a model is trained on them, alone and on top of a base, and scored on the fold. The model of the
step before says which page it is least certain of; the first one is the base, which has seen no
page.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crfclean.annotate.sheet import certainty
from crfclean.modelfiles.folder import Bundle, save_bundle
from crfclean.parallel import map_in_order
from crfclean.taggers.crf import from_bundle
from crfclean.train.examples import fold_of
from crfclean.train.params import TrainParams
from crfclean.types import Label
from eval.accuracy.adaptation import base_model, learned, scores
from eval.lib.descriptions import describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import CONVENTIONS
from eval.lib.prepared import Prepared, load_set, model_columns
from eval.lib.record import environment, record

SIZES = (5, 10, 20, 40, 80)
FOLDS = 3
ORDERS = ("certainty", "margin", "random 1", "random 2", "random 3")
SET = "irdata-big9"

Job = tuple[int, str, str]
Row = dict[str, Any]


def measured(bundle: Bundle, page: Prepared, order: str) -> float:
    """How sure a model is of a page: the session's certainty, or the mean margin of its blocks."""
    tagger = from_bundle(Path("model"), bundle)
    columns = model_columns(page.example, bundle)
    marginals, _ = tagger.predict(columns)
    if order == "certainty":
        return certainty(marginals.max(1), np.array([len(text) for text in page.texts]))
    kept = 1.0 - marginals[:, Label.OTHER]
    return float(np.abs(kept - 0.5).mean()) if len(kept) else 0.5


def chosen(
    order: str, pool: Sequence[Prepared], count: int, bundle: Bundle, labelled: Sequence[Prepared]
) -> list[Prepared]:
    """The pages labelled so far and the next ones of an order, `count` in all."""
    rest = [
        page
        for page in pool
        if page.gold.id not in {labelled_page.gold.id for labelled_page in labelled}
    ]
    if order.startswith("random"):
        key: Any = lambda page: hashlib.sha256(f"{order} {page.gold.id}".encode()).hexdigest()  # noqa: E731
    else:
        key = lambda page: (measured(bundle, page, order), page.gold.id)  # noqa: E731
    return [*labelled, *sorted(rest, key=key)[: count - len(labelled)]]


def run(job: Job, shared: tuple[list[Prepared], Path, Bundle]) -> list[Row]:
    """F1 of every test page by number of labelled pages."""
    fold, model, order = job
    pages, folder, base = shared
    pool = [page for page in pages if fold_of(page.gold.id, FOLDS) != fold]
    test = [page for page in pages if fold_of(page.gold.id, FOLDS) == fold]
    params = TrainParams(base=str(folder)) if model == "adapted" else TrainParams()
    keep = tuple(CONVENTIONS[SET].split(","))
    sites = [page.gold.site for page in test]
    labelled: list[Prepared] = []
    bundle, rows = base, []
    for size in SIZES:
        labelled = chosen(order, pool, size, bundle, labelled)
        bundle = learned(labelled, params) or bundle
        f1 = scores(bundle, test, keep if bundle is base else ())
        rows.append({"pages": size, "model": model, "order": order, "f1": f1, "sites": sites})
    return rows


def joined(rows: Sequence[Row], size: int, model: str, order: str) -> tuple[list[float], list[str]]:
    """F1 and sites of all folds' test pages; of several random orders the mean."""
    matching = [row for row in rows if (row["pages"], row["model"]) == (size, model)]
    names = dict.fromkeys(row["order"] for row in matching if row["order"].startswith(order))
    by_order = [
        [f1 for row in matching if row["order"] == name for f1 in row["f1"]] for name in names
    ]
    first = matching[0]["order"]
    sites = [site for row in matching if row["order"] == first for site in row["sites"]]
    return np.mean(by_order, axis=0).tolist(), sites


def summary(rows: Sequence[Row]) -> list[Row]:
    """Mean F1 by model, pages and order, and the gain over random order."""
    summaries: list[Row] = []
    for model in ("alone", "adapted"):
        for size in SIZES:
            random, sites = joined(rows, size, model, "random")
            row: Row = {"model": model, "pages": size, "random": mean(random, sites)}
            for order in ("certainty", "margin"):
                f1, _ = joined(rows, size, model, order)
                row[order] = mean(f1, sites)
                row[f"{order} gain"] = mean(np.subtract(f1, random).tolist(), sites)
            summaries.append(row)
    return summaries


def main() -> None:
    args = description_parser(__doc__).parse_args()
    description = describe(args)
    pages = load_set(SET, args.data, args.workers)
    base = base_model(description, args.data, args.workers)
    jobs = [(f, m, o) for m in ("alone", "adapted") for o in ORDERS for f in range(FOLDS)]
    with TemporaryDirectory() as folder:
        save_bundle(base, Path(folder))
        parts = map_in_order(run, jobs, (pages, Path(folder), base), args.workers)
        rows = [row for part in parts for row in part]
    results = summary(rows)
    for row in results:
        print(row)
    record(
        "accuracy/active",
        {"description": description.note, "set": SET, "results": results, **environment()},
    )


if __name__ == "__main__":
    main()
