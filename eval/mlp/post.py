"""Measure what each step of the post-analysis adds to the perceptron and to the CRF.

Run `python -m eval.mlp.post --data DIR`.

F1 on words of out-of-fold labels on the sets that models are trained on, folds by site over all
sets at once, no silver labels, each set's convention; by kind of page too. Gains are paired to the
same labels without post-analysis. `--crf DIR` keeps the CRF's marginals, a file a fold;
`--crf-folds` asks for some folds of it: the CRF's rows are of their pages, and so are those of the
perceptron beside it.
"""

from __future__ import annotations

import json
import random
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.evaluate.metrics import word_scores
from crfclean.gold.pages import GoldPage
from crfclean.nn.params import RECIPES
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.page.tree import in_heading
from crfclean.parallel import map_in_order
from crfclean.taggers.mlp import marginals_from_scores
from crfclean.taggers.postanalysis import ANALYSIS_STEPS, PostParams, corrected
from crfclean.train.mlp import CUT
from crfclean.types import Floats
from eval.lib.corpora import corpus, data_parser
from eval.lib.descriptions import QUICK, Description
from eval.lib.intervals import mean
from eval.lib.mlp_predictions import FOLDS, TRAIN, load_sets, predict, tagged
from eval.lib.predictions import convention_of, load_data
from eval.lib.predictions import predict as predict_crf
from eval.lib.record import environment, record

HOME = "wcxb-dev"
SETS = (HOME, "magic-html-article", "magic-html-forum")
NONE = dict.fromkeys(ANALYSIS_STEPS, False)
VARIANTS: dict[str, dict[str, Any]] = {
    "all": {},
    **{f"{step} alone": {**NONE, step: True} for step in ANALYSIS_STEPS},
    **{f"all but {step}": {step: False} for step in ANALYSIS_STEPS},
}
RULES = {"mlp": CUT, "crf": CutParams()}
"""Tagger -> how it decides where nobody says how."""
Key = tuple[str, str]
"""Tagger, variant."""


@dataclass(frozen=True)
class Job:
    """A page, the perceptron's scores (n,) and the CRF's marginals (n, 3) of its blocks."""

    gold: GoldPage
    set: str
    scores: Floats
    marginals: Floats | None


@dataclass(frozen=True)
class Scored:
    """F1 on words by tagger and variant; `groups` that the page is in."""

    site: str
    groups: tuple[str, ...]
    f1: Mapping[Key, float]


def score(job: Job, variants: Mapping[str, PostParams]) -> Scored:
    """The page under every variant, by each tagger's own rule."""
    blocks = split(job.gold.page)
    page, keep = measured(blocks), convention_of(job.set)
    taggers = {"mlp": marginals_from_scores(job.scores, in_heading(page))}
    if job.marginals is not None:
        taggers["crf"] = job.marginals
    texts: dict[Key, str] = {}
    for name, marginals in taggers.items():
        tags = tagged(page, marginals, RULES[name], keep)
        for variant, params in variants.items():
            kept = np.flatnonzero(corrected(page, tags, params).tags.kept)
            texts[name, variant] = "\n".join(blocks.texts[at] for at in kept)
    f1_by_text = {text: word_scores(text, job.gold.text).f1 for text in set(texts.values())}
    groups = (job.set, f"{job.set}, {job.gold.kind}") if job.set == HOME else (job.set,)
    return Scored(job.gold.site, groups, {key: f1_by_text[text] for key, text in texts.items()})


