"""Train the shipped perceptron: `python eval/train_mlp.py --data DIR`.

It learns from the four sets whose annotations allow it, by the preset `tuned`, into models/mlp.
The scores in the manifest are those of the last recorded run of `mlp_post.py`.
"""

from __future__ import annotations

import json
import resource
import time
from dataclasses import asdict, replace
from pathlib import Path

from corpora import parser
from mlp_predictions import FOLDS, TRAIN, load_sets
from record import RESULTS, environment, record
from train_default import KEEP, LICENCES

from crfclean.bundle import save
from crfclean.nn.params import PRESETS
from crfclean.train_mlp import CUT, fit_mlp

SHIPPED = {"tagger": "mlp", "variant": "all"}
"""The row of the scores that is the shipped model's."""

ROOT = Path(__file__).parent.parent


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--output", type=Path, default=ROOT / "models" / "mlp")
    args.add_argument("--preset", default="tuned", choices=list(PRESETS))
    args.add_argument("--workers", type=int, default=1)
    given = args.parse_args()
    loaded = load_sets(TRAIN, given.data, given.workers)
    pages = {name: [one for one in loaded[name] if one.gold.text.strip()] for name in TRAIN}
    sets = [
        {"name": name, "pages": len(mine), "licence": LICENCES[name]}
        for name, mine in pages.items()
    ]
    start = time.monotonic()
    examples = [one.example for mine in pages.values() for one in mine]
    bundle = fit_mlp(examples, PRESETS[given.preset], replace(CUT, keep=KEEP))
    seconds = round(time.monotonic() - start)
    run = json.loads((RESULTS / "mlp_post_steps.json").read_text("utf-8"))
    (row,) = [one for one in run["rows"] if all(one[key] == SHIPPED[key] for key in SHIPPED)]
    scores = {"set": "wcxb-dev", "folds_by_site": FOLDS, "f1": row["wcxb-dev"]["f1"]}
    save(replace(bundle, sets=sets, scores=scores), given.output)
    size = sum(path.stat().st_size for path in given.output.iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{given.output}: {size} bytes; trained in {seconds} s, peak {peak} MB")
    told = {"recipe": asdict(PRESETS[given.preset]), "preset": given.preset, "bytes": size}
    record("train_mlp", {**told, "seconds": seconds, "peak_mb": peak, **environment()})


if __name__ == "__main__":
    main()
