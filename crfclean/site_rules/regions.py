"""Find the elements of a site's template that hold its text, and those inside that do not."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from crfclean.site_rules.selectors import xpath_of
from crfclean.site_rules.values import PageNotes, Region

MAX_REGIONS = 5  # regions of text: further ones serve single pages
MAX_STRIPS = 20
_TEXT_FLOOR = 0.5  # expected precision, below which a region says nothing of the text
_STRIP_CEILING = 0.1  # expected share of text in a region that is stripped
_LEAST_WORDS = 3.0  # words a page of a region that is stripped


@dataclass(frozen=True, slots=True)
class _Counts:
    """Pages, words and expected kept words of an element, and all kept words of those pages."""

    pages: int = 0
    words: float = 0.0
    kept: float = 0.0
    total: float = 0.0

    @property
    def f1(self) -> float:
        """F1 of the element's words as the text of the pages that have it."""
        both = self.words + self.total
        return 2 * self.kept / both if both else 0.0

    def region(self, step: str) -> Region:
        """The region of these counts."""
        precision = self.kept / self.words if self.words else 0.0
        recall = self.kept / self.total if self.total else 0.0
        return Region(step, xpath_of(step), self.pages, round(precision, 4), round(recall, 4))


def text_regions(pages: Sequence[PageNotes], least: int) -> tuple[Region, ...]:
    """The element that is the text of most pages, then that of the pages without it, and so on.

    Each stands on `least` pages or more of those that had none before.
    """
    by_page = [dict(_page_steps(page)) for page in pages]
    totals = [sum(kept for _, kept in page.places.values()) for page in pages]
    left, regions = list(range(len(pages))), list[Region]()
    while left and len(regions) < MAX_REGIONS:
        counts = _counted([by_page[at] for at in left], [totals[at] for at in left])
        best = _best(counts, least, sum(totals[at] for at in left))
        if best is None:
            break
        regions.append(counts[best].region(best))
        left = [at for at in left if best not in by_page[at]]
    return tuple(regions)


def _best(counts: dict[str, _Counts], least: int, total: float) -> str | None:
    """The element with the best F1 over all pages, of which each without it counts as missed."""
    rows = [
        (2 * entry.kept / (entry.words + total), step)
        for step, entry in sorted(counts.items())
        if entry.pages >= least and entry.kept >= _TEXT_FLOOR * entry.words > 0
    ]
    return max(rows, key=lambda row: row[0])[1] if rows else None


def _counted(
    by_page: Sequence[dict[str, tuple[float, float]]], totals: Sequence[float]
) -> dict[str, _Counts]:
    counts: dict[str, _Counts] = defaultdict(_Counts)
    for steps, total in zip(by_page, totals, strict=True):
        for step, (words, kept) in steps.items():
            old = counts[step]
            counts[step] = _Counts(
                old.pages + 1, old.words + words, old.kept + kept, old.total + total
            )
    return counts


def _page_steps(
    page: PageNotes, inside: frozenset[str] | None = None
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Every named element of a page with its words and kept words, of those `inside` others."""
    sums: dict[str, tuple[float, float]] = defaultdict(lambda: (0.0, 0.0))
    for path, (words, kept) in page.places.items():
        for step in dict.fromkeys(_inner_steps(path, inside)):
            old = sums[step]
            sums[step] = old[0] + words, old[1] + kept
    yield from sums.items()


def _inner_steps(path: str, inside: frozenset[str] | None) -> Sequence[str]:
    steps = path.split(" ")[:-1]
    if inside is None:
        return steps
    outer = next((at for at, step in enumerate(steps) if step in inside), len(steps))
    return steps[outer + 1 :]


def strip_regions(
    pages: Sequence[PageNotes], text: Sequence[Region], least: int
) -> tuple[Region, ...]:
    """The elements inside the text's regions that are no text, the outermost alone."""
    inside = frozenset(region.css for region in text)
    by_page = [dict(_page_steps(page, inside)) for page in pages]
    totals = [sum(kept for _, kept in page.places.values()) for page in pages]
    counts = _counted(by_page, totals)
    strips = {
        step
        for step, entry in counts.items()
        if entry.pages >= least
        and step not in inside
        and entry.kept <= _STRIP_CEILING * entry.words
        and entry.words >= _LEAST_WORDS * entry.pages
    }
    outer = {
        next((step for step in _inner_steps(path, inside) if step in strips), "")
        for page in pages
        for path in page.places
    }
    chosen = sorted(outer & strips, key=lambda step: (counts[step].kept - counts[step].words, step))
    return tuple(counts[step].region(step) for step in chosen[:MAX_STRIPS])
