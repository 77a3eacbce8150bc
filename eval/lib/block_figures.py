"""Blocks found, wrong and missed, begin and end of the article, by source of the pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from crfclean.evaluate.metrics import BlockKind, Counts
from crfclean.evaluate.result import groups, total_counts
from crfclean.evaluate.runner import PageScore
from crfclean.evaluate.tables import aligned, percent

PEERS = ("jusText", "readability-lxml")
"""The peers that the tables show beside ours."""

LETTERS = dict(zip(BlockKind, ("P", "IN", "LI", "C", "BY", "F", "H"), strict=True))
"""Kind -> its letter in tables: H, F, IN, LI as in the perceptron paper, C, BY, P added."""

Scores = dict[str, list[PageScore]]
"""System -> scores of its pages."""


def kinds(counts: Sequence[int]) -> str:
    """`7 (3 H, 2 LI, 2 P)`: how many, and of what kinds, the most first."""
    parts = [(count, LETTERS[kind]) for kind, count in zip(BlockKind, counts, strict=True) if count]
    by_kind = ", ".join(f"{count} {letter}" for count, letter in sorted(parts, reverse=True))
    return f"{sum(counts)} ({by_kind})" if by_kind else "0"


def shares(counts: Counts) -> list[str]:
    """Blocks found and wrong as shares of the gold's."""
    kept, wrong, missed = counts.sum(axis=0).tolist()
    return [percent(kept, kept + missed), percent(wrong, kept + missed)]


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


def text(scores: Mapping[str, Sequence[PageScore]], least: int, name: str = "crfclean") -> str:
    """The tables as text, the first of the system of this name."""
    head = ["source", "pages", "blocks", "kept", "wrong", "missed", "begin", "end"]
    first, second = (
        [head],
        [["source", *(f"{system} {x}" for system in scores for x in ("+", "-"))]],
    )
    for source, places in groups(scores[name], lambda page: page.site).items():
        if len(places) < least:
            continue
        by_system = {system: [pages[at] for at in places] for system, pages in scores.items()}
        first_pages = by_system[name]
        counts, figures = total_counts(first_pages), row(first_pages)
        kept = str(counts[:, :2].sum())
        wrong, missed = kinds(counts[:, 1].tolist()), kinds(counts[:, 2].tolist())
        exact = [percent(figures[end]["exact"], 1) for end in ("begin", "end")]
        size = [str(len(places)), str(figures["blocks"])]
        first.append([source, *size, kept, wrong, missed, *exact])
        second.append(
            [
                source,
                *(
                    cell
                    for system_pages in by_system.values()
                    for cell in shares(total_counts(system_pages))
                ),
            ]
        )
    return aligned(first) + "\n" + aligned(second)
