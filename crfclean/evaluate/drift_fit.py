"""Measure how much of a page's text stands where the first pages of its site had theirs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import ceil

from crfclean.site_places import TextPlace, common_path, names_of

LEAST_LEARNED, MOST_LEARNED = 4, 20  # pages of a site that show where it has its text
LEARNED_SHARE = 0.25  # of the site's pages
_TEXT_SHARE = 0.5  # of a place's words that are kept, from which it is a place of the text
_LEAST_PAGES = 3  # that have a place or a name, below which it says nothing of the site
_LEAST_SHARE = 0.1  # of the pages that are learned from

PagePlaces = Sequence[TextPlace]


def learned_pages(pages: Sequence[PagePlaces]) -> int:
    """How many of a site's first pages show where it has its text; 0 if it has too few.

    Equal pages count once.
    """
    wanted = min(MOST_LEARNED, max(LEAST_LEARNED, ceil(LEARNED_SHARE * len(pages))))
    distinct = set[frozenset[TextPlace]]()
    for number, places in enumerate(pages, 1):
        distinct.add(frozenset(places))
        if len(distinct - {frozenset()}) == wanted:
            return number
    return 0


class SiteText:
    """Where a site has its text, learned from some of its pages."""

    def __init__(self, pages: Sequence[PagePlaces]) -> None:
        distinct = list(filter(None, {frozenset(places): places for places in pages}.values()))
        self._least = max(_LEAST_PAGES, ceil(_LEAST_SHARE * len(distinct)))
        named = Counter(
            name
            for places in distinct
            for name in {name for place in places for name in names_of(place.path)}
        )
        self._names = {name for name, count in named.items() if count >= self._least}
        self._paths = self._text_paths(distinct)

    def _text_paths(self, pages: Sequence[PagePlaces]) -> frozenset[str]:
        """The paths of enough pages at which most words are kept."""
        holders, words, kept = Counter[str](), Counter[str](), Counter[str]()
        for places in pages:
            paths = [self._path(place) for place in places]
            holders.update(set(paths))
            for path, place in zip(paths, places, strict=True):
                words[path] += place.words
                kept[path] += place.kept
        return frozenset(
            path
            for path, count in holders.items()
            if count >= self._least and kept[path] >= _TEXT_SHARE * words[path]
        )

    def _path(self, place: TextPlace) -> str:
        return common_path(place.path, self._names)

    def fit(self, places: PagePlaces) -> float:
        """The share (0..1) of a page's text that stands there; 0 for a page without text."""
        total = sum(place.kept for place in places)
        inside = sum(place.kept for place in places if self._path(place) in self._paths)
        return round(inside / total, 4) if total else 0.0
