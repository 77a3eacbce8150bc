"""Measure what cleaning a page together with others of its site gains.

Run `python -m eval.accuracy.sites DESCRIPTION --data DIR`.

Pages of hosts with 20 pages or more, out-of-fold marginals as `experiment` makes them. The weights
were chosen on half of the hosts; the gain is reported for the other half, and for all.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crfclean.decision.params import CutParams
from crfclean.gold.pages import GoldPage
from crfclean.page.blocks import split
from crfclean.page.measures import Measures
from crfclean.site import PageNotes, SiteParams, adjust, gather, page_notes
from crfclean.train.examples import fold_of
from eval.lib.corpora import corpus
from eval.lib.descriptions import describe, description_parser
from eval.lib.intervals import mean
from eval.lib.predictions import Predicted, load_data, predict
from eval.lib.record import environment, record

LEAST_PAGES = 20
GRID = [
    SiteParams(repeat=repeat, place=place)
    for repeat in (0.0, 2.0, 4.0, 6.0)
    for place in (0.0, 0.2, 0.4, 0.6)
]


@dataclass(frozen=True)
class Noted:
    """A predicted page and its notes."""

    predicted: Predicted
    notes: PageNotes

    @property
    def host(self) -> str:
        """Set and site."""
        return f"{self.predicted.page.set} {self.predicted.page.gold.site}"


def noted(predicted: Sequence[Predicted], pages: Sequence[GoldPage]) -> list[Noted]:
    """The pages of hosts that have enough of them."""
    html = {gold.id: gold.page for gold in pages}
    counts = Counter(page.page.gold.site for page in predicted)
    return [
        Noted(page, page_notes(Measures(split(html[page.page.gold.id])), page.marginals))
        for page in predicted
        if counts[page.page.gold.site] >= LEAST_PAGES
    ]


def gains(pages: Sequence[Noted], params: SiteParams, cut: CutParams) -> list[float]:
    """What each page's F1 gains."""
    hosts = defaultdict(list)
    for page in pages:
        hosts[page.host].append(page.notes)
    sites = {host: gather(notes) for host, notes in hosts.items()}
    differences = []
    for page in pages:
        changed = adjust(page.predicted.marginals, page.notes, sites[page.host], params)
        after = replace(page.predicted, marginals=changed).tags(cut).kept
        before = page.predicted.tags(cut).kept
        differences.append(page.predicted.page.f1(after) - page.predicted.page.f1(before))
    return differences


def result(pages: Sequence[Noted], params: SiteParams, cut: CutParams) -> dict[str, Any]:
    """Gains with intervals over hosts: all, by set, and of the half that chose nothing."""
    values = np.array(gains(pages, params, cut))
    hosts = [page.host for page in pages]
    sets = np.array([page.predicted.page.set for page in pages])
    chose = np.array([fold_of(host, 2) == 0 for host in hosts])
    masks = {"all": sets == sets, "chosen on": chose, "others": ~chose}  # noqa: PLR0124
    masks |= {name: sets == name for name in sorted(set(sets.tolist()))}
    return {
        name: {
            "pages": int(mask.sum()),
            "gain": mean(values[mask].tolist(), [hosts[at] for at in np.flatnonzero(mask)]),
        }
        for name, mask in masks.items()
        if mask.any()
    }


def main() -> None:
    args = description_parser(__doc__).parse_args()
    description = describe(args)
    predicted = predict(description, load_data(description, args.data, args.workers), args.workers)
    pages: list[Noted] = []
    for name in description.test:
        set_pages = [page for page in predicted if page.page.set == name]
        pages += noted(set_pages, corpus(name, args.data))
    cut = CutParams(**description.cut)
    results = []
    for params in GRID:
        groups = result(pages, params, cut)
        results.append({"repeat": params.repeat, "place": params.place, "groups": groups})
        cells = "  ".join(f"{name} {group['gain'][0]:+.4f}" for name, group in groups.items())
        print(f"repeat {params.repeat} place {params.place}: {cells}")
    shipped = result(pages, SiteParams(), cut)
    for name, group in shipped.items():
        print(f"shipped, {name:12} {group['pages']:4} pages  {group['gain']}")
    record("accuracy/sites", {"shipped": shipped, "grid": results, **environment()})


if __name__ == "__main__":
    main()
