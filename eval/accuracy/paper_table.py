"""Print the CRF paper's table (L, P, R, F by source and All) with a model for each source.

Run `python -m eval.accuracy.paper_table --set data/demo`.

Novotny (2014) trains and tests within each source, and once on all sources together, on h1, p and
li. Here each column is a cross-validation within its source: every page is scored once, by a model
that saw the other folds' pages of the source. "All" is a model of all sources' other folds.
`--own-blocks` uses our own segmentation.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from crfclean.products.teach.cross_validation import (
    UNTRAINED,
    Plan,
    PreparedPage,
    cross_validate,
    prepare,
)
from crfclean.products.teach.gold import GoldPage, read_gold
from crfclean.products.teach.means import Row, means_by_group
from crfclean.products.teach.runner import Scored
from crfclean.products.teach.tables import aligned
from crfclean.products.teach.train import Learner, TrainParams
from eval.lib.corpora import corpus, data_parser
from eval.lib.record import environment, record

PAPER = ("h1", "p", "li")


def by_host(gold: Sequence[GoldPage], least: int) -> list[GoldPage]:
    """The pages of hosts that have so many, with their hosts as sources."""
    counts = Counter(page.site for page in gold)
    return [replace(page, source=page.site) for page in gold if counts[page.site] >= least]


def within_sources(
    pages: Sequence[PreparedPage], plan: Plan, everything: Sequence[Scored], workers: int = 1
) -> list[Row]:
    """Rows of the paper's table 1: each source by its own models, then All by all.

    A source has no row if some of its pages have no model: they are in one fold, or have one label.
    """
    rows = []
    for source in sorted({page.gold.source for page in pages}):
        own = [page for page in pages if page.gold.source == source]
        scored = [page.scores[0] for page in cross_validate(own, plan, workers)]
        if not any(page.status.startswith(UNTRAINED) for page in scored):
            rows.append(means_by_group(scored)[0])
    return [*rows, means_by_group([page.scores[0] for page in everything])[-1]]


def paper_table(rows: Sequence[Row]) -> str:
    """Rows as the columns of the paper's table 1: L, P, R, F by group and All."""
    lines = {
        "pages": [str(row.pages) for row in rows],
        "L": [f"{row.distance:.1f}" for row in rows],
        "L norm.": [f"{row.distance_share:.3f}" for row in rows],
        "P": [f"{row.precision:.3f}" for row in rows],
        "R": [f"{row.recall:.3f}" for row in rows],
        "F": [f"{row.f1:.3f}" for row in rows],
    }
    return aligned([["", *(row.source for row in rows)], *([k, *v] for k, v in lines.items())])


def main() -> None:
    parser = data_parser(__doc__)
    parser.add_argument("--set", default="irdata-big9", help="a set, or a directory with gold")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--hosts", type=int, default=0, help="sources: hosts of so many pages")
    parser.add_argument("--own-blocks", action="store_true")
    parser.add_argument("--params", type=json.loads, default={}, help="training parameters, JSON")
    args = parser.parse_args()
    directory = Path(args.set)
    gold = list(read_gold(directory)) if directory.is_dir() else corpus(args.set, args.data)
    gold = by_host(gold, args.hosts) if args.hosts else gold
    params = TrainParams(elements=() if args.own_blocks else PAPER, **args.params)
    plan = Plan(args.folds, "page", Learner(params))
    pages = prepare(gold, plan, args.workers)
    everything = cross_validate(pages, plan, args.workers)
    rows = within_sources(pages, plan, everything, args.workers)
    print(paper_table(rows), end="")
    name = f"accuracy/paper_table_{directory.name}{'_own_blocks' if args.own_blocks else ''}"
    table_rows = [asdict(row) for row in rows]
    result = {
        "set": args.set,
        "hosts": args.hosts,
        "folds": args.folds,
        "params": asdict(params),
    }
    record(name, {**result, "rows": table_rows, **environment()})


if __name__ == "__main__":
    main()
