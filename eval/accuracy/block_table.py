"""Blocks found, wrong and missed, begin and end: tables 5.3 to 5.6 of the perceptron paper.

A row a source (with `--least` pages): blocks of its pages, blocks kept, wrong and missed ones with
their kinds, pages whose begin and end are exact; then found and wrong, as shares of the gold's
blocks, beside jusText and readability-lxml. The demo pages are scored by models of the other
sites; a public set by models of a description (`experiments/quick.json` has no silver labels) that
have not seen the site, nor any page of the set. Texts of others are aligned to the page's blocks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora import corpus, parser
from peers import attempt
from predictions import Description, load_data, predict
from record import environment, record

from crfclean.blocks import split
from crfclean.blockscores import LETTERS, BlockKind, Counts
from crfclean.compare import groups, total_counts
from crfclean.crossval import Plan, cross_validate, learn
from crfclean.cut import CutParams
from crfclean.evaluate import Cleaned, PageScore, score_page
from crfclean.gold import GoldPage, read_gold
from crfclean.tables import aligned, percent
from crfclean.types import Document, Tags
from crfclean.workers import map_in_order

PEERS = ("jusText", "readability-lxml")
QUICK = Path(__file__).parent / "experiments" / "quick.json"
DEMO = Path("data/demo")

Scores = dict[str, list[PageScore]]


def score(job: tuple[GoldPage, Tags | None], _shared: None) -> list[PageScore]:
    """Scores of our labels, where there are some, and of the peers' texts."""
    gold, tags = job
    cleaned = [Cleaned(*attempt(name, gold.page.html, gold.lang)) for name in PEERS]
    if tags is not None:
        document = Document(None, split(gold.page), tags)
        cleaned.insert(0, Cleaned(document.text, "ok", document))
    return score_page(gold, cleaned)


def of_demo(folder: Path, workers: int) -> Scores:
    """Every page by a model of the other sites."""
    gold, plan = list(read_gold(folder)), Plan()
    ours = cross_validate(learn(gold, plan, workers), plan, workers)
    peers = list(map_in_order(score, ((one, None) for one in gold), None, workers))
    found = {"crfclean": [one.scores[0] for one in ours]}
    return found | {name: [page[at] for page in peers] for at, name in enumerate(PEERS)}


def of_set(name: str, wanted: Description, data: str, workers: int) -> Scores:
    """Every page of a public set by a model that has not seen its site."""
    cut = CutParams(**wanted.cut)
    predicted = predict(wanted, load_data([wanted], data, workers), workers)
    tags = {one.page.gold.id: one.tags(cut) for one in predicted if one.page.set == name}
    jobs = [(one, tags[one.id]) for one in corpus(name, data) if one.id in tags]
    pages = list(map_in_order(score, jobs, None, workers))
    return {one: [page[at] for page in pages] for at, one in enumerate(("crfclean", *PEERS))}


def kinds(counts: Sequence[int]) -> str:
    """`7 (3 H, 2 LI, 2 P)`: how many, and of what kinds, the most first."""
    parts = [(count, LETTERS[kind]) for kind, count in zip(BlockKind, counts, strict=True) if count]
    told = ", ".join(f"{count} {letter}" for count, letter in sorted(parts, reverse=True))
    return f"{sum(counts)} ({told})" if told else "0"


def shares(counts: Counts) -> list[str]:
    """Blocks found and wrong as shares of the gold's."""
    found, wrong, missed = counts.sum(axis=0).tolist()
    return [percent(found, found + missed), percent(wrong, found + missed)]


def ends(pages: Sequence[PageScore], side: int) -> dict[str, float]:
    """Shares of pages where begin (0) or end (1) is exact, has blocks too many, or too few."""
    found = [page.blocks.ends[side] for page in pages if page.blocks is not None]
    count = max(1, len(found))
    return {
        "exact": sum(end == 0 for end in found) / count,
        "too many": sum(end < 0 for end in found) / count,
        "too few": sum(end > 0 for end in found) / count,
    }


def row(pages: Sequence[PageScore]) -> dict[str, Any]:
    """The figures of a source by one system."""
    counts = total_counts(pages)
    by_kind = {kind.name.lower(): counts[kind].tolist() for kind in BlockKind}
    blocks = sum(len(page.blocks) for page in pages if page.blocks is not None)
    figures = {"pages": len(pages), "blocks": blocks, "found, wrong, missed": by_kind}
    return figures | {"begin": ends(pages, 0), "end": ends(pages, 1)}


def result(scores: Mapping[str, Sequence[PageScore]]) -> dict[str, Any]:
    """All figures by source and system."""
    places = groups(next(iter(scores.values())), lambda page: page.site)
    return {
        source: {name: row([pages[at] for at in found]) for name, pages in scores.items()}
        for source, found in places.items()
    }


def text(scores: Mapping[str, Sequence[PageScore]], least: int, name: str = "crfclean") -> str:
    """The tables as text, the first of the system of this name."""
    head = ["source", "pages", "blocks", "kept", "wrong", "missed", "begin", "end"]
    first, second = [head], [["source", *(f"{one} {x}" for one in scores for x in ("+", "-"))]]
    for source, places in groups(scores[name], lambda page: page.site).items():
        if len(places) < least:
            continue
        mine = {one: [pages[at] for at in places] for one, pages in scores.items()}
        ours = mine[name]
        counts, figures = total_counts(ours), row(ours)
        kept = str(counts[:, :2].sum())
        wrong, missed = kinds(counts[:, 1].tolist()), kinds(counts[:, 2].tolist())
        exact = [percent(figures[end]["exact"], 1) for end in ("begin", "end")]
        size = [str(len(places)), str(figures["blocks"])]
        first.append([source, *size, kept, wrong, missed, *exact])
        second.append(
            [source, *(cell for own in mine.values() for cell in shares(total_counts(own)))]
        )
    return aligned(first) + "\n" + aligned(second)


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--sets", nargs="+", default=[str(DEMO), "irdata-big9", "daniel-dev"])
    args.add_argument("--description", type=Path, default=QUICK)
    args.add_argument("--least", type=int, default=4, help="pages of a source that is printed")
    args.add_argument("--workers", type=int, default=2)
    given = args.parse_args()
    told = json.loads(given.description.read_text("utf-8"))
    for name in given.sets:
        wanted = replace(Description(**told), test=(name,), only=())
        if Path(name).is_dir():
            scores = of_demo(Path(name), given.workers)
        else:
            scores = of_set(name, wanted, given.data, given.workers)
        print(f"{name}\n{text(scores, given.least)}", flush=True)
        record(
            f"block_table_{Path(name).name}",
            {"set": name, "rows": result(scores), **environment()},
        )


if __name__ == "__main__":
    main()
