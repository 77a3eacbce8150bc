"""Count blocks found, wrong and missed by the perceptron, without and with post-analysis.

Run `python -m eval.mlp.block_table --data DIR`.

Tables 5.3 to 5.6 of the paper and F1 on words, by the decision of the shipped perceptron: of
perceptrons that have learned from no page of the set, nor of its sites (wcxb-dev in folds by site).
`--sets` without names measures the demo pages alone, by the shipped models. The peers' figures are
those of `eval.accuracy.block_table`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from crfclean.decision.evidence import Evidence
from crfclean.decision.verdict import decide
from crfclean.page.blocks import split
from crfclean.parallel import map_in_order
from crfclean.products.papers.perceptron import marginals_from_scores, without_post
from crfclean.products.papers.post_analysis import PostParams, corrected
from crfclean.products.teach.cleaning import Cleaned, PageScore, score_page
from crfclean.products.teach.gold import GoldPage, read_gold
from crfclean.products.teach.network_params import RECIPES
from crfclean.products.teach.runner import evaluate
from crfclean.systems.load import load
from crfclean.types import Document, Floats
from eval.lib.block_figures import Scores, result, show, words
from eval.lib.corpora import DEMO, corpus, data_parser
from eval.lib.mlp_predictions import SHIPPED, TRAIN, lessons, load_sets, predict
from eval.lib.record import environment, record

HOME = "wcxb-dev"
SETS = ("daniel-dev", "irdata-big9", "dragnet-dev", "cleaneval-dev", "fundus-dev")


@dataclass(frozen=True)
class Job:
    """A page and the perceptron's scores (n,) of its blocks."""

    gold: GoldPage
    scores: Floats


def score(job: Job, post: PostParams) -> dict[str, PageScore]:
    """Scores of the perceptron without and with post-analysis."""
    blocks = split(job.gold.page)
    tags = decide(
        Evidence(blocks), marginals_from_scores(job.scores, blocks.table.in_heading), SHIPPED
    )
    cleaned = {}
    for name, labels in (("mlp", tags), ("mlp + post", corrected(blocks, tags, post).tags)):
        document = Document(None, blocks, labels)
        cleaned[name] = Cleaned(document.text, "ok", document)
    return dict(zip(cleaned, score_page(job.gold, list(cleaned.values())), strict=True))


def of_demo(folder: Path, post: PostParams) -> Scores:
    """The shipped taggers on the demo pages."""
    gold, scores = list(read_gold(folder)), {}
    mlp = without_post(load(kind="mlp"))
    for name, tagger in {
        "crf": load(),
        "mlp": mlp,
        "mlp + post": replace(mlp, post=post),  # type: ignore[type-var]
    }.items():
        scores[name] = list(evaluate(gold, tagger))
    return scores


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--sets", nargs="*", default=SETS)
    parser.add_argument("--post", type=json.loads, default={}, help="parameters, JSON")
    parser.add_argument("--least", type=int, default=4, help="pages of a source that has a row")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    post = PostParams(**args.post)
    about = {"post": asdict(post), "recipe": asdict(RECIPES["tuned"]), "cut": asdict(SHIPPED)}
    about |= environment()
    scores = {"demo": of_demo(DEMO, post)}
    if args.sets:
        training = [page for name in TRAIN for page in lessons(name, args.data, args.workers)]
        loaded = load_sets(args.sets, args.data, args.workers)
        predicted = predict(RECIPES["tuned"], training, loaded, HOME)
        by_id = {(page.page.set, page.page.gold.id): page.scores for page in predicted}
    for name in args.sets:
        by_gold = ((gold, by_id[name, gold.id]) for gold in corpus(name, args.data))
        jobs = [Job(gold, blocks) for gold, blocks in by_gold if len(blocks)]
        pages = list(map_in_order(score, jobs, post, args.workers))
        scores[name] = {system: [page[system] for page in pages] for system in pages[0]}
    for name, by_system in scores.items():
        show(by_system, name)
        f1 = {system: round(words(pages), 4) for system, pages in by_system.items()}
        rows = result(by_system, args.least)
        record(f"mlp/block_table_{name}", {"set": name, "f1": f1, "rows": rows, **about})


if __name__ == "__main__":
    main()
