"""Measure the share of a page's text in the places where its site's first pages had theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

from crfclean.decision.places import TextPlace, common_path, path_names

LEAST_LEARNED, MOST_LEARNED = 4, 20  # pages from which the places of a site's text are learned
LEARNED_SHARE = 0.25  # of the site's pages
_TEXT_SHARE = 0.5  # share of kept words from which a place is a place of the text
_LEAST_PAGES = 3  # with a place or name that count for the site
_LEAST_SHARE = 0.1  # of the pages that are learned from

PagePlaces = Sequence[TextPlace]


def learned_pages(pages: Sequence[PagePlaces]) -> int:
    """Count a site's first pages, from which its text places are learned; 0 if too few.

    Equal pages count once.
    """
    needed = min(MOST_LEARNED, max(LEAST_LEARNED, ceil(LEARNED_SHARE * len(pages))))
    distinct = set[frozenset[TextPlace]]()
    for number, places in enumerate(pages, 1):
        distinct.add(frozenset(places))
        if len(distinct - {frozenset()}) == needed:
            return number
    return 0


class SiteText:
    """Places where a site has its text, learned from some of its pages."""

    def __init__(self, pages: Sequence[PagePlaces]) -> None:
        distinct = list(filter(None, {frozenset(places): places for places in pages}.values()))
        self._least = max(_LEAST_PAGES, ceil(_LEAST_SHARE * len(distinct)))
        named = Counter(
            name
            for places in distinct
            for name in {name for place in places for name in path_names(place.path)}
        )
        self._names = {name for name, count in named.items() if count >= self._least}
        self._paths = self._text_paths(distinct)

    def _text_paths(self, pages: Sequence[PagePlaces]) -> frozenset[str]:
        holders, words, kept = Counter[str](), Counter[str](), Counter[str]()
        for places in pages:
            paths = [common_path(place.path, self._names) for place in places]
            holders.update(set(paths))
            for path, place in zip(paths, places, strict=True):
                words[path] += place.words
                kept[path] += place.kept
        return frozenset(
            path
            for path, count in holders.items()
            if count >= self._least and kept[path] >= _TEXT_SHARE * words[path]
        )

    def fit(self, places: PagePlaces) -> float:
        """Return the share (0..1) of a page's text in these places; 0 for a page without text."""
        total = sum(place.kept for place in places)
        inside = sum(
            place.kept for place in places if common_path(place.path, self._names) in self._paths
        )
        return round(inside / total, 4) if total else 0.0
