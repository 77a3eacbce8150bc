"""Many pages of one site -> what repeats across them, and a tagger that knows it.

The same text at the same place of several pages is boilerplate; blocks at the same place, made by
the same template, share their fate. Both speak in log-odds beside the model's own probability.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import ClassVar

import numpy as np

from crfclean.page.blocks import split
from crfclean.page.measures import Measures, measured, share
from crfclean.parallel import map_in_order
from crfclean.pipeline import run_many, split_params
from crfclean.taggers.capabilities import (
    Decides,
    Judges,
    MarksComments,
    Traces,
    elements_of,
    name_of,
    need,
)
from crfclean.taggers.params import CutParams
from crfclean.types import (
    Blocks,
    Bools,
    Document,
    Floats,
    Ints,
    Label,
    Page,
    Tagger,
    Tags,
    check_bounds,
    option,
)

MAX_PAGES = 1_000  # of a site that are looked at: its templates show long before
MAX_KEYS = 500_000  # texts and places of a site that are remembered: about 100 MB
HOLDERS = 3  # pages with a place, from which it speaks
_LEAST, _MOST = 0.005, 0.995  # probabilities whose log-odds are told apart
_BOUNDS = {"least_pages": (2, MAX_PAGES), "repeat": (0.0, 100.0), "place": (0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class SiteParams:
    """How a site's pages speak for each other; weights in log-odds.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    least_pages: int = option(4, "pages of a site from which they speak for each other")
    repeat: float = option(4.0, "weight against a text at the same place of several other pages")
    place: float = option(0.4, "share (0..1) of the mean of the same place on other pages")

    def __post_init__(self) -> None:
        check_bounds(self, _BOUNDS)


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

    @property
    def number(self) -> int:
        """A number of the page: equal for pages with the same texts at the same places."""
        return _number(self.texts.tobytes())


def page_notes(page: Measures, marginals: Floats) -> PageNotes:
    """Notes of a page with its model's marginals (n, 3)."""
    places = _places(page.page)
    told = (f"{place} {text}" for place, text in zip(places, page.page.texts, strict=True))
    texts = [_number(text.encode("utf-8", "surrogatepass")) for text in told]
    kept = (1.0 - marginals[:, Label.OTHER]) * page.words
    return PageNotes(places, np.array(texts, np.int64), kept, page.words)


def _number(data: bytes) -> int:
    """62 bits of a digest: equal in every process, unlike `hash`."""
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") >> 2


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
    """What is remembered of a site: pages with each text or place, and sums at each place.

    `members` are the numbers of the pages that it is remembered from.
    """

    pages: int = 0
    members: set[int] = field(default_factory=set)
    texts: Counter[int] = field(default_factory=Counter)
    holders: Counter[int] = field(default_factory=Counter)
    kept: dict[int, float] = field(default_factory=dict)
    words: dict[int, float] = field(default_factory=dict)

    def add(self, notes: PageNotes) -> None:
        """Remember a page; beyond `MAX_PAGES` or `MAX_KEYS` nothing new is."""
        if self.pages >= MAX_PAGES or len(self.texts) >= MAX_KEYS:
            return
        self.pages += 1
        self.members.add(notes.number)
        self.texts.update(set(notes.texts.tolist()))
        self.holders.update(set(notes.places.tolist()))
        rows = zip(notes.places.tolist(), notes.kept.tolist(), notes.words.tolist(), strict=True)
        for place, kept, words in rows:
            self.kept[place] = self.kept.get(place, 0.0) + kept
            self.words[place] = self.words.get(place, 0.0) + words


def gather(notes: Iterable[PageNotes]) -> Site:
    """A site's pages -> what is remembered of it; their order says nothing below the caps."""
    site = Site()
    for one in notes:
        site.add(one)
    return site


