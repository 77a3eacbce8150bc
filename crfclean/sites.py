"""Many pages of one site -> what repeats across them, and a tagger that knows it.

The same text at the same place of several pages is boilerplate; blocks at the same place, made by
the same template, share their fate. Both speak in log-odds beside the model's own probability.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from crfclean.features.kinds import kinds
from crfclean.measures import Measures
from crfclean.taggers.crf import CrfTagger, decide
from crfclean.types import Blocks, Bools, CrfcleanError, Floats, Ints, Label, Tags, option

MAX_PAGES = 1_000  # of a site that are looked at: its templates show long before
MAX_KEYS = 500_000  # texts and places of a site that are remembered: about 100 MB
HOLDERS = 3  # pages with a place, from which it speaks
_LEAST, _MOST = 0.005, 0.995


@dataclass(frozen=True, slots=True)
class SiteParams:
    """How a site's pages speak for each other; weights in log-odds."""

    least_pages: int = option(4, "pages of a site from which they speak for each other")
    repeat: float = option(4.0, "weight against a text at the same place of several other pages")
    place: float = option(0.4, "share (0..1) of the mean of the same place on other pages")

    def __post_init__(self) -> None:
        if self.least_pages < 2 or self.repeat < 0 or not 0 <= self.place <= 1:
            raise CrfcleanError(f"site parameters out of bounds: {self}")


@dataclass(frozen=True, slots=True)
class PageNotes:
    """What of a page its site remembers, for n blocks.

    `places` number the tags and classes around the blocks, `texts` the same with their texts,
    equal on every page and machine; `kept` and `words` are expected kept words, and words.
    """

    places: Ints
    texts: Ints
    kept: Floats
    words: Floats


def page_notes(blocks: Blocks, marginals: Floats) -> PageNotes:
    """Notes of a page with its model's marginals (n, 3)."""
    places = _places(blocks)
    pairs = zip(places.tolist(), blocks.texts, strict=True)
    texts = np.array([_number(f"{place} {text}") for place, text in pairs], np.int64)
    words = Measures(blocks).words if len(blocks) else np.zeros(0)
    return PageNotes(places, texts, (1.0 - marginals[:, Label.OTHER]) * words, words)


def _number(text: str) -> int:
    """62 bits of a digest: equal in every process, unlike `hash`."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 2


def _places(blocks: Blocks) -> Ints:
    """A number for the tags and classes from the root to each block's container, shape (n,)."""
    nodes, found = blocks.nodes, [0] * len(blocks.nodes)
    for place, (tag, parent) in enumerate(zip(nodes.tags, nodes.parent.tolist(), strict=True)):
        step = f"/{tag}.{nodes.attributes[place].get('class', '')}"
        above = found[parent] if parent >= 0 else 0
        found[place] = zlib.crc32(step.encode("utf-8", "surrogatepass"), above)
    return np.array(found, np.int64)[blocks.node]


@dataclass
class Site:
    """What is remembered of a site: pages with each text, and sums at each place."""

    pages: int = 0
    texts: Counter[int] = field(default_factory=Counter)
    holders: Counter[int] = field(default_factory=Counter)
    kept: dict[int, float] = field(default_factory=dict)
    words: dict[int, float] = field(default_factory=dict)

    def add(self, notes: PageNotes) -> None:
        """Remember a page; beyond `MAX_PAGES` or `MAX_KEYS` nothing new is."""
        if self.pages >= MAX_PAGES or len(self.texts) >= MAX_KEYS:
            return
        self.pages += 1
        self.texts.update(set(notes.texts.tolist()))
        self.holders.update(set(notes.places.tolist()))
        rows = zip(notes.places.tolist(), notes.kept.tolist(), notes.words.tolist(), strict=True)
        for place, kept, words in rows:
            self.kept[place] = self.kept.get(place, 0.0) + kept
            self.words[place] = self.words.get(place, 0.0) + words


def gather(notes: Iterable[PageNotes]) -> Site:
    """A site's pages -> what is remembered of it; the order of pages says nothing below the caps."""
    site = Site()
    for one in notes:
        site.add(one)
    return site


def adjust(marginals: Floats, notes: PageNotes, site: Site, params: SiteParams) -> Floats:
    """Marginals (n, 3) of a page that is one of the site's -> those that its other pages suggest.

    A text that stands at the same place of two other pages or more loses `repeat` in log-odds,
    half of it where there is one; the log-odds become a mean with those of the same place on
    the other pages, weighted by `place`. HEADER and TEXT keep their proportion.
    """
    if site.pages < params.least_pages or not len(marginals):
        return marginals
    kept = np.clip(1.0 - marginals[:, Label.OTHER], _LEAST, _MOST)
    others = np.array([site.texts[text] for text in notes.texts.tolist()]) - 1
    odds = np.log(kept / (1.0 - kept))
    mean, known = _elsewhere(notes, site)
    odds = np.where(
        known, (1 - params.place) * odds + params.place * np.log(mean / (1 - mean)), odds
    )
    odds -= params.repeat * np.clip(others, 0, 2) / 2.0
    changed = 1.0 / (1.0 + np.exp(-odds))
    heading = marginals[:, Label.HEADER] / np.maximum(1e-12, 1.0 - marginals[:, Label.OTHER])
    return np.column_stack([changed * heading, changed * (1 - heading), 1 - changed])


def _elsewhere(notes: PageNotes, site: Site) -> tuple[Floats, Bools]:
    """Mean probability at the same place of other pages (n,), and whether it is known (n,)."""
    group = np.unique(notes.places, return_inverse=True)[1]
    places = notes.places.tolist()
    left = np.array([site.words.get(place, 0.0) for place in places])
    left -= np.bincount(group, notes.words)[group]
    kept = np.array([site.kept.get(place, 0.0) for place in places])
    kept -= np.bincount(group, notes.kept)[group]
    known = (np.array([site.holders[place] for place in places]) >= HOLDERS) & (left > 0)
    return np.clip(kept / np.maximum(left, 1e-9), _LEAST, _MOST), known


@dataclass(frozen=True)
class SiteTagger:
    """A model that takes into account what a site's pages have in common."""

    tagger: CrfTagger
    site: Site
    params: SiteParams = SiteParams()

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the model's blocks are restricted to; empty: none."""
        return self.tagger.elements

    def tag(self, blocks: Blocks) -> Tags:
        """Labels and marginals of one of the site's pages, by the model's own cut."""
        page = Measures(blocks)
        found, _ = self.tagger.judge(page)
        changed = adjust(found, page_notes(blocks, found), self.site, self.params)
        best = changed.argmax(1).astype(np.int32)
        words = page.words if len(page) else np.zeros(0)
        return decide(changed, best, words, kinds(page), self.tagger.cut)
