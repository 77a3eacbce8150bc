"""A description -> an experiment: models by fold, out-of-fold scores by set, a line of the log.

`python eval/experiment.py eval/experiments/NAME.json [--set KEY=JSON ...]`. The folds are by site,
over all sets at once: no page, with gold or silver labels, is scored by a model that has seen its
site. README.md says what the keys of a description mean.
"""

from __future__ import annotations

import hashlib
import json
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from calibration import expected_calibration_error
from corpora import corpus, parser
from peer_scores import peer_scores
from prepared import Prepared, load_set, load_silver
from record import environment, record

from crfclean.backprop import NetworkParams
from crfclean.cut import CutParams
from crfclean.evaluate import confusion, interval, label_scores
from crfclean.evidence import of_table
from crfclean.examples import Example, fold_of
from crfclean.features import FEATURES, GROUPS
from crfclean.taggers.chain import marginals, viterbi
from crfclean.taggers.crf import decide, from_bundle
from crfclean.train import TrainParams, fit
from crfclean.types import Floats, Ints, Label, Tags
from crfclean.workers import map_in_order

CONVENTIONS = {
    "wcxb-dev": "body,headers,captions,bylines,comments",
    "magic-html-article": "body,headers,captions,bylines",
    "daniel-dev": "body,title,headers",
    "irdata-big9": "body,title,headers",
}
"""Set -> the kinds of blocks that its annotations keep, as its documentation or first pages show;
the others' keep what the model does."""


@dataclass(frozen=True)
class Description:
    """What an experiment is: data, features, tagger, folds, seed.

    `without` are groups or names of features that are blanked out; `pages` limits the training
    pages of a fold (0: all), for learning curves; `seed` orders them.
    """

    note: str = ""
    train: Sequence[str] = ("wcxb-dev",)
    silver: Sequence[str] = ()
    test: Sequence[str] = ("wcxb-dev",)
    without: Sequence[str] = ()
    pages: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    network: Mapping[str, Any] = field(default_factory=dict)
    cut: Mapping[str, Any] = field(default_factory=dict)
    folds: int = 5
    only: Sequence[int] = ()
    seed: int = 1


@dataclass(frozen=True)
class Predicted:
    """Out-of-fold marginals (n, 3) and Viterbi's labels (n,) of a page."""

    page: Prepared
    fold: int
    marginals: Floats
    best: Ints

    def tags(self, cut: CutParams, *, convention: bool = True) -> Tags:
        """Labels by a rule, within the set's convention."""
        keep = CONVENTIONS.get(self.page.set, "") if convention else ""
        params = replace(cut, keep=tuple(keep.split(",")) if keep else ())
        return decide(
            self.marginals, self.best, self.page.example.frame.words, self.page.kinds, params
        )


def blanked(one: Example, names: Sequence[str]) -> Example:
    """An example without some features: their columns are 0."""
    if not names:
        return one
    gone = {name for group in names for name in GROUPS.get(group, {group: None})}
    columns = one.columns.copy()
    columns[:, [place for place, name in enumerate(FEATURES) if name in gone]] = 0.0
    return replace(one, columns=columns)


def chosen(examples: Sequence[Example], wanted: Description) -> list[Example]:
    """The training pages of a fold: all, or so many in an order that the seed gives."""
    if not wanted.pages:
        return list(examples)
    marks = [f"{wanted.seed} {place} {one.site}" for place, one in enumerate(examples)]
    order = sorted(range(len(examples)), key=lambda at: hashlib.sha256(marks[at].encode()).digest())
    return [examples[place] for place in order[: wanted.pages]]


def run_fold(
    fold: int, shared: tuple[list[Example], list[Prepared], Description]
) -> list[Predicted]:
    """Train on the other folds, predict this one's pages."""
    examples, tests, wanted = shared
    outside = [one for one in examples if fold_of(one.site, wanted.folds) != fold]
    training = [blanked(one, wanted.without) for one in chosen(outside, wanted)]
    bundle = fit(training, TrainParams(**wanted.params), network=NetworkParams(**wanted.network))
    tagger = from_bundle(Path("fold"), bundle)
    predicted = []
    for page in tests:
        if fold_of(page.gold.site, wanted.folds) == fold:
            one = blanked(page.example, wanted.without)
            known, first = tuple(FEATURES), bundle.network
            columns = of_table(one.columns, known, one.frame, bundle.encoder.names, first)
            scores = tagger.scores(columns)
            found = marginals(scores, tagger.transitions)
            predicted.append(Predicted(page, fold, found, viterbi(scores, tagger.transitions)))
    return predicted


def predict(wanted: Description, data: str, workers: int) -> list[Predicted]:
    """Out-of-fold predictions of all test pages."""
    sets = {name: load_set(name, data, workers) for name in {*wanted.train, *wanted.test}}
    gold = [page.example for name in wanted.train for page in sets[name] if page.gold.text.strip()]
    examples = gold + load_silver(wanted.silver, data, workers)
    tests = [page for name in wanted.test for page in sets[name]]
    folds = wanted.only or range(wanted.folds)
    parts = map_in_order(run_fold, folds, (examples, tests, wanted), workers)
    return [one for part in parts for one in part]


def mean(scores: Sequence[float], sites: Sequence[str]) -> list[float]:
    """Mean, low and high end of its interval over sites."""
    values = np.array(scores)
    return [round(value, 4) for value in (float(values.mean()), *interval(values, sites))]


