"""The perceptron and its post-analysis, the CRF with and without it: words and blocks.

Models of the other sites, folds by site over all sets at once, the four train sets, no silver
labels; each set's own convention. F1 on words with intervals and paired gains of the post-analysis
(`mlp_words`); blocks found, wrong, missed, begin and end beside jusText and readability-lxml, as in
tables 5.3 to 5.6 of the paper (`mlp_blocks_SET`); the same on the demo pages, by models of them.
`--crf DIR` keeps the CRF's marginals for the next run; `--crf-folds` asks for some folds of it.
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
from mlp_predictions import FOLDS, TRAIN, load_sets, predict
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
from crfclean.types import Document, Floats, Label, Tags
from crfclean.workers import map_in_order

WORDS, BLOCKS = "wcxb-dev", ("daniel-dev", "irdata-big9")
OURS = ("mlp", "mlp + post", "crf", "crf + post")
EMPTY = (np.zeros((0, len(Label))), CUT)


@dataclass(frozen=True)
class Job:
    """A page, the perceptron's scores (n,) and the CRF's marginals (n, 3) of its blocks."""

    gold: GoldPage
    set: str
    scores: Floats
    marginals: Floats | None = None


@dataclass(frozen=True)
class Asked:
    """The parameters of the post-analysis, and the peers to score too."""

    post: PostParams
    peers: tuple[str, ...]


def score(job: Job, asked: Asked) -> dict[str, PageScore]:
    """Scores of the taggers that said something of the page, then of the peers."""
    blocks = split(job.gold.page)
    page = Measures(blocks)
    told = CONVENTIONS.get(job.set, "")
    keep = tuple(told.split(",")) if told else ()
    cleaned = {}
    given = {"mlp": (spread(job.scores, in_heading(page)), CUT)} if len(blocks) else {"mlp": EMPTY}
    if job.marginals is not None:
        given["crf"] = (job.marginals, CutParams())
    for name, (marginals, cut) in given.items():
        tags = Tags(np.zeros(0, np.int32), marginals, 0.0)
        if len(blocks):
            best = marginals.argmax(1).astype(np.int32)
            tags = decide(marginals, best, page.words, kinds(page), replace(cut, keep=keep))
        after = corrected(page, tags, asked.post, keep).tags
        for label, one in ((name, tags), (f"{name} + post", after)):
            document = Document(None, blocks, one)
            cleaned[label] = Cleaned(document.text, "ok", document)
    for name in asked.peers:
        cleaned[name] = Cleaned(*attempt(name, job.gold.page.html, job.gold.lang))
    return dict(zip(cleaned, score_page(job.gold, list(cleaned.values())), strict=True))


def crf_marginals(folder: Path, only: Sequence[int], given: Any) -> dict[str, Floats]:
    """Page of `WORDS` -> the CRF's out-of-fold marginals (n, 3); `folder` keeps a file a fold."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [fold for fold in only if not (folder / f"fold{fold}.npz").is_file()]
    if missing:
        told = json.loads(QUICK.read_text("utf-8"))
        wanted = replace(Description(**told), test=(WORDS,))
        data = load_data([wanted], given.data, given.workers)
        for fold in missing:
            found = predict_crf(replace(wanted, only=(fold,)), data, 1)
            arrays = {f"m{at}": one.marginals for at, one in enumerate(found)}
            ids = np.array([one.page.gold.id for one in found])
            np.savez_compressed(folder / f"fold{fold}.npz", ids=ids, **arrays)  # type: ignore[arg-type]
    marginals: dict[str, Floats] = {}
    for fold in only:
        with np.load(folder / f"fold{fold}.npz") as kept:
            marginals |= {name: kept[f"m{at}"] for at, name in enumerate(kept["ids"].tolist())}
    return marginals


def by_system(pages: Sequence[Mapping[str, PageScore]]) -> Scores:
    """Scores of each page by system -> system -> scores of the pages that it has."""
    names = dict.fromkeys(name for page in pages for name in page)
    return {name: [page[name] for page in pages if name in page] for name in names}


