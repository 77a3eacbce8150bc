"""The perceptron and its post-analysis, the CRF with and without it: words and blocks.

Models of the other sites, folds by site over all sets at once, the four train sets, no silver
labels; each set's own convention. F1 on words with intervals and paired gains of the post-analysis
(`mlp_words`); blocks found, wrong, missed, begin and end beside jusText and readability-lxml, as in
tables 5.3 to 5.6 of the paper (`mlp_blocks_SET`); the same on the demo pages, by models of them.
`--crf FILE` keeps the CRF's marginals for the next run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from block_table import DEMO, PEERS, QUICK, Scores, ends, result, shares, text
from corpora import corpus, parser
from experiment import mean
from mlp_predictions import TRAIN, load_sets, predict
from peers import attempt
from predictions import CONVENTIONS, Description, load_data
from predictions import predict as predict_crf
from record import environment, record

from crfclean.blocks import split
from crfclean.compare import total_counts
from crfclean.crossval import Plan, cross_validate, learn
from crfclean.cut import CutParams
from crfclean.evaluate import Cleaned, PageScore, score_page
from crfclean.features.kinds import kinds
from crfclean.features.tree import in_heading
from crfclean.gold import GoldPage, read_gold
from crfclean.measures import Measures
from crfclean.perceptron_fit import PRESETS
from crfclean.postanalysis import PostParams
from crfclean.tables import aligned, percent
from crfclean.taggers.crf import decide
from crfclean.taggers.mlp import spread
from crfclean.taggers.post import corrected
from crfclean.train_mlp import CUT
from crfclean.types import Document, Floats, Tags
from crfclean.workers import map_in_order

WORDS, BLOCKS = "wcxb-dev", ("daniel-dev", "irdata-big9")
OURS = ("mlp", "mlp + post", "crf", "crf + post")


@dataclass(frozen=True)
class Job:
    """A page, the perceptron's scores (n,) and the CRF's marginals (n, 3) of its blocks."""

    gold: GoldPage
    set: str
    scores: Floats
    marginals: Floats


@dataclass(frozen=True)
class Asked:
    """The parameters of the post-analysis, and the peers to score too."""

    post: PostParams
    peers: tuple[str, ...]


def score(job: Job, asked: Asked) -> list[PageScore]:
    """Scores of the four taggers, then of the peers."""
    blocks = split(job.gold.page)
    page = Measures(blocks)
    told = CONVENTIONS.get(job.set, "")
    keep = tuple(told.split(",")) if told else ()
    cleaned = []
    if len(blocks):
        found = spread(job.scores, in_heading(page))
        for marginals, cut in ((found, CUT), (job.marginals, CutParams())):
            best = marginals.argmax(1).astype(np.int32)
            tags = decide(marginals, best, page.words, kinds(page), replace(cut, keep=keep))
            after = corrected(page, tags, asked.post, keep).tags
            cleaned += [as_cleaned(Document(None, blocks, one)) for one in (tags, after)]
    else:
        empty = Tags(np.zeros(0, np.int32), np.zeros((0, 3)), 0.0)
        cleaned += [as_cleaned(Document(None, blocks, empty))] * len(OURS)
    cleaned += [Cleaned(*attempt(name, job.gold.page.html, job.gold.lang)) for name in asked.peers]
    return score_page(job.gold, cleaned)


def as_cleaned(document: Document) -> Cleaned:
    """A document as the scores want it."""
    return Cleaned(document.text, "ok", document)


def crf_marginals(
    path: Path | None, names: Sequence[str], given: Any
) -> dict[tuple[str, str], Floats]:
    """Set and page -> out-of-fold marginals (n, 3) of the CRF; read from `path` if it is there."""
    if path is not None and path.is_file():
        with np.load(path) as kept:
            keys = [tuple(key) for key in kept["keys"].tolist()]
            return {key: kept[f"m{at}"] for at, key in enumerate(keys)}
    told = json.loads(QUICK.read_text("utf-8"))
    wanted = replace(Description(**told), test=tuple(names), only=())
    predicted = predict_crf(wanted, load_data([wanted], given.data, given.workers), given.workers)
    found = {(one.page.set, one.page.gold.id): one.marginals for one in predicted}
    if path is not None:
        arrays = {f"m{at}": one for at, one in enumerate(found.values())}
        np.savez_compressed(path, keys=np.array(list(found)), **arrays)  # type: ignore[arg-type]
    return found


def by_system(pages: Sequence[Sequence[PageScore]], names: Sequence[str]) -> Scores:
    """Scores of each page by system -> system -> scores of all pages."""
    return {name: [page[at] for page in pages] for at, name in enumerate(names)}


def words(scores: Mapping[str, Sequence[PageScore]]) -> dict[str, Any]:
    """By kind of page: F1 on words of each system, and what the post-analysis adds."""
    groups: dict[str, list[int]] = {"all": list(range(len(scores["mlp"])))}
    for place, page in enumerate(scores["mlp"]):
        groups.setdefault(page.kind or "?", []).append(place)
    return {group: word_row(scores, places) for group, places in groups.items()}


def word_row(scores: Mapping[str, Sequence[PageScore]], places: Sequence[int]) -> dict[str, Any]:
    """The figures of a group of pages."""
    f1 = {name: [pages[at].words.f1 for at in places] for name, pages in scores.items()}
    sites = [scores["mlp"][at].site for at in places]
    found = {name: mean(values, sites) for name, values in f1.items()}
    gains = {
        name: mean(np.subtract(f1[f"{name} + post"], f1[name]).tolist(), sites)
        for name in ("mlp", "crf")
    }
    return {"pages": len(places), "f1": found, "gain of post": gains}


def show(name: str, rows: Mapping[str, Any]) -> None:
    """Print the word scores, a line a group."""
    print(name)
    for group, row in rows.items():
        cells = (f"{one} {f1[0]:.4f} [{f1[1]:.4f}, {f1[2]:.4f}]" for one, f1 in row["f1"].items())
        gains = (
            f"{one} {gain[0]:+.4f} [{gain[1]:+.4f}, {gain[2]:+.4f}]"
            for one, gain in row["gain of post"].items()
        )
        print(f"  {group:14} {row['pages']:5}  {'  '.join(cells)}  post: {'  '.join(gains)}")


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
    """The four taggers on the demo pages, models of the other sites; then the peers."""
    gold, found = list(read_gold(folder)), {}
    for name in OURS:
        recipe = PRESETS["tuned"] if name.startswith("mlp") else None
        cut = CutParams() if recipe is None else CUT
        plan = Plan(cut=cut, recipe=recipe, post=post if name.endswith("post") else False)
        scored = cross_validate(learn(gold, plan, workers), plan, workers)
        found[name] = [one.scores[0] for one in scored]
    for name in PEERS:
        texts = ((one, Cleaned(*attempt(name, one.page.html, one.lang))) for one in gold)
        found[name] = [score_page(one, [cleaned])[0] for one, cleaned in texts]
    return found


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--crf", type=Path)
    args.add_argument("--post", type=json.loads, default={}, help="parameters, JSON")
    args.add_argument("--least", type=int, default=4, help="pages of a source that is printed")
    args.add_argument("--workers", type=int, default=1)
    given = args.parse_args()
    post, names = PostParams(**given.post), (WORDS, *BLOCKS)
    about = {"post": asdict(post), "recipe": asdict(PRESETS["tuned"]), **environment()}
    marginals = crf_marginals(given.crf, names, given)
    sets = load_sets((*TRAIN, *names), given.data, given.workers)
    predicted = predict(PRESETS["tuned"], sets, names)
    scores = {(one.page.set, one.page.gold.id): one.scores for one in predicted}
    for name in names:
        peers = PEERS if name in BLOCKS else ()
        jobs = [
            Job(gold, name, scores[name, gold.id], marginals[name, gold.id])
            for gold in corpus(name, given.data)
        ]
        pages = list(map_in_order(score, jobs, Asked(post, peers), given.workers))
        found = by_system(pages, (*OURS, *peers))
        rows = words(found)
        show(name, rows)
        record(f"mlp_words_{name}", {"set": name, "rows": rows, **about})
        if peers:
            show_blocks(found, given.least)
            record(f"mlp_blocks_{name}", {"set": name, "rows": result(found), **about})
    found = of_demo(DEMO, post, given.workers)
    show_blocks(found, given.least)
    record("mlp_blocks_demo", {"set": "demo", "rows": result(found), **about})


if __name__ == "__main__":
    main()
