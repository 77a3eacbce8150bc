"""Measure what each step of the post-analysis adds to the perceptron.

Run `python -m eval.mlp.post --data DIR`.

F1 on words by the decision of the shipped perceptron, of perceptrons that have not learned from a
page's set (wcxb-dev in folds by site); by kind of page too. Gains are paired to the same labels
without post-analysis.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from crfclean.decision.verdict import decide
from crfclean.parallel import map_in_order
from crfclean.products.papers.perceptron import marginals_from_scores
from crfclean.products.papers.post_analysis import ANALYSIS_STEPS, PostParams, corrected
from crfclean.products.teach.metrics import word_scores
from crfclean.products.teach.network_params import RECIPES
from eval.lib.corpora import data_parser
from eval.lib.intervals import mean
from eval.lib.mlp_predictions import SHIPPED, TRAIN, Scored, lessons, load_sets, predict
from eval.lib.record import environment, record

HOME = "wcxb-dev"
SETS = (HOME, "magic-html-article", "magic-html-forum", "fundus-dev", "daniel-dev", "dragnet-dev")
NONE = dict.fromkeys(ANALYSIS_STEPS, False)
VARIANTS: dict[str, dict[str, Any]] = {
    "none": NONE,
    "all": {},
    **{f"{step} alone": {**NONE, step: True} for step in ANALYSIS_STEPS},
    **{f"all but {step}": {step: False} for step in ANALYSIS_STEPS},
}


@dataclass(frozen=True)
class Result:
    """F1 on words by variant; `groups` that the page is in."""

    site: str
    groups: tuple[str, ...]
    f1: Mapping[str, float]


def score(scored: Scored, variants: Mapping[str, PostParams]) -> Result:
    """The page under every variant."""
    page, gold = scored.page, scored.page.gold
    evidence = page.evidence()
    measures = evidence.page
    tags = decide(
        evidence, marginals_from_scores(scored.scores, measures.table.in_heading), SHIPPED
    )
    texts = {
        name: page.text(corrected(measures, tags, params).tags.kept)
        for name, params in variants.items()
    }
    f1_by_text = {text: word_scores(text, gold.text).f1 for text in set(texts.values())}
    groups = (page.set, f"{page.set}, {gold.kind}") if page.set == HOME else (page.set,)
    return Result(gold.site, groups, {name: f1_by_text[text] for name, text in texts.items()})


def rows(pages: Sequence[Result]) -> list[dict[str, Any]]:
    """A row a variant: F1 and gain by group."""
    table = []
    for variant in pages[0].f1:
        row: dict[str, Any] = {"variant": variant}
        for group in dict.fromkeys(group for page in pages for group in page.groups):
            chosen = [page for page in pages if group in page.groups]
            sites, f1 = [page.site for page in chosen], [page.f1[variant] for page in chosen]
            gain = np.subtract(f1, [page.f1["none"] for page in chosen]).tolist()
            row[group] = {"pages": len(f1), "f1": mean(f1, sites), "gain": mean(gain, sites)}
        table.append(row)
    return table


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--name", default="steps")
    parser.add_argument("--variants", type=json.loads, default=VARIANTS, help="JSON; name: changes")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    variants = {name: PostParams(**changes) for name, changes in args.variants.items()}
    training = [page for name in TRAIN for page in lessons(name, args.data, args.workers)]
    tested = {
        name: [page for page in pages if page.gold.text.strip() and len(page.example)]
        for name, pages in load_sets(SETS, args.data, args.workers).items()
    }
    predicted = predict(RECIPES["tuned"], training, tested, HOME)
    table = rows(list(map_in_order(score, predicted, variants, args.workers)))
    for row in table:
        cells = [f"{name} {row[name]['f1'][0]:.4f} {row[name]['gain'][0]:+.4f}" for name in SETS]
        print(f"{row['variant']:20} {'  '.join(cells)}")
    parameters = {name: asdict(params) for name, params in variants.items()}
    record(f"mlp/post_{args.name}", {"variants": parameters, "rows": table, **environment()})


if __name__ == "__main__":
    main()
