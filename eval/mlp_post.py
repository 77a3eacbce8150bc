"""Steps of the post-analysis one by one: what each adds on words after the perceptron and the CRF.

Out-of-fold labels on the sets that models are trained on, each set's convention; gains are paired
to the same labels without post-analysis. `--crf DIR` has the CRF's marginals (`mlp_table.py`).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from corpora import corpus, parser
from experiment import mean
from mlp_predictions import FOLDS, TRAIN, load_sets, predict
from mlp_sweep import CUTS
from mlp_table import WORDS, crf_marginals
from predictions import CONVENTIONS
from record import environment, record

from crfclean.blocks import split
from crfclean.features.kinds import kinds
from crfclean.features.tree import in_heading
from crfclean.gold import GoldPage
from crfclean.measures import Measures
from crfclean.perceptron_fit import PRESETS
from crfclean.postanalysis import STEPS, PostParams
from crfclean.scores import word_scores
from crfclean.taggers.crf import decide
from crfclean.taggers.mlp import spread
from crfclean.taggers.post import corrected
from crfclean.types import Floats
from crfclean.workers import map_in_order

SETS = ("wcxb-dev", "magic-html-article", "magic-html-forum")
NONE = dict.fromkeys(STEPS, False)
VARIANTS: dict[str, dict[str, Any]] = {
    "none": NONE,
    "all": {},
    **{f"{step} alone": {**NONE, step: True} for step in STEPS},
    **{f"all but {step}": {step: False} for step in STEPS},
}


@dataclass(frozen=True)
class Job:
    """A page and what taggers say of its blocks: tagger -> marginals (n, 3)."""

    gold: GoldPage
    set: str
    scores: Floats
    marginals: Floats | None


@dataclass(frozen=True)
class Scored:
    """F1 on words by tagger, rule and variant."""

    site: str
    set: str
    f1: dict[tuple[str, str, str], float]


def score(job: Job, variants: dict[str, PostParams]) -> Scored:
    """The page under every rule and variant."""
    blocks = split(job.gold.page)
    page, told = Measures(blocks), CONVENTIONS.get(job.set, "")
    keep = tuple(told.split(",")) if told else ()
    found = {}
    taggers = {"mlp": spread(job.scores, in_heading(page))} if len(blocks) else {}
    if job.marginals is not None and len(blocks):
        taggers["crf"] = job.marginals
    for name, marginals in taggers.items():
        best = marginals.argmax(1).astype(np.int32)
        for rule, cut in CUTS.items():
            tags = decide(marginals, best, page.words, kinds(page), replace(cut, keep=keep))
            for variant, params in variants.items():
                kept = corrected(page, tags, params, keep).tags.kept
                text = "\n".join(blocks.texts[at] for at in np.flatnonzero(kept))
                found[name, rule, variant] = word_scores(text, job.gold.text).f1
    return Scored(job.gold.site, job.set, found)


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--crf", type=Path)
    args.add_argument("--crf-folds", nargs="*", type=int, default=range(FOLDS))
    args.add_argument("--name", default="steps")
    args.add_argument("--variants", type=json.loads, default=VARIANTS, help="JSON; name: changes")
    args.add_argument("--workers", type=int, default=1)
    given = args.parse_args()
    variants = {name: PostParams(**one) for name, one in {"none": NONE, **given.variants}.items()}
    crf = {} if given.crf is None else crf_marginals(given.crf, given.crf_folds, given)
    sets = load_sets(TRAIN, given.data, given.workers)
    predicted = predict(PRESETS["tuned"], sets, SETS)
    scores = {(one.page.set, one.page.gold.id): one.scores for one in predicted}
    jobs = [
        Job(gold, name, scores[name, gold.id], crf.get(gold.id) if name == WORDS else None)
        for name in SETS
        for gold in corpus(name, given.data)
        if len(scores[name, gold.id])
    ]
    pages = list(map_in_order(score, jobs, variants, given.workers))
    rows = []
    for tagger, rule, variant in dict.fromkeys(key for page in pages for key in page.f1):
        row: dict[str, Any] = {"tagger": tagger, "rule": rule, "variant": variant}
        for name in SETS:
            mine = [one for one in pages if one.set == name and (tagger, rule, variant) in one.f1]
            if not mine:
                continue
            sites = [one.site for one in mine]
            f1 = [one.f1[tagger, rule, variant] for one in mine]
            gain = np.subtract(f1, [one.f1[tagger, rule, "none"] for one in mine])
            row[name] = {"f1": mean(f1, sites), "gain": mean(gain.tolist(), sites)}
        rows.append(row)
        cells = [
            f"{name} {row[name]['f1'][0]:.4f} {row[name]['gain'][0]:+.4f}"
            for name in SETS
            if name in row
        ]
        print(f"{tagger:4} {rule:12} {variant:20} {'  '.join(cells)}", flush=True)
    about = {"variants": given.variants, "rows": rows, **environment()}
    record(f"mlp_post_{given.name}", about)


if __name__ == "__main__":
    main()
