"""The CRF paper's table (L, P, R, F by source and All) in its mode: h1, p, li, per-source models.

Novotny (2014) trains and tests within each source, and once on all sources together. Here each
column is a cross-validation within its source: every page is scored once, by a model that saw
the other folds' pages of the source. "All" is a model of all sources' other folds. With
`--own-blocks` the same is done on our own segmentation.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from corpora import corpus, parser
from record import environment, record

from crfclean.compare import Row, table
from crfclean.evaluate import PageScore, score_document, score_text
from crfclean.gold import GoldPage, read_gold
from crfclean.pipeline import run
from crfclean.tables import paper_table
from crfclean.taggers.crf import from_bundle
from crfclean.train import TrainParams, train
from crfclean.types import CrfcleanError
from crfclean.workers import map_in_order

PAPER = ("h1", "p", "li")
Task = tuple[str, int]


def fold_of(gold: GoldPage, folds: int) -> int:
    """The fold of a page: a digest of its name."""
    return int(hashlib.sha256(gold.id.encode()).hexdigest(), 16) % folds


def run_task(task: Task, shared: tuple[list[GoldPage], TrainParams, int]) -> list[PageScore]:
    """Train on a source's pages ("" for all) outside a fold and score those inside."""
    source, fold = task
    pages, params, folds = shared
    chosen = [gold for gold in pages if source in ("", gold.source)]
    training = [gold for gold in chosen if fold_of(gold, folds) != fold]
    held = [gold for gold in chosen if fold_of(gold, folds) == fold]
    try:
        tagger = from_bundle(Path("fold"), train(training, params))
    except CrfcleanError:  # a source without h1, p and li gives no text in the paper's mode
        return [score_text(gold, "") for gold in held]
    return [score_document(gold, run(gold.page, tagger)) for gold in held]


def within_sources(
    pages: list[GoldPage], params: TrainParams, folds: int, workers: int
) -> list[Row]:
    """A row for each source by models of its own, and the row All by models of all sources."""
    sources = sorted({gold.source for gold in pages})
    tasks = [(source, fold) for source in [*sources, ""] for fold in range(folds)]
    scores: dict[str, list[PageScore]] = {source: [] for source in [*sources, ""]}
    results = map_in_order(run_task, tasks, (pages, params, folds), workers)
    for (source, _), part in zip(tasks, results, strict=True):
        scores[source] += part
    rows = [table(scores[source])[0] for source in sources]
    return [*rows, table(scores[""])[-1]]


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--set", default="irdata-big9", help="a set, or a directory with gold")
    args.add_argument("--folds", type=int, default=5)
    args.add_argument("--workers", type=int, default=2)
    args.add_argument("--own-blocks", action="store_true")
    args.add_argument("--params", type=json.loads, default={}, help="training parameters, JSON")
    given = args.parse_args()
    directory = Path(given.set)
    pages = list(read_gold(directory)) if directory.is_dir() else corpus(given.set, given.data)
    params = TrainParams(elements=() if given.own_blocks else PAPER, **given.params)
    rows = within_sources(pages, params, given.folds, given.workers)
    print(paper_table(rows), end="")
    name = f"paper_table_{directory.name}{'_own_blocks' if given.own_blocks else ''}"
    table_rows = [asdict(row) for row in rows]
    result = {"set": given.set, "folds": given.folds, "params": asdict(params)}
    record(name, {**result, "rows": table_rows, **environment()})


if __name__ == "__main__":
    main()
