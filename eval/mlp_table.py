"""Blocks found, wrong, missed, begin and end by the perceptron, without and with post-analysis.

Tables 5.3 to 5.6 of the paper, beside jusText and readability-lxml (`mlp_blocks_SET`): perceptrons
of the other sites, folds by site over all sets at once, learned from the four train sets, within
each set's own convention. On the demo pages the CRF, too: by models of the others of them, and by
those in the box, which have seen none of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from block_table import DEMO, PEERS, Scores, ends, result, shares, text
from corpora import corpus, parser
from mlp_predictions import TRAIN, convention, load_sets, predict, tagged
from peers import attempt
from record import environment, record

from crfclean.blocks import split
from crfclean.compare import total_counts
from crfclean.crossval import Plan, cross_validate, learn
from crfclean.cut import CutParams
from crfclean.evaluate import Cleaned, PageScore, evaluate, score_page
from crfclean.features.tree import in_heading
from crfclean.gold import GoldPage, read_gold
from crfclean.measures import Measures
from crfclean.nn.params import PRESETS
from crfclean.postanalysis import PostParams
from crfclean.tables import aligned, percent
from crfclean.taggers import SHIPPED, load
from crfclean.taggers.mlp import spread
from crfclean.taggers.post import corrected, with_post
from crfclean.train_mlp import CUT
from crfclean.types import Document, Floats, Label, Tags
from crfclean.workers import map_in_order

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
    page, keep = Measures(blocks), convention(job.set)
    tags = tagged(page, spread(job.scores, in_heading(page)), CUT, keep) if len(blocks) else NOTHING
    cleaned = {}
    for name, one in (("mlp", tags), ("mlp + post", corrected(page, tags, post, keep).tags)):
        document = Document(None, blocks, one)
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
    """The four taggers on the demo pages, of the other sites and in the box; then the peers."""
    gold, found = list(read_gold(folder)), {}
    for name in OURS:
        recipe = PRESETS["tuned"] if name.startswith("mlp") else None
        cut = CutParams() if recipe is None else CUT
        plan = Plan(cut=cut, recipe=recipe, post=post if name.endswith("post") else False)
        scored = cross_validate(learn(gold, plan, workers), plan, workers)
        found[name] = [one.scores[0] for one in scored]
    for kind in SHIPPED:
        bare = with_post(load(kind=kind), wanted=False)
        for tagger, name in ((bare, kind), (with_post(bare, post), f"{kind} + post")):
            found[f"{name}, in the box"] = list(evaluate(gold, tagger))
    for name in PEERS:
        texts = ((one, Cleaned(*attempt(name, one.page.html, one.lang))) for one in gold)
        found[name] = [score_page(one, [cleaned])[0] for one, cleaned in texts]
    return found


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--sets", nargs="*", default=["daniel-dev", "irdata-big9"])
    args.add_argument("--post", type=json.loads, default={}, help="parameters, JSON")
    args.add_argument("--least", type=int, default=4, help="pages of a source that is printed")
    args.add_argument("--workers", type=int, default=1)
    given = args.parse_args()
    post = PostParams(**given.post)
    about = {"post": asdict(post), "recipe": asdict(PRESETS["tuned"]), "cut": asdict(CUT)}
    about |= environment()
    found = of_demo(DEMO, post, given.workers)
    show_blocks(found, given.least)
    record("mlp_blocks_demo", {"set": "demo", "rows": result(found), **about})
    if not given.sets:
        return
    sets = load_sets((*TRAIN, *given.sets), given.data, given.workers)
    predicted = predict(PRESETS["tuned"], sets, given.sets)
    scores = {(one.page.set, one.page.gold.id): one.scores for one in predicted}
    for name in given.sets:
        jobs = [Job(gold, name, scores[name, gold.id]) for gold in corpus(name, given.data)]
        found = by_system(list(map_in_order(score, jobs, post, given.workers)))
        print(name)
        show_blocks(found, given.least)
        record(f"mlp_blocks_{name}", {"set": name, "rows": result(found), **about})


if __name__ == "__main__":
    main()
