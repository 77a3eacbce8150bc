"""Measure out-of-fold scores of a described experiment on every set, beside the peers.

Run `python -m eval.accuracy.experiment eval/accuracy/experiments/default.json --data DIR`.

`--set KEY=JSON` changes the description; eval/README.md says what its keys mean. `--predictions`
names a file that keeps the predictions: where it exists, they are taken from it, and only what
follows from them is computed again.
"""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from crfclean.evaluate.block_metrics import label_confusion, label_scores
from crfclean.taggers.params import CutParams
from crfclean.taggers.pooling import pooled
from crfclean.types import Floats
from eval.accuracy.curves import calibration_errors, draw, knobs, page_scores
from eval.accuracy.worst_pages import worst
from eval.lib.corpora import corpus
from eval.lib.descriptions import Description, describe
from eval.lib.intervals import mean
from eval.lib.peer_scores import Score, peer_scores
from eval.lib.predictions import LAST_NETWORK, Predicted
from eval.lib.prepared import Prepared
from eval.lib.record import RESULTS, environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import KEEP

WEIGHTS = (0.25, 0.75)  # of the last network in the pool, beside the one that ships
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
    rules = {
        "crfclean": cut,
        "viterbi": replace(cut, rule="viterbi"),
        "threshold .5": replace(cut, rule="threshold"),
    }
    f1 = {
        name: [page.page.f1(page.tags(rule).kept) for page in predicted]
        for name, rule in rules.items()
    }
    for name in predicted[0].alone:
        alone = [replace(page, marginals=page.alone[name]) for page in predicted]
        f1[name] = [page.page.f1(page.tags(cut).kept) for page in alone]
    for weight in WEIGHTS if predicted[0].alone else ():
        mixed = [replace(page, marginals=mixture(page, weight)) for page in predicted]
        f1[f"pool {weight}"] = [page.page.f1(page.tags(cut).kept) for page in mixed]
    for name, keep in {"no convention": (), SHIPPED: KEEP}.items():
        rule = replace(cut, keep=keep)
        f1[name] = [page.page.f1(page.tags_as(rule).kept) for page in predicted]
    return f1


def mixture(page: Predicted, weight: float) -> Floats:
    """The marginals (n, 3) of a pool in which the last network has this weight."""
    network = page.alone.get(LAST_NETWORK, page.alone["first pass"])
    return pooled(page.alone["CRF"], network, weight)


def header(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, float]:
    """Precision, recall and F1 of HEADER over all blocks, within the convention."""
    total = np.zeros((3, 3), np.int64)
    for page in predicted:
        total += label_confusion(page.page.example.labels, page.tags(cut).labels)
    return {key: round(value, 4) for key, value in asdict(label_scores(total)["HEADER"]).items()}


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


def run(description: Description, args: Namespace) -> tuple[list[Predicted], dict[str, Any]]:
    """Predict and score; the result as it is recorded."""
    cut, start = CutParams(**description.cut), time.monotonic()
    predicted = predictions(description, args)
    results = {}
    for name in description.test:
        pages = [page for page in predicted if page.page.set == name]
        peers = {} if args.no_peers else known_peers(name, pages, args)
        results[name] = set_result(pages, cut, peers)
    seconds = round(time.monotonic() - start)
    return predicted, {"description": asdict(description), "seconds": seconds, "results": results}


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


def curves(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, Any]:
    """Effects of thresholds on the first set, its worst pages; plots of all sets."""
    first = [page for page in predicted if page.page.set == predicted[0].page.set]
    draw(predicted, RESULTS / "accuracy")
    results = {"knobs": knobs(first, cut), "page_scores": page_scores(first, cut)}
    results["worst"] = worst(first, cut)
    print(json.dumps({**results, "worst": results["worst"]["causes"]}, indent=1))
    return results


def main() -> None:
    parser = predictions_parser(__doc__)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--curves", action="store_true", help="also knobs, plots, worst pages")
    args = parser.parse_args()
    predicted, result = run(describe(args), args)
    show(result["results"])
    if args.curves:
        result["curves"] = curves(predicted, CutParams(**result["description"]["cut"]))
    record(f"accuracy/experiment_{args.description.stem}", {**result, **environment()})


if __name__ == "__main__":
    main()
