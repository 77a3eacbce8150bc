"""Measure `crfclean tune`: F1 on other sites with the kinds that 5 or 10 pages agree on.

Run `python -m eval.accuracy.tune eval/accuracy/experiments/default.json --data DIR`.

Of each set, pages of different sites are drawn, and pages of all other sites are tested, with
out-of-fold predictions by site. "switches" is the best hand-set choice of `--keep`, `--as` and
`--threshold` for the tested pages themselves: what a user gets who knows them.
`eval.accuracy.tune_adapted` measures the whole command, adaptation included.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from crfclean.decision.params import KINDS_OF, CutParams, cut_as
from crfclean.features.block_kinds import kinds_of
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.tune.gains import holds
from crfclean.tune.votes import Votes, chosen, verdicts, votes_of
from crfclean.types import Ints
from eval.lib.corpora import corpus, drawn
from eval.lib.descriptions import describe
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser
from eval.models.train_default import AUTO

LOOKED_AT = tuple(
    "wcxb-dev daniel-dev cleaneval-dev fundus-dev dragnet-dev magic-html-forum".split()
)
"""Sets whose pages the rules were chosen on."""
OTHERS = ("magic-html-article", "irdata-big9", "immortal-zh")
SIZES = (5, 10)
DEFAULT = AUTO


def switches() -> list[CutParams]:
    """The decisions that a user can set by hand."""
    parts = (("", "title"), ("", "headers"), ("", "captions,bylines"), ("", "threads", "comments"))
    keeps = [",".join(filter(None, ("body", *chosen))).split(",") for chosen in product(*parts)]
    cuts = [DEFAULT, CutParams(), *(CutParams(keep=tuple(keep)) for keep in keeps)]
    cuts += [cut_as(DEFAULT, name) for name in KINDS_OF]
    cuts += [replace(DEFAULT, rule="threshold", threshold=least) for least in (0.2, 0.35, 0.7)]
    return cuts


@dataclass(frozen=True)
class Page:
    """A page with its predictions, the `Kind`s of its blocks, and what its gold says of them."""

    predicted: Predicted
    kinds: Ints
    votes: Votes

    @property
    def site(self) -> str:
        """The page's site."""
        return self.predicted.page.gold.site

    def f1(self, cut: CutParams) -> float:
        """F1 of the page's text by these decisions."""
        return self.predicted.page.f1(self.predicted.tags_as(cut).kept)


def page_of(predicted: Predicted, gold: GoldPage) -> Page:
    """The page of some predictions; `gold` has its HTML."""
    measures = Measures(split(gold.page))
    labels = predicted.page.example.labels
    return Page(predicted, kinds_of(measures), votes_of(measures, predicted.marginals, labels))


def one_a_site(pages: Sequence[Page], size: int, seed: int) -> tuple[list[Page], list[Page]]:
    """So many pages of different sites, and the pages of all other sites."""
    order = np.random.default_rng(seed).permutation(len(pages))
    by_site = {pages[index].site: pages[index] for index in reversed(order.tolist())}
    first = list(dict.fromkeys(pages[index].site for index in order))[:size]
    return [by_site[site] for site in first], [page for page in pages if page.site not in first]


def tuned_cut(pages: Sequence[Page]) -> CutParams:
    """The decisions that these pages ask for, the default where pages held out lose by them."""
    f1 = []
    for index, page in enumerate(pages):
        others = [other.votes for at, other in enumerate(pages) if at != index]
        f1.append(page.f1(named(others)))
    before = [page.f1(DEFAULT) for page in pages]
    return named([page.votes for page in pages]) if holds(f1, before) else DEFAULT


def named(votes: Sequence[Votes]) -> CutParams:
    """The default with the kinds that these votes agree on."""
    also, without = chosen(verdicts(votes))
    return replace(DEFAULT, also=also, without=without)


def of_set(pages: Sequence[Page], draws: int, tested: int) -> dict[str, Any]:
    """The figures of a set: means over draws, and the worst draw's gain."""
    by_switches = np.array([[page.f1(cut) for cut in switches()] for page in pages])
    place = {id(page): index for index, page in enumerate(pages)}
    rows: dict[str, Any] = {}
    for size in SIZES:
        if len({page.site for page in pages}) <= size:  # no other site is left to test
            continue
        values = []
        for seed in range(draws):
            taught, rest = one_a_site(pages, size, seed)
            rest = rest[:tested]
            cut, own = tuned_cut(taught), by_switches[[place[id(page)] for page in rest]]
            f1 = float(np.mean([page.f1(cut) for page in rest]))
            values.append((float(own[:, 0].mean()), f1, float(own.mean(0).max())))
        means = np.mean(values, 0)
        gains = [after - before for before, after, _ in values]
        rows[str(size)] = {
            **dict(zip(("default", "tuned", "switches"), means.round(4).tolist(), strict=True)),
            "worst": round(min(gains), 4),
            "lost": sum(gain < -0.0005 for gain in gains),
        }
    return rows


def read_sets(args: Any) -> Mapping[str, list[Page]]:
    """The pages of each set, the first by a digest of their names."""
    predicted = predictions(describe(args), args)
    sets = {}
    for name in (*LOOKED_AT, *OTHERS):
        by_id = {page.page.gold.id: page for page in predicted if page.page.set == name}
        golds = drawn([gold for gold in corpus(name, args.data) if gold.id in by_id], args.pages)
        sets[name] = [page_of(by_id[gold.id], gold) for gold in golds if len(by_id[gold.id].best)]
    return sets


def main() -> None:
    parser = predictions_parser(__doc__)
    parser.add_argument("--pages", type=int, default=150, help="of each set")
    parser.add_argument("--tested", type=int, default=60, help="pages tested a draw")
    parser.add_argument("--draws", type=int, default=10)
    results: dict[str, Any] = {}
    args = parser.parse_args()
    for name, pages in read_sets(args).items():
        results[name] = of_set(pages, args.draws, args.tested)
        print(name, results[name], flush=True)
    record("accuracy/tune", {"sets": results, "looked at": LOOKED_AT, **environment()})


if __name__ == "__main__":
    main()
