"""Page scores -> means by group, bootstrap intervals, paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from crfclean.evaluate.block_metrics import BlockKind, Counts
from crfclean.evaluate.metrics import Snippets
from crfclean.evaluate.runner import PageScore
from crfclean.types import Floats

RESAMPLES = 2_000
ALL = "All"

GroupKey = Callable[[PageScore], str]
BY: Mapping[str, GroupKey] = {
    "source": lambda page: page.source,
    "kind": lambda page: page.kind or "?",
    "lang": lambda page: page.lang or "?",
}
"""What pages are grouped by in tables."""


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the pages of a source: one column of the paper's table (L, P, R, F)."""

    source: str
    pages: int
    distance: float
    distance_share: float
    precision: float
    recall: float
    f1: float


def groups(pages: Sequence[PageScore], key: GroupKey | None = None) -> dict[str, list[int]]:
    """Places of the pages by source (or another key) in order of names, and of all."""
    name = key or BY["source"]
    found: dict[str, list[int]] = {}
    for place, page in enumerate(pages):
        found.setdefault(name(page), []).append(place)
    return {one: found[one] for one in sorted(found)} | {ALL: list(range(len(pages)))}


def means_by_group(pages: Sequence[PageScore], key: GroupKey | None = None) -> list[Row]:
    """Means by source (or another key), in order of names, and over all pages."""
    found = groups(pages, key).items()
    return [_row(name, [pages[place] for place in places]) for name, places in found]


def _row(source: str, pages: Sequence[PageScore]) -> Row:
    values = [
        (p.distance, p.distance_share, p.words.precision, p.words.recall, p.words.f1) for p in pages
    ]
    return Row(source, len(pages), *(float(mean) for mean in np.mean(values, axis=0)))


def interval(values: Floats, groups: Sequence[str], seed: int = 1) -> tuple[float, float]:
    """95 % bootstrap interval of the mean of `values` (n,), resampling whole groups (sites)."""
    _, places = np.unique(np.array(groups), return_inverse=True)
    sums, counts = np.bincount(places, values), np.bincount(places)
    draws = np.random.default_rng(seed).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = sums[draws].sum(1) / counts[draws].sum(1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def f1_interval(pages: Sequence[PageScore]) -> tuple[float, float]:
    """95 % interval of the mean F1, resampling sites."""
    return interval(np.array([page.words.f1 for page in pages]), [page.site for page in pages])


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean paired difference in F1 on the pages of a group, with its 95 % interval over sites.

    The interval of a single site has no width, and says nothing.
    """

    group: str
    pages: int
    sites: int
    mean: float
    low: float
    high: float


def differences(
    ours: Sequence[PageScore], theirs: Sequence[PageScore], key: GroupKey | None = None
) -> list[Difference]:
    """Ours minus theirs, page by page: by group and over all. The pages are the same, in order."""
    gain = np.array([a.words.f1 - b.words.f1 for a, b in zip(ours, theirs, strict=True)])
    rows = []
    for name, places in groups(ours, key).items():
        part = gain[places]
        sites = [ours[place].site for place in places]
        size = len(places), len(set(sites))
        rows.append(Difference(name, *size, float(part.mean()), *interval(part, sites)))
    return rows


def total_confusion(pages: Iterable[PageScore]) -> Counts:
    """Sum of the pages' confusion matrices, shape (3, 3)."""
    matrices = [page.blocks.matrix for page in pages if page.blocks is not None]
    total: Counts = np.sum([np.zeros((3, 3), np.int64), *matrices], axis=0)
    return total


def total_counts(pages: Iterable[PageScore]) -> Counts:
    """Sum of the pages' blocks found, wrong and missed by kind, shape (kinds, 3)."""
    counts = [page.blocks.counts for page in pages if page.blocks is not None]
    total: Counts = np.sum([np.zeros((len(BlockKind), 3), np.int64), *counts], axis=0)
    return total


def total_snippets(pages: Iterable[PageScore]) -> Snippets:
    """Sums over the pages."""
    parts = [page.snippets for page in pages]
    return Snippets(
        sum(one.wanted for one in parts),
        sum(one.found for one in parts),
        sum(one.unwanted for one in parts),
        sum(one.kept_out for one in parts),
    )


def exact_ends(pages: Iterable[PageScore]) -> tuple[float, float]:
    """Share of pages whose begin, and whose end, was found exactly; 1 of no page."""
    found = [page.blocks.ends for page in pages if page.blocks is not None]
    if not found:
        return 1.0, 1.0
    begin, end = (np.array(found) == 0).mean(axis=0)
    return float(begin), float(end)
