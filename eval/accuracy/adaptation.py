"""Measure what a few annotated pages of a site gain, alone and on top of a model.

Run `python -m eval.accuracy.adaptation DESCRIPTION --data DIR`.

For every host with 30 pages or more, N of its pages, in an order that their names give, train; the
others test. The base is trained on the sets of a description without the measured hosts.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from crfclean.decision.params import CutParams
from crfclean.decision.verdict import decide
from crfclean.modelfiles.folder import Bundle, save_bundle
from crfclean.nn.network_params import NetworkParams
from crfclean.parallel import map_in_order
from crfclean.taggers.crf import from_bundle
from crfclean.train.crf import fit
from crfclean.train.params import TrainParams
from crfclean.types import CrfcleanError
from eval.lib.descriptions import Description, describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import CONVENTIONS
from eval.lib.prepared import Prepared, load_set, load_silver, model_columns
from eval.lib.record import environment, record

LEAST_PAGES = 30
SIZES = (5, 10, 20)
SETS = ("irdata-big9", "daniel-dev")

Hosts = Mapping[str, Sequence[Prepared]]


def hosts(pages: Sequence[Prepared]) -> Hosts:
    """The pages of each host that has enough of them, in an order that their names give."""
    by_host = defaultdict(list)
    for page in pages:
        by_host[page.gold.site].append(page)
    key = lambda page: hashlib.sha256(page.gold.id.encode()).hexdigest()  # noqa: E731
    many = {
        host: host_pages for host, host_pages in by_host.items() if len(host_pages) >= LEAST_PAGES
    }
    return {host: sorted(host_pages, key=key) for host, host_pages in sorted(many.items())}


def scores(bundle: Bundle, pages: Sequence[Prepared], keep: tuple[str, ...]) -> list[float]:
    """F1 of a model on pages."""
    tagger = from_bundle(Path("model"), bundle)
    f1 = []
    for page in pages:
        columns = model_columns(page.example, bundle)
        marginals, best = tagger.predict(columns)
        params = CutParams(keep=keep)
        tags = decide(page.evidence(), marginals, best, params)
        f1.append(page.f1(tags.kept))
    return f1


def learned(pages: Sequence[Prepared], params: TrainParams) -> Bundle | None:
    """A model of a few pages, None where they have a single label."""
    try:
        return fit([page.example for page in pages], params)
    except CrfcleanError:
        return None


def run_host(
    job: tuple[str, Sequence[Prepared]], shared: tuple[Path, Bundle]
) -> list[dict[str, Any]]:
    """Scores of the base, of pages alone and of both together, by number of pages."""
    host, pages = job
    folder, base = shared
    keep = tuple(CONVENTIONS[pages[0].set].split(","))
    test = pages[max(SIZES) :]
    rows = [{"host": host, "pages": 0, "model": "base", "f1": scores(base, test, keep)}]
    for size in SIZES:
        for name, params in (("alone", TrainParams()), ("adapted", TrainParams(base=str(folder)))):
            bundle = learned(pages[:size], params)
            f1 = scores(bundle, test, ()) if bundle else [0.0] * len(test)
            rows.append({"host": host, "pages": size, "model": name, "f1": f1})
    return rows


def base_model(description: Description, data: str, workers: int) -> Bundle:
    """A model of the description's training sets."""
    pages = [page for name in description.train for page in load_set(name, data, workers)]
    examples = [page.example for page in pages if page.gold.text.strip()]
    for name in description.silver:
        examples += load_silver(name, data, workers)
    return fit(
        examples, TrainParams(**description.params), network=NetworkParams(**description.network)
    )


def values(rows: Sequence[Mapping[str, Any]], size: int, model: str) -> dict[str, list[float]]:
    """Host -> F1 of its test pages."""
    return {row["host"]: row["f1"] for row in rows if (row["pages"], row["model"]) == (size, model)}


def summary(rows: Sequence[Mapping[str, Any]], size: int, model: str) -> dict[str, Any]:
    """Mean F1, and paired gains over the base and over the pages alone, with intervals."""
    by_host = values(rows, size, model)
    sites = [host for host, f1 in by_host.items() for _ in f1]
    flat = [value for f1 in by_host.values() for value in f1]
    row: dict[str, Any] = {"pages": size, "model": model, "f1": mean(flat, sites)}
    for name, other in (("base", values(rows, 0, "base")), ("alone", values(rows, size, "alone"))):
        if other and model != name:
            pairs = [zip(by_host[host], other[host], strict=True) for host in by_host]
            gain = [value - other_value for pair in pairs for value, other_value in pair]
            row[f"gain over {name}"] = mean(gain, sites)
    row["hosts"] = {host: round(float(np.mean(f1)), 4) for host, f1 in by_host.items()}
    return row


def main() -> None:
    args = description_parser(__doc__).parse_args()
    description = describe(args)
    base = base_model(description, args.data, args.workers)
    jobs = [job for name in SETS for job in hosts(load_set(name, args.data, 2)).items()]
    with TemporaryDirectory() as folder:
        save_bundle(base, Path(folder))
        parts = map_in_order(run_host, jobs, (Path(folder), base), args.workers)
        rows = [row for part in parts for row in part]
    results = [summary(rows, *key) for key in dict.fromkeys((r["pages"], r["model"]) for r in rows)]
    for row in results:
        print(row)
    record(
        "accuracy/adaptation",
        {"description": description.note, "results": results, **environment()},
    )


if __name__ == "__main__":
    main()
