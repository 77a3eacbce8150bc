"""Measure what the files of `learn-site` gain on later pages of the same sites.

Run `python -m eval.accuracy.learn_site eval/accuracy/experiments/default.json --data DIR --set
'test=["daniel-dev", "irdata-big9"]' --predictions FILE`.

Marginals are out-of-fold by site. A site's file is learned from its first pages, at most 20 and at
most half of them, and used on each of the others by itself. A site of irdata-big9 in one year
counts as a site, for its template is another one in each; "years" are the same sites with the pages
of all years in a row, of which mostly the first year's are learned.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crfclean.decision.params import CutParams
from crfclean.page.blocks import split
from crfclean.site import SiteParams
from crfclean.site_rules.apply import adjusted
from crfclean.site_rules.known import LEAST_FIT, KnownSite, fit_of
from crfclean.site_rules.learn import learn, page_notes
from crfclean.site_rules.values import PageNotes
from crfclean.types import Blocks, Document
from eval.lib.corpora import corpus
from eval.lib.descriptions import describe
from eval.lib.intervals import mean
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.lib.saved_predictions import predictions, predictions_parser

LEAST_PAGES, MOST_LEARNED = 8, 20
BY_YEAR = "irdata-big9"
VARIANTS: Mapping[str, SiteParams] = {
    "both": SiteParams(),
    "repeated texts alone": SiteParams(place=0.0),
    "places alone": SiteParams(repeat=0.0),
}


@dataclass(frozen=True)
class SitePage:
    """A predicted page, its blocks, and what it says of its site."""

    predicted: Predicted
    blocks: Blocks
    notes: PageNotes


@dataclass(frozen=True)
class LaterPage:
    """A page that was not learned from: F1 by the model alone, and what each variant gains.

    `fit` is how well its site's rules fit it.
    """

    site: str
    f1: float
    fit: float
    gains: Mapping[str, float]


def by_site(pages: Sequence[Predicted], data: str, cut: CutParams) -> dict[str, list[SitePage]]:
    """The pages of each site in order, those of `BY_YEAR` also by year ("2005/cnn")."""
    html = {
        (name, gold.id): gold.page
        for name in {page.page.set for page in pages}
        for gold in corpus(name, data)
    }
    sites: dict[str, list[SitePage]] = defaultdict(list)
    for page in pages:
        gold = page.page.gold
        blocks = split(html[page.page.set, gold.id])
        notes = page_notes(Document(None, blocks, page.tags(cut)), gold.site)
        site_page = SitePage(page, blocks, notes)
        if page.page.set == BY_YEAR:
            year = gold.id.partition("/")[0]
            sites[f"{BY_YEAR} {year} {gold.site}"].append(site_page)
            sites[f"years {gold.site}"].append(site_page)
        else:
            sites[f"{page.page.set} {gold.site}"].append(site_page)
    return {site: rows for site, rows in sites.items() if len(rows) >= LEAST_PAGES}


def later_pages(site: str, pages: Sequence[SitePage], cut: CutParams) -> list[LaterPage]:
    """The pages of a site that are not learned from."""
    count = min(MOST_LEARNED, len(pages) // 2)
    learned = KnownSite(learn(site, [page.notes for page in pages[:count]]))
    return [_later(site, page, learned, cut) for page in pages[count:]]


def _later(site: str, page: SitePage, learned: KnownSite, cut: CutParams) -> LaterPage:
    predicted = page.predicted
    tags = predicted.tags(cut)
    alone = predicted.page.f1(tags.kept)
    words = predicted.page.example.frame.words
    fit = fit_of(learned.means(page.blocks), np.where(tags.kept, words, 0.0))
    gains = {}
    for name, params in VARIANTS.items():
        marginals = adjusted(predicted.marginals, page.blocks, learned, params)
        kept = replace(predicted, marginals=marginals).tags(cut).kept
        gains[name] = predicted.page.f1(kept) - alone
    return LaterPage(site, alone, fit, gains)


def result(pages: Sequence[LaterPage]) -> dict[str, Any]:
    """Sites, pages, F1 by the model alone, and gains: means over pages and over sites."""
    sites = [page.site for page in pages]
    by_name: dict[str, Any] = {
        name: mean([page.gains[name] for page in pages], sites) for name in VARIANTS
    }
    of_site = defaultdict(list)
    for page in pages:
        of_site[page.site].append(page.gains["both"])
    means = [float(np.mean(values)) for values in of_site.values()]
    return {
        "sites": len(of_site),
        "pages": len(pages),
        "f1": round(float(np.mean([page.f1 for page in pages])), 4),
        "gain": by_name,
        "gain over sites": round(float(np.mean(means)), 4),
        "sites that gain, lose 0.005": [
            sum(value >= 0.005 for value in means),
            sum(value <= -0.005 for value in means),
        ],
        "unfit": sum(page.fit < LEAST_FIT for page in pages),
    }


def main() -> None:
    args = predictions_parser(__doc__).parse_args()
    description = describe(args)
    cut = CutParams(**description.cut)
    pages: dict[str, list[LaterPage]] = defaultdict(list)
    for site, rows in by_site(predictions(description, args), args.data, cut).items():
        group = site.partition(" ")[0]
        of_site = later_pages(site, rows, cut)
        pages[group] += of_site
        if group != "years":
            pages["all"] += of_site
        gain = np.mean([page.gains["both"] for page in of_site])
        print(f"{site:40} {len(of_site):3} pages  {gain:+.4f}")
    groups = {name: result(rows) for name, rows in pages.items()}
    for name, values in groups.items():
        print(name, values)
    record("accuracy/learn_site", {"groups": groups, **environment()})


if __name__ == "__main__":
    main()