def crf_marginals(args: Namespace) -> dict[str, Floats]:
    """Page of `HOME` -> the CRF's out-of-fold marginals (n, 3); `--crf` keeps a file a fold."""
    if args.crf is None:
        return {}
    args.crf.mkdir(parents=True, exist_ok=True)
    paths = {fold: args.crf / f"fold{fold}.npz" for fold in args.crf_folds}
    missing = [fold for fold, path in paths.items() if not path.is_file()]
    if missing:
        values = json.loads(QUICK.read_text("utf-8"))
        description = replace(Description(**values), test=(HOME,))
        data = load_data(description, args.data, args.workers)
        for fold in missing:
            predicted = predict_crf(replace(description, only=(fold,)), data, 1)
            arrays = {f"m{at}": page.marginals for at, page in enumerate(predicted)}
            ids = np.array([page.page.gold.id for page in predicted])
            np.savez_compressed(paths[fold], ids=ids, **arrays)  # type: ignore[arg-type]
    marginals: dict[str, Floats] = {}
    for path in paths.values():
        with np.load(path) as kept:
            marginals |= {name: kept[f"m{at}"] for at, name in enumerate(kept["ids"].tolist())}
    return marginals


def jobs(args: Namespace) -> list[Job]:
    """All pages with blocks, or a sample of them, and what was said of them out of fold."""
    crf = crf_marginals(args)
    loaded = load_sets(TRAIN, args.data, args.workers)
    predicted = predict(RECIPES["tuned"], loaded, SETS, args.folds)
    scores = {(page.page.set, page.page.gold.id): page.scores for page in predicted}
    all_jobs = []
    for name in SETS:
        for gold in corpus(name, args.data):
            page_scores = scores.get((name, gold.id))
            if page_scores is not None and len(page_scores):
                all_jobs.append(
                    Job(gold, name, page_scores, crf.get(gold.id) if name == HOME else None)
                )
    return random.Random(1).sample(all_jobs, args.pages) if args.pages else all_jobs  # noqa: S311


def rows(pages: Sequence[Scored]) -> list[dict[str, Any]]:
    """A row a tagger and variant: F1 and gain by group; the perceptron's beside the CRF, too."""
    both = [page for page in pages if ("crf", "none") in page.f1]
    parts = {"mlp": ("mlp", pages), "mlp beside crf": ("mlp", both), "crf": ("crf", both)}
    table = []
    for label, (tagger, tagger_pages) in parts.items():
        for variant in dict.fromkeys(key[1] for page in tagger_pages for key in page.f1):
            row: dict[str, Any] = {"tagger": label, "variant": variant}
            for group in dict.fromkeys(group for page in tagger_pages for group in page.groups):
                chosen = [page for page in tagger_pages if group in page.groups]
                sites, f1 = (
                    [page.site for page in chosen],
                    [page.f1[tagger, variant] for page in chosen],
                )
                gain = np.subtract(f1, [page.f1[tagger, "none"] for page in chosen]).tolist()
                row[group] = {"pages": len(f1), "f1": mean(f1, sites), "gain": mean(gain, sites)}
            table.append(row)
    return table


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--crf", type=Path)
    parser.add_argument("--crf-folds", nargs="*", type=int, default=range(FOLDS))
    parser.add_argument("--folds", nargs="*", type=int, default=range(FOLDS))
    parser.add_argument("--pages", type=int, default=0, help="a sample of so many; 0: all")
    parser.add_argument("--name", default="steps")
    parser.add_argument("--variants", type=json.loads, default=VARIANTS, help="JSON; name: changes")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    variants = {
        name: PostParams(**changes) for name, changes in {"none": NONE, **args.variants}.items()
    }
    table = rows(list(map_in_order(score, jobs(args), variants, args.workers)))
    for row in table:
        cells = [
            f"{name} {row[name]['f1'][0]:.4f} {row[name]['gain'][0]:+.4f}"
            for name in SETS
            if name in row
        ]
        print(f"{row['tagger']:15} {row['variant']:20} {'  '.join(cells)}")
    parameters = {name: asdict(params) for name, params in variants.items()}
    about = {"folds": list(args.folds), "crf folds": list(args.crf_folds), "pages": args.pages}
    record(
        f"mlp/post_{args.name}", {**about, "variants": parameters, "rows": table, **environment()}
    )


if __name__ == "__main__":
    main()