def groups(name: str, pages: Sequence[Prepared]) -> dict[str, list[int]]:
    """Places of all pages of a set, and by kind or language where a set has several."""
    found = {"all": list(range(len(pages)))}
    for place, page in enumerate(pages):
        kind = page.gold.kind if name == "wcxb-dev" else page.gold.lang
        found.setdefault(kind or "?", []).append(place)
    return found if len(found) > 2 else {"all": found["all"]}


def systems(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, list[float]]:
    """F1 of every page by rule; the first is the rule that ships."""
    rules = {
        "crfclean": cut,
        "viterbi": replace(cut, rule="viterbi"),
        "threshold .5": replace(cut, rule="threshold"),
    }
    found = {
        name: [one.page.f1(one.tags(rule).kept) for one in predicted]
        for name, rule in rules.items()
    }
    found["no convention"] = [
        one.page.f1(one.tags(cut, convention=False).kept) for one in predicted
    ]
    return found


def calibration(predicted: Sequence[Predicted]) -> dict[str, float]:
    """Expected calibration error of the blocks' probabilities, also weighted by words."""
    told = [one.page.example.told for one in predicted]
    kept, gold, words = (
        np.concatenate([part[mask] for part, mask in zip(parts, told, strict=True)])
        for parts in (
            [1.0 - one.marginals[:, Label.OTHER] for one in predicted],
            [one.page.example.labels != Label.OTHER for one in predicted],
            [one.page.example.frame.words for one in predicted],
        )
    )
    flat = expected_calibration_error(kept, gold, np.ones(len(kept)))
    weighted = expected_calibration_error(kept, gold, words)
    return {"blocks": round(flat, 4), "words": round(weighted, 4)}


def header(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, float]:
    """Precision, recall and F1 of HEADER over all blocks, within the convention."""
    total = np.zeros((3, 3), np.int64)
    for one in predicted:
        total += confusion(one.page.example.labels, one.tags(cut).labels)
    return {key: round(value, 4) for key, value in asdict(label_scores(total)["HEADER"]).items()}


def set_result(predicted: Sequence[Predicted], cut: CutParams, peers: Mapping[str, Any]) -> Any:
    """All figures of a set: by group every system's F1, our lead over the peers."""
    pages = [one.page for one in predicted]
    scores = {**systems(predicted, cut), **peers}
    result: dict[str, Any] = {}
    for group, places in groups(pages[0].set, pages).items():
        sites = [pages[place].gold.site for place in places]
        own = np.array(scores["crfclean"])[places]
        f1 = {name: mean(np.array(one)[places].tolist(), sites) for name, one in scores.items()}
        leads = {
            name: mean((own - np.array(one)[places]).tolist(), sites) for name, one in peers.items()
        }
        result[group] = {"pages": len(places), "f1": f1, "lead": leads}
    return {"groups": result, "ece": calibration(predicted), "header": header(predicted, cut)}


def run(wanted: Description, given: Namespace) -> tuple[list[Predicted], dict[str, Any]]:
    """Predict and score; the result as it is recorded."""
    cut, start = CutParams(**wanted.cut), time.monotonic()
    predicted = predict(wanted, given.data, given.workers)
    results = {}
    for name in wanted.test:
        mine = [one for one in predicted if one.page.set == name]
        peers = {} if given.no_peers else known_peers(name, mine, given)
        results[name] = set_result(mine, cut, peers)
    seconds = round(time.monotonic() - start)
    return predicted, {"description": asdict(wanted), "seconds": seconds, "results": results}


def known_peers(
    name: str, predicted: Sequence[Predicted], given: Namespace
) -> dict[str, list[float]]:
    """F1 of every peer on the predicted pages of a set, in their order."""
    pages = corpus(name, given.data)
    found = peer_scores(name, pages, given.workers)
    place = {gold.id: at for at, gold in enumerate(pages)}
    order = [place[one.page.gold.id] for one in predicted]
    return {peer: [scores[at].f1 for at in order] for peer, scores in found.items()}


def show(results: Mapping[str, Any]) -> None:
    """Print the means, a line a group."""
    for name, result in results.items():
        ece = result["ece"]
        print(f"{name}: ECE {ece['blocks']:.3f}, HEADER F1 {result['header']['f1']:.3f}")
        for group, figures in result["groups"].items():
            cells = "  ".join(f"{key} {value[0]:.4f}" for key, value in figures["f1"].items())
            print(f"  {group:14} {figures['pages']:5}  {cells}")


def describe(given: Namespace) -> Description:
    """The description of a file, with the changes of the command line."""
    found = json.loads(given.description.read_text("utf-8"))
    for change in given.set:
        key, _, value = change.partition("=")
        found[key] = json.loads(value)
    return Description(**found)


def options() -> Namespace:
    args = parser(__doc__)
    args.add_argument("description", type=Path)
    args.add_argument("--set", nargs="*", default=[], help="KEY=JSON: changes of the description")
    args.add_argument("--workers", type=int, default=2)
    args.add_argument("--no-peers", action="store_true")
    return args.parse_args()


def main() -> None:
    given = options()
    _, result = run(describe(given), given)
    show(result["results"])
    record("experiment", {"name": given.description.stem, **result, **environment()})


if __name__ == "__main__":
    main()
