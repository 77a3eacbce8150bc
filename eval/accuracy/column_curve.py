"""Measure what fewer columns would cost in F1, and save in time.

Run `python -m eval.accuracy.column_curve eval/accuracy/experiments/default.json --data DIR`.

One fold: a model of all columns says how much each weighs, by its weights in the first layers of
both networks. The lightest are then removed, and a model is trained without them. Time is that of
the columns and of both networks, on pages that are cut already.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from crfclean.decision.verdict import decide
from crfclean.features.table import FEATURES, single_rows
from crfclean.modelfiles.folder import Bundle
from crfclean.nn.mlp import Network
from crfclean.nn.network_params import NetworkParams
from crfclean.nn.scaling import Scaling
from crfclean.page.blocks import split
from crfclean.page.decode import decode
from crfclean.page.measures import Measures
from crfclean.taggers.crf import from_bundle
from crfclean.train.crf import fit
from crfclean.train.examples import fold_of
from crfclean.train.params import TrainParams
from crfclean.types import Blocks, Floats
from eval.lib.descriptions import Description, describe, description_parser
from eval.lib.predictions import Data, blanked, load_data
from eval.lib.prepared import model_columns
from eval.lib.record import environment, record
from eval.lib.timing import best_cpu_ms, drawn
from eval.models.train_default import AUTO

NAMES = tuple(FEATURES)
FOLD = 0


def weights_of(network: Network) -> Floats:
    """How much each column of the table weighs in a network's first layers, (columns,)."""
    layers = [members[0].weights[: len(NAMES)] for members in network.members]
    weights: Floats = np.sqrt(np.mean([np.square(layer).sum(1) for layer in layers], axis=0))
    return weights


def trained(description: Description, data: Data) -> Bundle:
    """A model of the other folds."""
    examples = [
        blanked(example, description.without)
        for example in data.examples
        if fold_of(example.site, description.folds) != FOLD
    ]
    network = NetworkParams(**description.network)
    return fit(examples, TrainParams(**description.params), network=network)


def ranked(networks: Iterable[Network]) -> list[str]:
    """All columns, the weightiest first."""
    order = np.argsort(-sum(weights_of(network) for network in networks), kind="stable")
    return [NAMES[place] for place in order]


def narrowed(network: Network, names: Sequence[str]) -> Network:
    """A network that reads only these columns of the table, with what else it reads."""
    chosen = set(names)
    places = [
        place for place, name in enumerate(network.names) if name in chosen or name not in FEATURES
    ]
    scaling = network.scaling
    parts = (scaling.log[places], scaling.mean[places], scaling.deviation[places])
    members = tuple(
        (replace(first, weights=first.weights[places]), *others)
        for first, *others in network.members
    )
    columns = tuple(network.names[place] for place in places)
    return Network(columns, Scaling(*parts, scaling.clip), members)


def milliseconds(pages: Sequence[Blocks], names: Sequence[str], networks: list[Network]) -> float:
    """Mean CPU time to fill columns of a page and give them to both networks."""
    chosen = [name for name in NAMES if name in set(names)]
    narrow = [narrowed(network, chosen) for network in networks]

    def judge(blocks: Blocks) -> None:
        rows = single_rows(Measures(blocks), chosen)
        for network in narrow:
            inputs = np.zeros((len(network.names), len(blocks)), np.float32)
            inputs[: len(rows)] = rows
            network(inputs.T)

    return float(np.mean([best_cpu_ms(judge, blocks) for blocks in pages]))


def scores(bundle: Bundle, description: Description, data: Data) -> dict[str, float]:
    """Mean F1 as shipped by set, of the pages of the fold."""
    cut, tagger = replace(AUTO, **description.cut), from_bundle(Path("fold"), bundle)
    by_set: dict[str, list[float]] = {}
    for page in (page for name in description.test for page in data.sets[name]):
        if fold_of(page.gold.site, description.folds) == FOLD:
            columns = model_columns(blanked(page.example, description.without), bundle)
            marginals, best = tagger.predict(columns)
            kept = decide(page.evidence(), marginals, best, cut).kept
            by_set.setdefault(page.set, []).append(page.f1(kept))
    return {name: round(float(np.mean(values)), 4) for name, values in by_set.items()}


def main() -> None:
    parser = description_parser(__doc__)
    parser.add_argument("--counts", type=int, nargs="+", default=[200, 100, 50])
    parser.add_argument("--pages", type=int, default=40, help="of wcxb-dev, for the time")
    args = parser.parse_args()
    description = describe(args)
    data = load_data(description, args.data, args.workers)
    bundle = trained(description, data)
    networks = list(bundle.networks.values())
    order, rows = ranked(networks), []
    pages = [split(decode(html)) for html in drawn("wcxb-dev", args.data, args.pages)]
    for count in (len(NAMES), *args.counts):
        fewer = replace(description, without=tuple(order[count:]))
        model = bundle if count == len(NAMES) else trained(fewer, data)
        f1 = scores(model, fewer, data)
        mean = round(float(np.mean(list(f1.values()))), 4)
        ms = round(milliseconds(pages, order[:count], networks), 3)
        rows.append({"columns": count, "ms": ms, "mean": mean, "f1": f1})
        print(rows[-1], flush=True)
        result = {"description": asdict(description), "fold": FOLD, "rows": rows}
        record("accuracy/column_curve", {**result, **environment()})


if __name__ == "__main__":
    main()