def words(pages: Sequence[Mapping[str, PageScore]]) -> dict[str, Any]:
    """By kind of page: F1 on words of each system, and what the post-analysis adds."""
    groups: dict[str, list[Mapping[str, PageScore]]] = {"all": list(pages)}
    for page in pages:
        groups.setdefault(page["mlp"].kind or "?", []).append(page)
    return {group: word_row(mine) for group, mine in groups.items()}


def word_row(pages: Sequence[Mapping[str, PageScore]]) -> dict[str, Any]:
    """The figures of a group of pages; those of the CRF's pages once more for all systems."""
    row: dict[str, Any] = {"pages": len(pages), **figures(pages, ("mlp",))}
    both = [page for page in pages if "crf" in page]
    if both:
        row["beside the crf"] = {"pages": len(both), **figures(both, ("mlp", "crf"))}
    return row


def figures(pages: Sequence[Mapping[str, PageScore]], names: Sequence[str]) -> dict[str, Any]:
    """F1 on words of some taggers, without and with post-analysis, and the paired gains."""
    sites = [page["mlp"].site for page in pages]
    f1 = {
        one: [page[one].words.f1 for page in pages]
        for name in names
        for one in (name, f"{name} + post")
    }
    gains = {name: np.subtract(f1[f"{name} + post"], f1[name]).tolist() for name in names}
    return {
        "f1": {name: mean(values, sites) for name, values in f1.items()},
        "gain of post": {name: mean(values, sites) for name, values in gains.items()},
    }


def show(name: str, rows: Mapping[str, Any]) -> None:
    """Print the word scores, a line a group."""
    print(name)
    for group, row in rows.items():
        for told in (row, row.get("beside the crf")):
            if told:
                cells = [f"{one} {interval(f1, '')}" for one, f1 in told["f1"].items()]
                cells += [
                    f"{one} {interval(gain, '+')}" for one, gain in told["gain of post"].items()
                ]
                print(f"  {group:14} {told['pages']:5}  {'  '.join(cells)}")


def interval(values: Sequence[float], sign: str) -> str:
    """`0.8193 [0.8012, 0.8370]`."""
    middle, low, high = (f"{value:{sign}.4f}" for value in values)
    return f"{middle} [{low}, {high}]"


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
    args.add_argument("--crf", type=Path, default=Path("crf-marginals"))
    args.add_argument("--crf-folds", nargs="*", type=int, default=range(FOLDS))
    args.add_argument("--post", type=json.loads, default={}, help="parameters, JSON")
    args.add_argument("--least", type=int, default=4, help="pages of a source that is printed")
    args.add_argument("--workers", type=int, default=1)
    given = args.parse_args()
    post, names = PostParams(**given.post), (WORDS, *BLOCKS)
    about = {"post": asdict(post), "recipe": asdict(PRESETS["tuned"]), **environment()}
    marginals = crf_marginals(given.crf, given.crf_folds, given)
    sets = load_sets((*TRAIN, *names), given.data, given.workers)
    predicted = predict(PRESETS["tuned"], sets, names)
    scores = {(one.page.set, one.page.gold.id): one.scores for one in predicted}
    for name in names:
        peers = PEERS if name in BLOCKS else ()
        jobs = [
            Job(
                gold, name, scores[name, gold.id], marginals.get(gold.id) if name == WORDS else None
            )
            for gold in corpus(name, given.data)
        ]
        pages = list(map_in_order(score, jobs, Asked(post, peers), given.workers))
        rows = words(pages)
        show(name, rows)
        told = {"set": name, "crf folds": list(given.crf_folds), "rows": rows}
        record(f"mlp_words_{name}", {**told, **about})
        if peers:
            found = by_system(pages)
            show_blocks(found, given.least)
            record(f"mlp_blocks_{name}", {"set": name, "rows": result(found), **about})
    found = of_demo(DEMO, post, given.workers)
    show_blocks(found, given.least)
    record("mlp_blocks_demo", {"set": "demo", "rows": result(found), **about})


if __name__ == "__main__":
    main()
