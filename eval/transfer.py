"""A model and the peers on sets that it was not trained on: words, distance, labels of headings.

Measures of texts are means over pages, with 95 % bootstrap intervals over sites for F1 and for the
paired differences of F1. HEADER is scored over all blocks of a group, for the model alone: gold
blocks in heading elements are headings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
from corpora import corpus, parser
from peer_scores import Score, peer_scores
from record import environment, record

from crfclean.evaluate import (
    PageScore,
    interval,
    label_scores,
    score_document,
    total_confusion,
)
from crfclean.gold import GoldPage
from crfclean.pipeline import run
from crfclean.taggers import load
from crfclean.types import Floats, Label, Tagger
from crfclean.workers import map_in_order

SETS = ("daniel-dev", "irdata-big9", "cleaneval-dev")
BY_LANGUAGE = frozenset(["daniel-dev"])
OURS = "crfclean"
MEASURES = ("f1", "precision", "recall", "distance_share")

Tables = Mapping[str, Floats]
"""Name of a system -> its scores, shape (pages, 4): F1, P and R on words, distance in 0..1."""


def clean(gold: GoldPage, tagger: Tagger) -> PageScore:
    """Our scores on a page."""
    return score_document(gold, run(gold.page, tagger))


def tables(ours: Sequence[PageScore], peers: Mapping[str, Sequence[Score]]) -> Tables:
    """The scores of all systems, ours first."""
    rows = {OURS: [(p.words.f1, p.words.precision, p.words.recall, p.distance_share) for p in ours]}
    for name, scores in peers.items():
        rows[name] = [(s.f1, s.precision, s.recall, s.distance_share) for s in scores]
    return {name: np.array(values) for name, values in rows.items()}


def with_interval(values: Floats, sites: Sequence[str]) -> list[float]:
    """Mean, low and high end."""
    return [round(value, 4) for value in (float(values.mean()), *interval(values, sites))]


def groups(name: str, pages: Sequence[GoldPage]) -> dict[str, list[int]]:
    """Places of all pages, and of those of each language where a set is known by languages."""
    found = {"all": list(range(len(pages)))}
    if name in BY_LANGUAGE:
        for lang in sorted({page.lang for page in pages}):
            found[lang] = [place for place, page in enumerate(pages) if page.lang == lang]
    return found


def group_result(
    pages: Sequence[GoldPage], ours: Sequence[PageScore], scores: Tables
) -> dict[str, Any]:
    """Means of every system, our lead over each peer, and the scores of HEADER on some pages."""
    sites = [page.site for page in pages]
    means: dict[str, Any] = {}
    for name, table in scores.items():
        plain = {one: round(float(table[:, at].mean()), 4) for at, one in enumerate(MEASURES)}
        means[name] = {**plain, "f1": with_interval(table[:, 0], sites)}
    leads = {
        name: with_interval(scores[OURS][:, 0] - table[:, 0], sites)
        for name, table in scores.items()
        if name != OURS
    }
    matrix = total_confusion(ours)
    header = {one: round(x, 4) for one, x in asdict(label_scores(matrix)["HEADER"]).items()}
    counts = {"gold": int(matrix[Label.HEADER].sum()), "given": int(matrix[:, Label.HEADER].sum())}
    return {
        "pages": len(pages),
        "sites": len(set(sites)),
        "systems": means,
        "f1_difference_to": leads,
        "header": {**header, **counts},
    }


def set_result(
    name: str, pages: Sequence[GoldPage], tagger: Tagger, workers: int
) -> dict[str, Any]:
    """`group_result` of a set's groups."""
    ours = list(map_in_order(clean, pages, tagger, workers))
    scores = tables(ours, peer_scores(name, pages, workers))
    return {
        group: group_result(
            [pages[place] for place in places],
            [ours[place] for place in places],
            {system: table[places] for system, table in scores.items()},
        )
        for group, places in groups(name, pages).items()
    }


def show(name: str, group: str, result: Mapping[str, Any]) -> None:
    """Print a group's systems, a line each, and the scores of HEADER."""
    print(f"{name} {group}: {result['pages']} pages, {result['sites']} sites")
    for system, means in result["systems"].items():
        mean, low, high = means["f1"]
        cells = f"F1 {mean:.3f} [{low:.3f}, {high:.3f}]  P {means['precision']:.3f}"
        cells += f"  R {means['recall']:.3f}  L norm. {means['distance_share']:.3f}"
        if system != OURS:
            lead, low, high = result["f1_difference_to"][system]
            cells += f"  our lead {lead:+.3f} [{low:+.3f}, {high:+.3f}]"
        print(f"  {system:17} {cells}")
    header = result["header"]
    cells = f"P {header['precision']:.3f}  R {header['recall']:.3f}  F1 {header['f1']:.3f}"
    print(f"  HEADER            {cells}  ({header['gold']} in the gold, {header['given']} given)")


def main() -> None:
    args = parser(__doc__)
    args.add_argument("--model", default="default", help="a model's folder or its shipped name")
    args.add_argument("--sets", nargs="+", default=SETS)
    args.add_argument("--name", default="transfer", help="of the file of results")
    args.add_argument("--workers", type=int, default=2)
    given = args.parse_args()
    tagger = load(given.model)
    results = {}
    for name in given.sets:
        results[name] = set_result(name, corpus(name, given.data), tagger, given.workers)
        for group, result in results[name].items():
            show(name, group, result)
    record(given.name, {"model": given.model, "results": results, **environment()})


if __name__ == "__main__":
    main()
