"""Train the shipped model: `python eval/train_default.py --data DIR`.

It takes the sets whose annotations allow it (README.md says where to get them) and writes
models/default. The scores in the manifest are those of cross_validate.py's last recorded run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from corpora import corpus, parser
from record import RESULTS
from tqdm import tqdm

from crfclean.bundle import save
from crfclean.gold import GoldPage
from crfclean.train import train

ROOT = Path(__file__).parent.parent
LICENCES = {
    "wcxb-dev": "CC-BY-4.0 (WCXB, Murrough Foley 2026)",
    "magic-html-article": "Apache-2.0 (magic-html, OpenDataLab)",
    "magic-html-forum": "Apache-2.0 (magic-html, OpenDataLab)",
    "web-forum-52-dev": "Apache-2.0 (harvest, FH Graubuenden)",
}


def pages(data: str) -> Iterator[GoldPage]:
    """The pages of all training sets; those without gold text would teach to keep nothing."""
    for name in LICENCES:
        for gold in tqdm(corpus(name, data), desc=name, unit="page"):
            if gold.text.strip():
                yield gold


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--output", type=Path, default=ROOT / "models" / "default")
    given = args.parse_args()
    bundle = train(pages(given.data))
    run = json.loads((RESULTS / "cross_validation.json").read_text("utf-8"))
    scores = {
        "set": run["set"],
        "folds_by_site": 5,
        "f1": run["results"]["crf, as shipped"]["all"],
    }
    sets = [{**one, "licence": LICENCES[one["name"]]} for one in bundle.sets]
    save(replace(bundle, scores=scores, sets=sets), given.output)
    print(f"{given.output}: {len(bundle.weights)} bytes of weights")


if __name__ == "__main__":
    main()
