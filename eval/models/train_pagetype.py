"""Train the shipped model of page types, models/pagetype.

Run `python -m eval.models.train_pagetype --data DIR`.

It learns from wcxb-dev and the two sets of magic-html. The scores in the manifest are those of the
last recorded run of `eval.documents.pagetype`.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from crfclean.pagetype.model import save_page_model
from crfclean.pagetype.train import PageParams, train_page_type, typed_pages
from eval.lib.corpora import ROOT, corpus, data_parser
from eval.lib.record import RESULTS, environment, record
from eval.models.train_default import LICENCES

FOLDS = 5
HOME, BESIDE = "wcxb-dev", ("magic-html-article", "magic-html-forum")


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--output", type=Path, default=ROOT / "models" / "pagetype")
    args = parser.parse_args()
    pages = {name: typed_pages(corpus(name, args.data)) for name in (HOME, *BESIDE)}
    sets = [
        {"name": name, "pages": len(set_pages), "licence": LICENCES[name]}
        for name, set_pages in pages.items()
    ]
    run = json.loads((RESULTS / "documents" / "pagetype.json").read_text("utf-8"))["scores"][
        "model"
    ]
    home = {"set": HOME, "folds_by_site": FOLDS}
    scores = {**home, **{key: run[key] for key in ("accuracy", "macro_f1")}}
    model = train_page_type(
        [page for set_pages in pages.values() for page in set_pages], PageParams()
    )
    save_page_model(
        replace(model, about={**model.about, "sets": sets, "scores": scores}), args.output
    )
    size = sum(path.stat().st_size for path in args.output.iterdir())
    print(f"{args.output}: {size} bytes")
    record("models/train_pagetype", {"bytes": size, "sets": sets, **environment()})


if __name__ == "__main__":
    main()