def adjust(marginals: Floats, notes: PageNotes, site: Site, params: SiteParams) -> Floats:
    """Marginals (n, 3) of a page -> those that the site's other pages suggest.

    A text that stands at the same place of two other pages or more loses `repeat` in log-odds,
    half of it where there is one; the log-odds become a mean with those of the same place on
    the other pages, weighted by `place`. HEADER and TEXT keep their proportion.
    """
    if site.pages < params.least_pages or not len(marginals):
        return marginals
    kept = 1.0 - marginals[:, Label.OTHER]
    itself = notes.number in site.members
    others = np.array([site.texts[text] for text in notes.texts.tolist()]) - itself
    mean, known = _elsewhere(notes, site)
    weight = np.where(known, params.place, 0.0)
    odds = (1.0 - weight) * _odds(kept) + weight * _odds(mean)
    changed = 1.0 / (1.0 + np.exp(params.repeat * np.clip(others, 0, 2) / 2.0 - odds))
    heading = np.minimum(1.0, share(marginals[:, Label.HEADER], kept))
    return np.column_stack([changed * heading, changed * (1 - heading), 1 - changed])


def _odds(probability: Floats) -> Floats:
    """Log-odds of probabilities, bounded."""
    safe = np.clip(probability, _LEAST, _MOST)
    return np.log(safe / (1.0 - safe))


def _elsewhere(notes: PageNotes, site: Site) -> tuple[Floats, Bools]:
    """Mean probability at the same place of other pages (n,), and whether it is known (n,)."""
    group = np.unique(notes.places, return_inverse=True)[1]
    places = notes.places.tolist()
    left = np.array([site.words.get(place, 0.0) for place in places])
    kept = np.array([site.kept.get(place, 0.0) for place in places])
    if notes.number in site.members:
        left -= np.bincount(group, notes.words)[group]
        kept -= np.bincount(group, notes.kept)[group]
    known = (np.array([site.holders[place] for place in places]) >= HOLDERS) & (left > 0)
    return share(kept, left), known


@dataclass(frozen=True)
class SiteTagger:
    """A model that takes into account what a site's pages have in common."""

    passed_on: ClassVar = frozenset([Decides, MarksComments, Traces])

    tagger: Tagger
    site: Site
    params: SiteParams = SiteParams()

    @property
    def inner(self) -> Tagger:
        """The tagger that knows nothing of the site."""
        return self.tagger

    @property
    def name(self) -> str:
        """The name of the tagger inside."""
        return name_of(self.tagger)

    @property
    def elements(self) -> tuple[str, ...]:
        """The elements that the model's blocks are restricted to; empty: none."""
        return elements_of(self.tagger)

    @property
    def cut(self) -> CutParams:
        """The decisions of the tagger inside; raises `CrfcleanError` where it has none."""
        return need(self.tagger, Decides).cut

    def with_cut(self, params: CutParams) -> SiteTagger:
        """The same with other decisions of the tagger inside; raises `CrfcleanError`."""
        return replace(self, tagger=need(self.tagger, Decides).with_cut(params))

    def tag(self, blocks: Blocks) -> Tags:
        """Labels and marginals of one of the site's pages, as the tagger inside decides.

        The rule "viterbi" labels each block by itself: the site's evidence breaks the sequence.
        Raises `CrfcleanError` for a tagger without marginals.
        """
        judges = need(self.tagger, Judges)
        own = judges.marginals(blocks)
        changed = adjust(own, page_notes(measured(blocks), own), self.site, self.params)
        return judges.decide(blocks, changed)

    def comments(self, blocks: Blocks) -> Bools:
        """The comments (n,) that the tagger inside finds; raises `CrfcleanError`."""
        return need(self.tagger, MarksComments).comments(blocks)

    def trace(self, blocks: Blocks) -> str:
        """The rules that the tagger inside applied; raises `CrfcleanError`."""
        return need(self.tagger, Traces).trace(blocks)


def run_site(
    pages: Sequence[Page], tagger: Tagger, workers: int = 1, params: SiteParams = SiteParams()
) -> Iterator[Document]:
    """Clean the pages of one site, in their order, with what they have in common.

    Every page is tagged twice. Raises `CrfcleanError` for a tagger without marginals of its own.
    """
    need(tagger, Judges)
    site = gather(map_in_order(note, pages[:MAX_PAGES], tagger, workers))
    yield from run_many(pages, SiteTagger(tagger, site, params), workers)


def note(page: Page, tagger: Tagger) -> PageNotes:
    """What a page says of its site, with a tagger's own blocks and marginals."""
    return note_blocks(split(page, split_params(tagger)), tagger)


def note_blocks(blocks: Blocks, tagger: Tagger) -> PageNotes:
    """The same of a page's blocks; raises `CrfcleanError` for a tagger without marginals."""
    return page_notes(measured(blocks), need(tagger, Judges).marginals(blocks))
