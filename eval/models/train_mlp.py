"""Train the shipped perceptron, models/mlp.

Run `python -m eval.models.train_mlp --data DIR`.

It learns from all sets whose annotations allow it, by the preset `tuned`, and decides as the
shipped CRF does. The scores in the manifest are those of the last recorded run of `eval.mlp.post`.
"""

from __future__ import annotations

import json
import resource
import time
from dataclasses import asdict, replace
from pathlib import Path

from crfclean.model.folder import save_bundle
from crfclean.products.teach.network_params import RECIPES
from crfclean.products.teach.train import fit_mlp
from eval.lib.corpora import ROOT, data_parser
from eval.lib.mlp_predictions import FOLDS, LEARNED, SHIPPED, TRAIN, lessons
from eval.lib.record import RESULTS, environment, record
from eval.models.train_default import LICENCES
from eval.models.training_pages import all_digests, recipe_pages


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "models" / "mlp")
    parser.add_argument("--preset", default="tuned", choices=list(RECIPES))
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    pages = {name: lessons(name, args.data, args.workers) for name in TRAIN}
    sets = [
        {"name": name, "pages": len(set_pages), "licence": LICENCES[name]}
        for name, set_pages in pages.items()
    ]
    start = time.monotonic()
    examples = [page.example for set_pages in pages.values() for page in set_pages]
    bundle = fit_mlp(examples, RECIPES[args.preset], SHIPPED)
    seconds = round(time.monotonic() - start)
    run = json.loads((RESULTS / "mlp" / "post_steps.json").read_text("utf-8"))
    (row,) = [row for row in run["rows"] if row["variant"] == "all"]
    scores = {"set": "wcxb-dev", "folds_by_site": FOLDS, "f1": row["wcxb-dev"]["f1"]}
    digests = all_digests(recipe_pages(LEARNED, args.data, args.workers))
    save_bundle(replace(bundle, sets=sets, scores=scores, pages=digests), args.output)
    size = sum(path.stat().st_size for path in args.output.iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{args.output}: {size} bytes; trained in {seconds} s, peak {peak} MB")
    about = {"recipe": asdict(RECIPES[args.preset]), "preset": args.preset, "bytes": size}
    record("models/train_mlp", {**about, "seconds": seconds, "peak_mb": peak, **environment()})


if __name__ == "__main__":
    main()
