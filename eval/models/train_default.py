"""Train the shipped model, models/default.

Run `python -m eval.models.train_default --data DIR`.

It takes what `eval/accuracy/experiments/default.json` describes, from the sets whose annotations
allow it (eval/README.md says where to get them). The score in the manifest is that of the
last recorded run of `eval.accuracy.transfer`.
"""

from __future__ import annotations

import json
import resource
import time
from dataclasses import asdict, replace
from pathlib import Path

from crfclean.decision.rules import CutParams
from crfclean.model.folder import save_bundle
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import Example, TrainParams, fit
from eval.lib.corpora import ROOT, data_parser
from eval.lib.descriptions import DEFAULT, Description
from eval.lib.prepared import examples_of
from eval.lib.record import RESULTS, environment, record
from eval.models.training_pages import all_digests, recipe_pages

LICENCES = {
    "wcxb-dev": "CC-BY-4.0 (WCXB, Murrough Foley 2026)",
    "magic-html-article": "Apache-2.0 (magic-html, OpenDataLab)",
    "magic-html-forum": "Apache-2.0 (magic-html, OpenDataLab)",
    "web-forum-52-dev": "Apache-2.0 (harvest, FH Graubuenden)",
    "fundus-dev": "MIT (Fundus, flairNLP)",
    "immortal-zh": "MIT",
    "readability": "Apache-2.0 (output of Readability on its test pages, reviewed by its authors)",
    "recipes-dev": "MIT (recipe-scrapers), lines of each page",
    "courts-dev": "BSD-2-Clause (juriscraper), lines of each page",
    "various-dev": "labels by the authors of crfclean; pages of MIT collections",
    "trafilatura-dev": "Apache-2.0 (Trafilatura's snippets), else three of four extractors",
}
SILVER = "no annotation: blocks that three of four extractors keep"
AUTO = CutParams(convention="auto")
"""The decision of the shipped model."""


def data(
    description: Description, folder: str, workers: int
) -> tuple[list[Example], list[dict[str, object]]]:
    """The examples of pages with gold text, and what the manifest says of each set."""
    examples: list[Example] = []
    sets: list[dict[str, object]] = []
    for name in (*description.train, *description.lines, *description.silver):
        of_set = examples_of(name, description, folder, workers)
        examples += of_set
        sets.append({"name": name, "pages": len(of_set), "licence": LICENCES.get(name, SILVER)})
    return examples, sets


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "models" / "default")
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    description = Description(**json.loads(DEFAULT.read_text("utf-8")))
    examples, sets = data(description, args.data, args.workers)
    start = time.monotonic()
    cut = replace(AUTO, **description.cut)
    bundle = fit(
        examples, TrainParams(**description.params), cut, NetworkParams(**description.network)
    )
    seconds = round(time.monotonic() - start)
    run = json.loads((RESULTS / "accuracy" / "transfer.json").read_text("utf-8"))
    scores = {"set": "wcxb-dev, left out", "f1": run["results"]["wcxb-dev"]["crfclean"]["shipped"]}
    digests = all_digests(recipe_pages(description, args.data, args.workers))
    save_bundle(replace(bundle, sets=sets, scores=scores, pages=digests), args.output)
    size = sum(path.stat().st_size for path in args.output.iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{args.output}: {size} bytes; trained in {seconds} s, peak {peak} MB")
    result = {
        "description": asdict(description),
        "bytes": size,
        "seconds": seconds,
        "peak_mb": peak,
    }
    record("models/train_default", {**result, **environment()})


if __name__ == "__main__":
    main()
