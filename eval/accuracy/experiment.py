"""Measure out-of-fold scores of a described experiment on every set, beside the peers.

Run `python -m eval.accuracy.experiment eval/accuracy/experiments/default.json --data DIR`.

`--set KEY=JSON` changes the description; eval/README.md says what its keys mean. `--predictions`
names a file that keeps the predictions: where it exists, they are taken from it, and only what
follows from them is computed again.
"""

from __future__ import annotations

import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from crfclean.core.labels import pooled
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import decide
from crfclean.products.teach.block_metrics import label_confusion, label_scores
from crfclean.types import Floats, Label
from eval.lib.calibration import binned_error, reliability
from eval.lib.corpora import corpus
from eval.lib.descriptions import Description, describe
from eval.lib.intervals import mean
from eval.lib.peer_scores import Score, peer_scores
from eval.lib.predictions import Predicted, convention_of
from eval.lib.prepared import Prepared
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import AUTO

WEIGHTS = (0.25, 0.5)  # of the first pass in the pool, beside the one that ships
SHIPPED = "as shipped"
LEAST_PAGES = 20  # of a kind or language, to have a row of its own


def groups(name: str, pages: Sequence[Prepared]) -> dict[str, list[int]]:
    """Places of all pages of a set, and by kind or language where a set has enough of several."""
    places = {"all": list(range(len(pages)))}
    for place, page in enumerate(pages):
        kind = page.gold.kind if name == "wcxb-dev" else page.gold.lang
        places.setdefault(kind or "?", []).append(place)
    several = {group: at for group, at in places.items() if len(at) >= LEAST_PAGES}
    return several if len(several) > 2 else {"all": places["all"]}


def systems(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, list[float]]:
    """F1 of every page by rule; the first is the rule that ships."""
    f1: dict[str, list[float]] = {}
    for page in predicted:
        for name, value in page_systems(page, cut).items():
            f1.setdefault(name, []).append(value)
    return f1


def page_systems(page: Predicted, cut: CutParams) -> dict[str, float]:
    """F1 of a page by rule, by part of the model, and by convention."""
    own = replace(cut, keep=convention_of(page.page.set))
    rules = {
        "crfclean": own,
        "threshold .5": replace(own, rule="threshold"),
        "no convention": cut,
        SHIPPED: replace(cut, convention=AUTO.convention),
    }
    weights = WEIGHTS if page.alone else ()
    parts = dict(page.alone) | {f"pool {weight}": mixture(page, weight) for weight in weights}
    evidence = page.page.evidence()
    kept = {name: decide(evidence, page.marginals, rule) for name, rule in rules.items()}
    kept |= {name: decide(evidence, marginals, own) for name, marginals in parts.items()}
    return {name: page.page.f1(tags.kept) for name, tags in kept.items()}


def mixture(page: Predicted, weight: float) -> Floats:
    """The marginals (n, 3) of a pool in which the first pass has this weight."""
    return pooled(page.alone["CRF"], others=page.alone["first pass"], weight=weight)


def header(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, float]:
    """Precision, recall and F1 of HEADER over all blocks, within the convention."""
    total = np.zeros((3, 3), np.int64)
    for page in predicted:
        total += label_confusion(page.page.example.labels, page.tags(cut).labels)
    return {key: round(value, 4) for key, value in asdict(label_scores(total)["HEADER"]).items()}


def calibration_errors(predicted: Sequence[Predicted]) -> dict[str, float]:
    """Expected calibration error of the blocks' probabilities, also weighted by words."""
    kept, gold, words = [], [], []
    for page in predicted:
        labelled = page.page.example.informative
        kept.append(1.0 - page.marginals[labelled, Label.OTHER])
        gold.append(page.page.example.labels[labelled] != Label.OTHER)
        words.append(page.page.example.frame.words[labelled])
    pooled_kept, pooled_gold = np.concatenate(kept), np.concatenate(gold)
    weights = {"blocks": np.ones(len(pooled_gold)), "words": np.concatenate(words)}
    return {
        name: round(binned_error(reliability(pooled_kept, pooled_gold, weight)), 4)
        for name, weight in weights.items()
    }


def set_result(
    predicted: Sequence[Predicted], cut: CutParams, peers: Mapping[str, Sequence[Score]]
) -> Any:
    """All figures of a set: by group every system's F1, our lead, Levenshtein distances."""
    pages = [page.page for page in predicted]
    peer_f1 = {name: [score.f1 for score in scores] for name, scores in peers.items()}
    scores = {**systems(predicted, cut), **peer_f1}
    distances = {"crfclean": [page.page.distance(page.tags(cut).kept) for page in predicted]}
    distances |= {
        name: [score.distance_share for score in of_peer] for name, of_peer in peers.items()
    }
    result: dict[str, Any] = {}
    for group, places in groups(pages[0].set, pages).items():
        sites = [pages[place].gold.site for place in places]
        f1 = {
            name: mean(np.array(values)[places].tolist(), sites) for name, values in scores.items()
        }
        leads = {
            system: {
                name: mean((np.array(scores[system]) - values)[places].tolist(), sites)
                for name, values in peer_f1.items()
            }
            for system in ("crfclean", SHIPPED)
        }
        far = {
            name: mean(np.array(values)[places].tolist(), sites)
            for name, values in distances.items()
        }
        result[group] = {"pages": len(places), "f1": f1, "lead": leads["crfclean"]}
        result[group] |= {"shipped_lead": leads[SHIPPED], "distance": far}
    return {
        "groups": result,
        "ece": calibration_errors(predicted),
        "header": header(predicted, cut),
    }


def run(description: Description, args: Namespace) -> dict[str, Any]:
    """Predict and score; the result as it is recorded."""
    cut, start = CutParams(**description.cut), time.monotonic()
    predicted = predictions(description, args)
    results = {}
    for name in description.test:
        pages = [page for page in predicted if page.page.set == name]
        peers = {} if args.no_peers else known_peers(name, pages, args)
        results[name] = set_result(pages, cut, peers)
    seconds = round(time.monotonic() - start)
    return {"description": asdict(description), "seconds": seconds, "results": results}


def known_peers(
    name: str, predicted: Sequence[Predicted], args: Namespace
) -> dict[str, list[Score]]:
    """Scores of every peer on the predicted pages of a set, in their order."""
    pages = corpus(name, args.data)
    by_peer = peer_scores(name, pages, args.workers)
    place = {gold.id: at for at, gold in enumerate(pages)}
    order = [place[page.page.gold.id] for page in predicted]
    return {peer: [scores[at] for at in order] for peer, scores in by_peer.items()}


def show(results: Mapping[str, Any]) -> None:
    """Print the means, a line a group."""
    for name, result in results.items():
        ece = result["ece"]
        print(f"{name}: ECE {ece['blocks']:.3f}, HEADER F1 {result['header']['f1']:.3f}")
        for group, figures in result["groups"].items():
            cells = "  ".join(f"{key} {value[0]:.4f}" for key, value in figures["f1"].items())
            print(f"  {group:14} {figures['pages']:5}  {cells}")


def main() -> None:
    parser = predictions_parser(__doc__)
    parser.add_argument("--no-peers", action="store_true")
    args = parser.parse_args()
    result = run(describe(args), args)
    show(result["results"])
    record(f"accuracy/experiment_{args.description.stem}", {**result, **environment()})


if __name__ == "__main__":
    main()
