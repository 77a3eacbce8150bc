"""Means of page scores by group, bootstrap intervals and paired differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from crfclean.products.teach.block_metrics import BlockKind, Counts
from crfclean.products.teach.cleaning import PageScore
from crfclean.types import Floats

RESAMPLES = 2_000
ALL = "All"

GroupKey = Callable[[PageScore], str]
BY: Mapping[str, GroupKey] = {
    "source": lambda page: page.source,
    "kind": lambda page: page.kind or "?",
    "lang": lambda page: page.lang or "?",
}
"""Name of a grouping of pages -> the function that returns a page's group."""


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the pages of a group: one column of the CRF paper's table (L, P, R, F)."""

    source: str
    pages: int
    distance: float
    distance_share: float
    precision: float
    recall: float
    f1: float
    metrics: Mapping[str, float] = field(default_factory=dict)


def groups(pages: Sequence[PageScore], key: GroupKey | None = None) -> dict[str, list[int]]:
    """Return the indices of pages by source (or another key), sorted by name, `ALL` last."""
    name = key or BY["source"]
    places_of: dict[str, list[int]] = {}
    for place, page in enumerate(pages):
        places_of.setdefault(name(page), []).append(place)
    return {group: places_of[group] for group in sorted(places_of)} | {ALL: list(range(len(pages)))}


def means_by_group(pages: Sequence[PageScore], key: GroupKey | None = None) -> list[Row]:
    """Compute means by source (or another key), sorted by name, then over all pages."""
    values = np.array(
        [
            (p.distance, p.distance_share, p.words.precision, p.words.recall, p.words.f1)
            for p in pages
        ]
    )
    rows = []
    for name, places in groups(pages, key).items():
        distance, share, precision, recall, f1 = map(float, values[places].mean(axis=0))
        metrics = metric_means([pages[place] for place in places])
        rows.append(Row(name, len(places), distance, share, precision, recall, f1, metrics))
    return rows


def metric_means(pages: Sequence[PageScore]) -> dict[str, float]:
    """Compute the means of the metrics that were asked for."""
    names = pages[0].metrics if pages else ()
    return {name: sum(page.metrics[name] for page in pages) / len(pages) for name in names}


def interval(values: Floats, groups: Sequence[str]) -> tuple[float, float]:
    """Compute the 95 % bootstrap interval of a mean of (n,), resampling whole groups (sites)."""
    _, places = np.unique(np.array(groups), return_inverse=True)
    sums, counts = np.bincount(places, values), np.bincount(places)
    draws = np.random.default_rng(1).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = sums[draws].sum(1) / counts[draws].sum(1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def units(pages: Sequence[PageScore], unit: str) -> list[str]:
    """Return what an interval over a unit, "site" or "page", draws each page with."""
    return [page.site if unit == "site" else str(place) for place, page in enumerate(pages)]


def f1_interval(pages: Sequence[PageScore], unit: str = "site") -> tuple[float, float] | None:
    """95 % interval of the mean F1, resampling sites or pages; None for a single one."""
    drawn = units(pages, unit)
    if len(set(drawn)) < 2:
        return None
    return interval(np.array([page.words.f1 for page in pages]), drawn)


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean paired difference in F1 on the pages of a group, with its 95 % interval.

    A group of a single site, or page, has no interval.
    """

    group: str
    pages: int
    sites: int
    mean: float
    low: float | None
    high: float | None


def differences(
    pages: Sequence[PageScore],
    peer_pages: Sequence[PageScore],
    key: GroupKey | None = None,
    unit: str = "site",
) -> list[Difference]:
    """Compute differences in F1 to a peer, by group and over all, on the same pages in order."""
    gain = np.array(
        [
            page.words.f1 - peer_page.words.f1
            for page, peer_page in zip(pages, peer_pages, strict=True)
        ]
    )
    rows = []
    for name, places in groups(pages, key).items():
        group, group_gain = [pages[place] for place in places], gain[places]
        drawn = units(group, unit)
        ends = interval(group_gain, drawn) if len(set(drawn)) > 1 else (None, None)
        size = len(group), len({page.site for page in group})
        rows.append(Difference(name, *size, float(group_gain.mean()), *ends))
    return rows


def total_confusion(pages: Iterable[PageScore]) -> Counts:
    """Sum of the pages' confusion matrices, shape (3, 3)."""
    matrices = [page.blocks.matrix for page in pages if page.blocks is not None]
    total: Counts = np.sum([np.zeros((3, 3), np.int64), *matrices], axis=0)
    return total


def total_counts(pages: Iterable[PageScore]) -> Counts:
    """Sum of the pages' counts of blocks found, wrong and missed by kind, shape (kinds, 3)."""
    counts = [page.blocks.counts for page in pages if page.blocks is not None]
    total: Counts = np.sum([np.zeros((len(BlockKind), 3), np.int64), *counts], axis=0)
    return total


def exact_ends(pages: Iterable[PageScore]) -> tuple[float, float]:
    """Return the shares of pages with an exact begin and an exact end; 1 without pages."""
    errors = [page.blocks.ends for page in pages if page.blocks is not None]
    if not errors:
        return 1.0, 1.0
    begin, end = (np.array(errors) == 0).mean(axis=0)
    return float(begin), float(end)
