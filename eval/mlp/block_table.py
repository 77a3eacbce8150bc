"""Count blocks found, wrong and missed by the perceptron, without and with post-analysis.

Run `python -m eval.mlp.block_table --sets`.

Tables 5.3 to 5.6 of the paper, beside jusText and readability-lxml: perceptrons of the other sites,
folds by site over all sets at once, learned from the four train sets, within each set's own
convention. `--sets` without names measures the demo pages alone: there the CRF, too, by models of
the others of them, and by the shipped models, which have seen none of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.evaluate.cross_validation import Plan, cross_validate, prepare
from crfclean.evaluate.result import total_counts
from crfclean.evaluate.runner import Cleaned, PageScore, evaluate, score_page
from crfclean.evaluate.tables import aligned, percent
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.nn.params import RECIPES
from crfclean.page.blocks import split
from crfclean.page.measures import measured
from crfclean.page.tree import in_heading
from crfclean.parallel import map_in_order
from crfclean.taggers.load import SHIPPED, load
from crfclean.taggers.mlp import marginals_from_scores
from crfclean.taggers.postanalysis import PostParams, corrected, with_post
from crfclean.train.mlp import CUT
from crfclean.types import Document, Floats, Label, Tags
from eval.lib.block_figures import PEERS, Scores, ends, result, shares, text
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.mlp_predictions import TRAIN, load_sets, predict, tagged
from eval.lib.peers import attempt
from eval.lib.predictions import convention_of
from eval.lib.record import environment, record

OURS = ("mlp", "mlp + post", "crf", "crf + post")
NOTHING = Tags(np.zeros(0, np.int32), np.zeros((0, len(Label))), 0.0)


@dataclass(frozen=True)
class Job:
    """A page and the perceptron's scores (n,) of its blocks."""

    gold: GoldPage
    set: str
    scores: Floats


def score(job: Job, post: PostParams) -> dict[str, PageScore]:
    """Scores of the perceptron without and with post-analysis, then of the peers."""
    blocks = split(job.gold.page)
    page, keep = measured(blocks), convention_of(job.set)
    marginals = marginals_from_scores(job.scores, in_heading(page)) if len(blocks) else None
    tags = NOTHING if marginals is None else tagged(page, marginals, CUT, keep)
    cleaned = {}
    for name, labels in (("mlp", tags), ("mlp + post", corrected(page, tags, post).tags)):
        document = Document(None, blocks, labels)
        cleaned[name] = Cleaned(document.text, "ok", document)
    for name in PEERS:
        cleaned[name] = Cleaned(*attempt(name, job.gold.page.html, job.gold.lang))
    return dict(zip(cleaned, score_page(job.gold, list(cleaned.values())), strict=True))


def by_system(pages: Sequence[Mapping[str, PageScore]]) -> Scores:
    """Scores of each page by system -> system -> scores of the pages that it has."""
    names = dict.fromkeys(name for page in pages for name in page)
    return {name: [page[name] for page in pages if name in page] for name in names}


def show_blocks(scores: Scores, least: int) -> None:
    """Print the tables by source, without and with post-analysis, then all systems over all."""
    for name in OURS[:2]:
        print(f"{name}\n{text(scores, least, name)}")
    rows = [["", "found", "wrong", "begin", "end"]]
    for name, pages in scores.items():
        exact = [percent(ends(pages, side)["exact"], 1) for side in (0, 1)]
        rows.append([name, *shares(total_counts(pages)), *exact])
    print(aligned(rows), flush=True)


def of_demo(folder: Path, post: PostParams, workers: int) -> Scores:
    """The taggers on the demo pages, trained on the other sites and shipped; then the peers."""
    gold, scores = list(read_gold(folder)), {}
    for name in OURS:
        recipe = RECIPES["tuned"] if name.startswith("mlp") else None
        cut = CutParams() if recipe is None else CUT
        plan = Plan(cut=cut, recipe=recipe, post=post if name.endswith("post") else False)
        scored = cross_validate(prepare(gold, plan, workers), plan, workers)
        scores[name] = [page.scores[0] for page in scored]
    for kind in SHIPPED:
        bare = with_post(load(kind=kind), choice=False)
        for tagger, name in ((bare, kind), (with_post(bare, post), f"{kind} + post")):
            scores[f"{name}, in the box"] = list(evaluate(gold, tagger))
    for name in PEERS:
        texts = ((page, Cleaned(*attempt(name, page.page.html, page.lang))) for page in gold)
        scores[name] = [score_page(page, [cleaned])[0] for page, cleaned in texts]
    return scores


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=["daniel-dev", "irdata-big9"])
    parser.add_argument("--post", type=json.loads, default={}, help="parameters, JSON")
    parser.add_argument("--least", type=int, default=4, help="pages of a source that has a row")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    post = PostParams(**args.post)
    about = {"post": asdict(post), "recipe": asdict(RECIPES["tuned"]), "cut": asdict(CUT)}
    about |= environment()
    by_system_scores = of_demo(DEMO, post, args.workers)
    show_blocks(by_system_scores, args.least)
    record(
        "mlp/block_table_demo",
        {"set": "demo", "rows": result(by_system_scores, args.least), **about},
    )
    if not args.sets:
        return
    sets = load_sets((*TRAIN, *args.sets), args.data, args.workers)
    predicted = predict(RECIPES["tuned"], sets, args.sets)
    scores = {(page.page.set, page.page.gold.id): page.scores for page in predicted}
    for name in args.sets:
        jobs = [Job(gold, name, scores[name, gold.id]) for gold in corpus(name, args.data)]
        by_system_scores = by_system(list(map_in_order(score, jobs, post, args.workers)))
        print(name)
        show_blocks(by_system_scores, args.least)
        record(
            f"mlp/block_table_{name}",
            {"set": name, "rows": result(by_system_scores, args.least), **about},
        )


if __name__ == "__main__":
    main()
