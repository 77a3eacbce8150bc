"""The shipped model and the peers on sets that it was not trained on, by source or language."""

from __future__ import annotations

from typing import Any

import numpy as np
from corpora import corpus, parser
from peers import PEERS
from record import environment, record

import crfclean
from crfclean.evaluate import interval, word_scores
from crfclean.gold import GoldPage
from crfclean.workers import map_in_order

SETS = ("daniel-dev", "irdata-big9", "cleaneval-dev")
SYSTEMS = {"crfclean": crfclean.extract, **PEERS}


def scores(gold: GoldPage, _: None) -> list[float]:
    """F1 of every system on a page."""
    html = gold.page.html
    return [word_scores(extract(html), gold.text).f1 for extract in SYSTEMS.values()]


def by_group(pages: list[GoldPage], rows: list[list[float]]) -> dict[str, Any]:
    """Mean F1 and interval of every system by language, and over all."""
    table = np.array(rows)
    groups = {"all": list(range(len(pages)))}
    for place, page in enumerate(pages):
        groups.setdefault(page.lang or "?", []).append(place)
    return {
        group: {
            name: [
                round(float(table[places, column].mean()), 4),
                *interval(table[places, column], [pages[place].site for place in places]),
            ]
            for column, name in enumerate(SYSTEMS)
        }
        for group, places in groups.items()
    }


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--workers", type=int, default=2)
    given = args.parse_args()
    results = {}
    for name in SETS:
        pages = corpus(name, given.data)
        results[name] = by_group(pages, list(map_in_order(scores, pages, None, given.workers)))
        for group, systems in results[name].items():
            cells = (
                f"{who} {mean:.3f} [{low:.3f}, {high:.3f}]"
                for who, (mean, low, high) in systems.items()
            )
            print(f"{name:14} {group:4} " + "  ".join(cells))
    record("transfer", {"model": "default", "results": results, **environment()})


if __name__ == "__main__":
    main()
