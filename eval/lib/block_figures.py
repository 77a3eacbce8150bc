"""Blocks found, wrong and missed, begin and end of the article, by source of the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crfclean.products.teach.block_metrics import BlockKind, Counts
from crfclean.products.teach.cleaning import PageScore
from crfclean.products.teach.means import groups, total_counts
from crfclean.products.teach.tables import aligned, percent

PEERS = ("jusText", "readability-lxml")
"""The peers that the tables show beside ours."""

Scores = dict[str, list[PageScore]]
"""System -> scores of its pages."""


def shares(counts: Counts) -> list[str]:
    """Blocks found and wrong as shares of the gold's."""
    kept, wrong, missed = counts.sum(axis=0).tolist()
    return [percent(kept, kept + missed), percent(wrong, kept + missed)]


def words(pages: Sequence[PageScore]) -> float:
    """The mean F1 on words."""
    return float(np.mean([page.words.f1 for page in pages]))


def ends(pages: Sequence[PageScore], side: int) -> dict[str, float]:
    """Shares of pages where begin (0) or end (1) is exact, has blocks too many, or too few."""
    page_ends = [page.blocks.ends[side] for page in pages if page.blocks is not None]
    count = max(1, len(page_ends))
    return {
        "exact": round(sum(end == 0 for end in page_ends) / count, 6),
        "too many": round(sum(end < 0 for end in page_ends) / count, 6),
        "too few": round(sum(end > 0 for end in page_ends) / count, 6),
    }


def row(pages: Sequence[PageScore]) -> dict[str, Any]:
    """The figures of a source by one system; kinds of blocks that do not occur are left out."""
    counts = total_counts(pages)
    by_kind = {kind.name.lower(): counts[kind].tolist() for kind in BlockKind if counts[kind].any()}
    blocks = sum(len(page.blocks) for page in pages if page.blocks is not None)
    figures = {"pages": len(pages), "blocks": blocks, "found, wrong, missed": by_kind}
    return figures | {"begin": ends(pages, 0), "end": ends(pages, 1)}


def result(scores: Mapping[str, Sequence[PageScore]], least: int) -> dict[str, Any]:
    """The figures by source and system; sources of fewer than `least` pages stand together."""
    by_source = groups(next(iter(scores.values())), lambda page: page.site)
    rows = {source: places for source, places in by_source.items() if len(places) >= least}
    small = [
        place for source, places in by_source.items() if source not in rows for place in places
    ]
    rows |= {f"sources of fewer than {least} pages": small} if small else {}
    rows["all"] = [place for places in by_source.values() for place in places]
    return {
        source: {name: row([pages[at] for at in places]) for name, pages in scores.items()}
        for source, places in rows.items()
    }


def show(scores: Mapping[str, Sequence[PageScore]], name: str = "") -> None:
    """Print the shares of each system's blocks, of its exact ends, and its mean F1 on words."""
    rows = [[name, "found", "wrong", "begin", "end", "F1"]]
    for system, pages in scores.items():
        exact = [percent(ends(pages, side)["exact"], 1) for side in (0, 1)]
        rows.append([system, *shares(total_counts(pages)), *exact, f"{words(pages):.3f}"])
    print(aligned(rows), flush=True)
