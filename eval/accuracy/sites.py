"""Measure what `--by-site` gains: pages of one host that are judged together.

Run `python -m eval.accuracy.sites --predictions FOLDER --sets daniel-dev wcxb-dev`.

The folder has predictions of `eval.accuracy.transfer`, by models that have seen none of a set's
sites. Hosts with at least five pages count; of the documentation and static sites of a repository,
the repository is the host. A page is better or worse if its worth differs by 0.005.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from crfclean.decision.evidence import Evidence
from crfclean.decision.verdict import decide
from crfclean.page.head import host
from crfclean.page.site import repeated_keys, text_keys
from eval.lib.descriptions import describe
from eval.lib.intervals import mean
from eval.lib.left_out import LeftOut, left_out_parser
from eval.lib.measure import value
from eval.lib.predictions import Predicted
from eval.lib.record import environment, record
from eval.models.train_default import AUTO

LEAST_PAGES = 5
REPOSITORIES = ("mdsites-dev", "sphinxdocs-dev", "srcgold-dev")
"""Sets whose pages are of repositories, whose sites share hosts."""
CHANGED = 0.005


def hosts(predicted: Iterable[Predicted]) -> dict[str, list[Predicted]]:
    """The pages of hosts that have enough of them."""
    by_host = defaultdict[str, list[Predicted]](list)
    for page in predicted:
        gold = page.page.gold
        of_repository = page.page.set in REPOSITORIES
        by_host[gold.site if of_repository else host(gold.page.url) or gold.site].append(page)
    return {name: pages for name, pages in by_host.items() if len(pages) >= LEAST_PAGES}


def worths(pages: Sequence[Predicted]) -> Iterable[tuple[float, float]]:
    """The worth of each page of a host with gold, by itself and judged with the others."""
    evidence = [page.page.evidence() for page in pages]
    repeated = repeated_keys([(each.page.title, text_keys(each.page)) for each in evidence])
    for page, alone in zip(pages, evidence, strict=True):
        together = Evidence(replace(alone.page, repeated=repeated))
        made = [
            value(
                page.page.set,
                page.page.gold,
                page.page.text(decide(each, page.marginals, AUTO).kept),
            )
            for each in (alone, together)
        ]
        if made[0] is not None and made[1] is not None:
            yield made[0], made[1]


def judge(predicted: Iterable[Predicted]) -> dict[str, Any]:
    """Hosts, pages, pages better and worse, and the mean change with its interval over hosts."""
    changes, sites = list[float](), list[str]()
    for name, pages in hosts(predicted).items():
        for before, after in worths(pages):
            changes.append(after - before)
            sites.append(name)
    if not changes:
        return {"hosts": 0}
    return {
        "hosts": len(set(sites)),
        "pages": len(changes),
        "better": int((np.array(changes) >= CHANGED).sum()),
        "worse": int((np.array(changes) <= -CHANGED).sum()),
        "change": list(mean(changes, sites)),
    }


def main() -> None:
    args = left_out_parser(__doc__).parse_args()
    left_out = LeftOut(replace(describe(args), note=""), args)
    results = {}
    for name in args.sets or left_out.names:
        results[name] = judge(left_out.predicted(name))
        print(name, results[name], flush=True)
    record("accuracy/sites", {"results": results, **environment()})


if __name__ == "__main__":
    main()
