"""Measure what coherent texts and the expert system give the CRF, as features and as boundaries.

Run `python -m eval.segments.features --data DIR`.

Seven columns a block (size and link share of its coherent text by energy and by links, whether each
of the three taggers without a model keeps it) are added to the table for this run alone; the CRF
over the features is trained with them and with them blanked out, in five folds by site of every
so many pages of wcxb-dev. As boundaries: a block's probability is mixed with the mean, by words, of
those of its coherent text. Differences are paired, to the CRF without either.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from crfclean.features import table as features
from crfclean.page.measures import Measures, once
from crfclean.segmentation.coherent import coherent_nodes
from crfclean.segmentation.params import EnergyParams, LinkParams, SegmentParams
from crfclean.segmentation.text_tree import text_tree
from crfclean.taggers.load import NAMED, named
from crfclean.types import Floats, Ints

METHODS = ("energy", "links")


@once
def owners(page: Measures) -> Mapping[str, Ints]:
    """The coherent text of each block by method: the first that it has text in, (n,)."""
    tree = text_tree(page.blocks)
    first = np.searchsorted(tree.block, np.arange(len(page)))
    by_method = {}
    for method in METHODS:
        bounds = tree.first_leaf[coherent_nodes(tree, MEASURED[method])]
        segment = np.searchsorted(bounds, np.arange(len(tree.texts)), "right") - 1
        by_method[method] = segment[np.minimum(first, max(0, len(segment) - 1))]
    return by_method


def size(page: Measures, method: str) -> Floats:
    """Share of the page's words in the coherent text of each block (0..1)."""
    text = owners(page)[method]
    shares: Floats = np.bincount(text, page.words)[text] / max(1.0, page.words.sum())
    return shares


def links(page: Measures, method: str) -> Floats:
    """Share of characters in links in the coherent text of each block (0..1)."""
    text = owners(page)[method]
    linked, chars = np.bincount(text, page.chars_in(["a"])), np.bincount(text, page.chars)
    shares: Floats = (linked / np.maximum(chars, 1))[text]
    return shares


def kept(page: Measures, name: str) -> Floats:
    """Whether a tagger without a model keeps each block (0 or 1)."""
    return named(name).tag(page.blocks).kept.astype(np.float64)


SEGMENTS: dict[str, Any] = {}
for _name in METHODS:
    SEGMENTS[f"{_name}_size"] = lambda page, name=_name: size(page, name)
    SEGMENTS[f"{_name}_links"] = lambda page, name=_name: links(page, name)
for _name in NAMED:
    SEGMENTS[f"{_name}_kept"] = lambda page, name=_name: kept(page, name)
features.FEATURES.update(SEGMENTS)
features.GROUPS["segments"] = SEGMENTS  # type: ignore[index]  # a mapping to all others

# these read the table of features when they are loaded
from crfclean.decision.params import CutParams  # noqa: E402
from crfclean.evaluate.statistics import interval  # noqa: E402
from crfclean.page.blocks import split  # noqa: E402
from eval.lib.corpora import corpus, data_parser  # noqa: E402
from eval.lib.descriptions import Description  # noqa: E402
from eval.lib.predictions import Data, Predicted, predict  # noqa: E402
from eval.lib.prepared import Prepared, prepare, training_example  # noqa: E402
from eval.lib.record import environment, record  # noqa: E402

MIXES = (0.25, 0.5, 0.75)

MEASURED = {
    "energy": SegmentParams("energy", EnergyParams(dissipation=8.0)),
    "links": SegmentParams("links", links=LinkParams(stray_share=0.05, frame_texts=0)),
}
"""The parameters of the recorded figures: the defaults of that time."""


def mixed(page: Predicted, text: Ints, share: float) -> Predicted:
    """A page whose marginals are mixed with the means of its coherent texts."""
    words = page.page.example.frame.words + 1e-9
    sums = np.stack([np.bincount(text, column * words) for column in page.marginals.T], axis=1)
    means = (sums / np.maximum(np.bincount(text, words), 1e-9)[:, None])[text]
    marginals = (1 - share) * page.marginals + share * means
    return Predicted(page.page, page.fold, marginals, page.best)


def f1(page: Predicted) -> float:
    """F1 of a page by the rule of expected F1."""
    return page.page.f1(page.tags(CutParams()).kept)


def f1_and_gain(scored: Floats, base: Floats, sites: list[str]) -> dict[str, list[float]]:
    """Mean F1, and mean paired gain, with intervals over sites."""
    gain = scored - base
    return {
        "F1": [round(float(x), 4) for x in (scored.mean(), *interval(scored, sites))],
        "gain": [round(float(x), 4) for x in (gain.mean(), *interval(gain, sites))],
    }


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--step", type=int, default=4, help="every so many pages")
    parser.add_argument(
        "--networks", type=int, default=0, help="of a first pass; with them no features"
    )
    args = parser.parse_args()
    pages, segments = list[Prepared](), dict[str, Mapping[str, Ints]]()
    for gold in corpus("wcxb-dev", args.data)[:: args.step]:
        pages.append(prepare(gold, "wcxb-dev"))
        blocks = split(gold.page)
        segments[gold.id] = owners(Measures(blocks)) if len(blocks) else {}
    examples = [training_example(page) for page in pages if page.gold.text.strip()]
    data = Data({"wcxb-dev": pages}, examples)
    params = {"iterations": 60, "networks": args.networks}
    description = Description(params=params, without=("segments",))
    without = predict(description, data, 1)
    sites = [page.page.gold.site for page in without]
    base = np.array([f1(page) for page in without])
    results = {"CRF": f1_and_gain(base, base, sites)}
    for method in METHODS:
        for share in MIXES:
            parts = [
                mixed(page, segments[page.page.gold.id][method], share)
                if len(page.marginals)
                else page
                for page in without
            ]
            name = f"boundaries by {method}, {share}"
            results[name] = f1_and_gain(np.array([f1(page) for page in parts]), base, sites)
    if not args.networks:
        order = {
            page.page.gold.id: f1(page) for page in predict(Description(params=params), data, 1)
        }
        scored = np.array([order[page.page.gold.id] for page in without])
        results["features"] = f1_and_gain(scored, base, sites)
    for name, row in results.items():
        print(f"{name:28}", row)
    about = {"step": args.step, "pages": len(base), "results": results}
    record(f"segments/features{'_networks' * bool(args.networks)}", {**about, **environment()})


if __name__ == "__main__":
    main()
