"""What coherent texts and the expert system give the CRF: as features, and as boundaries.

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

from crfclean import features
from crfclean.coherent import SegmentParams, coherent_nodes
from crfclean.measures import Measures, once
from crfclean.taggers import NAMED, named
from crfclean.trees import text_tree
from crfclean.types import Floats, Ints

METHODS = ("energy", "links")


@once
def owners(page: Measures) -> Mapping[str, Ints]:
    """The coherent text of each block by method: the first that it has text in, (n,)."""
    tree = text_tree(page.page)
    first = np.searchsorted(tree.block, np.arange(len(page)))
    found = {}
    for method in METHODS:
        bounds = tree.first_leaf[coherent_nodes(tree, SegmentParams(method))]
        segment = np.searchsorted(bounds, np.arange(len(tree.texts)), "right") - 1
        found[method] = segment[np.minimum(first, max(0, len(segment) - 1))]
    return found


def size(page: Measures, method: str) -> Floats:
    """Share of the page's words in the coherent text of each block (0..1)."""
    own = owners(page)[method]
    shares: Floats = np.bincount(own, page.words)[own] / max(1.0, page.words.sum())
    return shares


def links(page: Measures, method: str) -> Floats:
    """Share of characters in links in the coherent text of each block (0..1)."""
    own = owners(page)[method]
    linked, chars = np.bincount(own, page.chars_in(["a"])), np.bincount(own, page.chars)
    shares: Floats = (linked / np.maximum(chars, 1))[own]
    return shares


def kept(page: Measures, name: str) -> Floats:
    """Whether a tagger without a model keeps each block (0 or 1)."""
    return named(name).tag(page.page).kept.astype(np.float64)


SEGMENTS: dict[str, Any] = {}
for _name in METHODS:
    SEGMENTS[f"{_name}_size"] = lambda page, name=_name: size(page, name)
    SEGMENTS[f"{_name}_links"] = lambda page, name=_name: links(page, name)
for _name in NAMED:
    SEGMENTS[f"{_name}_kept"] = lambda page, name=_name: kept(page, name)
features.FEATURES.update(SEGMENTS)
features.GROUPS["segments"] = SEGMENTS  # type: ignore[index]  # a mapping to all others

# these read the table of features when they are loaded
from crfclean.blocks import split  # noqa: E402
from crfclean.compare import interval  # noqa: E402
from crfclean.cut import CutParams  # noqa: E402
from eval.lib.corpora import corpus, data_parser  # noqa: E402
from eval.lib.descriptions import Description  # noqa: E402
from eval.lib.predictions import Data, Predicted, predict  # noqa: E402
from eval.lib.prepared import Prepared, prepare  # noqa: E402
from eval.lib.record import environment, record  # noqa: E402

MIXES = (0.25, 0.5, 0.75)


def mixed(one: Predicted, own: Ints, share: float) -> Predicted:
    """A page whose marginals are mixed with the means of its coherent texts."""
    words = one.page.example.frame.words + 1e-9
    sums = np.stack([np.bincount(own, column * words) for column in one.marginals.T], axis=1)
    means = (sums / np.maximum(np.bincount(own, words), 1e-9)[:, None])[own]
    marginals = (1 - share) * one.marginals + share * means
    return Predicted(one.page, one.fold, marginals, one.best)


def f1(one: Predicted) -> float:
    """F1 of a page by the rule of expected F1."""
    return one.page.f1(one.tags(CutParams()).kept)


def told(found: Floats, base: Floats, sites: list[str]) -> dict[str, list[float]]:
    """Mean F1, and mean paired gain, with intervals over sites."""
    gain = found - base
    return {
        "F1": [round(float(x), 4) for x in (found.mean(), *interval(found, sites))],
        "gain": [round(float(x), 4) for x in (gain.mean(), *interval(gain, sites))],
    }


def main() -> None:
    args = data_parser(__doc__)
    args.add_argument("--step", type=int, default=4, help="every so many pages")
    args.add_argument(
        "--networks", type=int, default=0, help="of a first pass; with them no features"
    )
    given = args.parse_args()
    pages, segments = list[Prepared](), dict[str, Mapping[str, Ints]]()
    for gold in corpus("wcxb-dev", given.data)[:: given.step]:
        pages.append(prepare(gold, "wcxb-dev"))
        blocks = split(gold.page)
        segments[gold.id] = owners(Measures(blocks)) if len(blocks) else {}
    data = Data({"wcxb-dev": pages}, {})
    params = {"iterations": 60, "networks": given.networks}
    wanted = Description(params=params, without=("segments",))
    without = predict(wanted, data, 1)
    sites = [one.page.gold.site for one in without]
    base = np.array([f1(one) for one in without])
    results = {"CRF": told(base, base, sites)}
    for method in METHODS:
        for share in MIXES:
            parts = [
                mixed(one, segments[one.page.gold.id][method], share) if len(one.marginals) else one
                for one in without
            ]
            name = f"boundaries by {method}, {share}"
            results[name] = told(np.array([f1(one) for one in parts]), base, sites)
    if not given.networks:
        order = {one.page.gold.id: f1(one) for one in predict(Description(params=params), data, 1)}
        scored = np.array([order[one.page.gold.id] for one in without])
        results["features"] = told(scored, base, sites)
    for name, row in results.items():
        print(f"{name:28}", row)
    about = {"step": given.step, "pages": len(base), "results": results}
    record(f"segment_features{'_networks' * bool(given.networks)}", {**about, **environment()})


if __name__ == "__main__":
    main()
