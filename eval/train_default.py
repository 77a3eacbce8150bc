"""Train the shipped model: `python eval/train_default.py --data DIR`.

It takes what `experiments/default.json` describes, from the sets whose annotations allow it
(README.md says where to get them), and writes models/default. The scores in the manifest are those
of the last recorded run of that experiment.
"""

from __future__ import annotations

import json
import resource
import time
from dataclasses import asdict, replace
from pathlib import Path

from corpora import parser
from predictions import Description
from prepared import load_set, load_silver
from record import RESULTS, environment, record

from crfclean.bundle import save
from crfclean.cut import CutParams
from crfclean.examples import Example
from crfclean.nn.params import NetworkParams
from crfclean.train import TrainParams, fit

ROOT = Path(__file__).parent.parent
DESCRIPTION = Path(__file__).parent / "experiments" / "default.json"
LICENCES = {
    "wcxb-dev": "CC-BY-4.0 (WCXB, Murrough Foley 2026)",
    "magic-html-article": "Apache-2.0 (magic-html, OpenDataLab)",
    "magic-html-forum": "Apache-2.0 (magic-html, OpenDataLab)",
    "web-forum-52-dev": "Apache-2.0 (harvest, FH Graubuenden)",
}
SILVER = "no annotation: blocks that three of four extractors keep"
KEEP = ("body", "title", "headers", "captions", "bylines", "comments")


def data(
    wanted: Description, folder: str, workers: int
) -> tuple[list[Example], list[dict[str, object]]]:
    """The examples of pages with gold text, and what the manifest says of each set."""
    examples: list[Example] = []
    sets: list[dict[str, object]] = []
    for name in wanted.train:
        mine = [one.example for one in load_set(name, folder, workers) if one.gold.text.strip()]
        examples += mine
        sets.append({"name": name, "pages": len(mine), "licence": LICENCES[name]})
    for name in wanted.silver:
        mine = load_silver(name, folder, workers)
        examples += mine
        sets.append({"name": name, "pages": len(mine), "licence": SILVER})
    return examples, sets


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--output", type=Path, default=ROOT / "models" / "default")
    args.add_argument("--workers", type=int, default=2)
    given = args.parse_args()
    wanted = Description(**json.loads(DESCRIPTION.read_text("utf-8")))
    examples, sets = data(wanted, given.data, given.workers)
    start = time.monotonic()
    cut = CutParams(**{**wanted.cut, "keep": KEEP})
    bundle = fit(examples, TrainParams(**wanted.params), cut, NetworkParams(**wanted.network))
    seconds = round(time.monotonic() - start)
    run = json.loads((RESULTS / "experiment_default.json").read_text("utf-8"))
    home = run["results"]["wcxb-dev"]["groups"]["all"]["f1"]["crfclean"]
    scores = {"set": "wcxb-dev", "folds_by_site": wanted.folds, "f1": home}
    save(replace(bundle, sets=sets, scores=scores), given.output)
    size = sum(path.stat().st_size for path in given.output.iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{given.output}: {size} bytes; trained in {seconds} s, peak {peak} MB")
    result = {"description": asdict(wanted), "bytes": size, "seconds": seconds, "peak_mb": peak}
    record("train_default", {**result, **environment()})


if __name__ == "__main__":
    main()
