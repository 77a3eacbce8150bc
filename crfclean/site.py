"""Use what repeats across the pages of one site to tag each of them.

The same text at the same place of several pages is boilerplate; blocks at the same place come from
the same template, and mostly have the same label. Both adjust the log-odds of the model.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import ClassVar

import numpy as np

from crfclean.page.arrays import share
from crfclean.page.blocks import bounded
from crfclean.page.decode import as_pages
from crfclean.page.limits import MAX_BLOCKS
from crfclean.page.measures import Measures, measured
from crfclean.parallel import map_in_order
from crfclean.pipeline import as_tagger, run_many, split_params
from crfclean.taggers.capabilities import (
    Around,
    Decides,
    Judges,
    MarksComments,
    Traces,
    need,
)
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

MAX_PAGES = 1_000  # of a site that are read: far fewer show its templates
MAX_KEYS = 500_000  # texts of a site that are counted: about 100 MB
_MIN_HOLDERS = 3  # pages with a place, below which its mean is not used
_LEAST, _MOST = 0.005, 0.995  # bounds of probabilities: beyond, log-odds would grow without end
_BOUNDS = {"least_pages": (2, MAX_PAGES), "repeat": (0.0, 100.0), "place": (0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class SiteParams:
    """How the other pages of a site change a page's probabilities; weights in log-odds.

    Raises `CrfcleanError` for a parameter out of bounds.
    """

    least_pages: int = option(4, "pages of a site from which they speak for each other")
    repeat: float = option(4.0, "weight against a text at the same place of several other pages")
    place: float = option(0.4, "share (0..1) of the mean of the same place on other pages")

    def __post_init__(self) -> None:
        check_bounds(self, _BOUNDS)


@dataclass(frozen=True, slots=True)
class PageNotes:
    """What a site keeps of a page with n blocks.

    `places` (n,) are hashes of the tags and classes around the blocks, `texts` (n,) hashes of
    place and text; both are the same on every page and machine. `kept` (n,) are the words that
    the model expects to keep, `words` (n,) all words.
    """

    places: Ints
    texts: Ints
    kept: Floats
    words: Floats

    @property
    def number(self) -> int:
        """A hash of the page: equal for pages with the same texts at the same places."""
        return _number(self.texts.tobytes())


def page_notes(page: Measures, marginals: Floats) -> PageNotes:
    """Notes of a page from its model's marginals (n, 3)."""
    places = _places(page)
    keys = (f"{place} {text}" for place, text in zip(places, page.texts, strict=True))
    texts = [_number(key.encode("utf-8", "surrogatepass")) for key in keys]
    kept = (1.0 - marginals[:, Label.OTHER]) * page.words
    return PageNotes(places, np.array(texts, np.int64), kept, page.words)


def _number(data: bytes) -> int:
    """62 bits of a digest: equal in every process, unlike `hash`."""
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big") >> 2


def _places(blocks: Blocks) -> Ints:
    """A hash of the tags and classes from the root to each block's container, shape (n,)."""
    nodes, hashes = blocks.nodes, [0] * len(blocks.nodes)
    for node, (tag, parent) in enumerate(zip(nodes.tags, nodes.parent.tolist(), strict=True)):
        step = f"/{tag}.{nodes.attributes[node].get('class', '')}"
        above = hashes[parent] if parent >= 0 else 0
        hashes[node] = zlib.crc32(step.encode("utf-8", "surrogatepass"), above)
    return np.array(hashes, np.int64)[blocks.node]


@dataclass
class Site:
    """Counts of a site: the pages with each text and each place, and sums of words at each place.

    `members` are the hashes of the pages counted.
    """

    pages: int = 0
    members: set[int] = field(default_factory=set)
    texts: Counter[int] = field(default_factory=Counter)
    holders: Counter[int] = field(default_factory=Counter)
    kept: dict[int, float] = field(default_factory=dict)
    words: dict[int, float] = field(default_factory=dict)

    def add(self, notes: PageNotes) -> None:
        """Count a page; none beyond `MAX_PAGES` pages or `MAX_KEYS` texts."""
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
    """Count the pages of a site; their order matters only where a limit is reached."""
    site = Site()
    for page in notes:
        site.add(page)
    return site


def adjust(marginals: Floats, notes: PageNotes, site: Site, params: SiteParams) -> Floats:
    """Adjust the marginals (n, 3) of a page by the other pages of its site.

    A text at the same place of two or more other pages loses `repeat` in log-odds, of one other
    page half of it. The log-odds are averaged with those of the same place on other pages, with
    weight `place`. HEADER and TEXT keep their proportion.
    """
    if site.pages < params.least_pages or not len(marginals):
        return marginals
    itself = notes.number in site.members
    others = np.array([site.texts[text] for text in notes.texts.tolist()]) - itself
    mean, has_mean = _elsewhere(notes, site)
    return _combined(marginals, np.clip(others, 0, 2) / 2.0, mean, has_mean, params)


def _combined(
    marginals: Floats, repeats: Floats, mean: Floats, has_mean: Bools, params: SiteParams
) -> Floats:
    """Marginals (n, 3) changed by the evidence of a site, HEADER and TEXT in proportion.

    `repeats` (n,) say how surely (0..1) a text is one that the site repeats, `mean` (n,) is the
    mean probability at the block's place, where `has_mean`.
    """
    kept = 1.0 - marginals[:, Label.OTHER]
    weight = np.where(has_mean, params.place, 0.0)
    odds = (1.0 - weight) * _odds(kept) + weight * _odds(mean)
    changed = 1.0 / (1.0 + np.exp(params.repeat * repeats - odds))
    heading = np.minimum(1.0, share(marginals[:, Label.HEADER], kept))
    return np.column_stack([changed * heading, changed * (1 - heading), 1 - changed])


def _odds(probability: Floats) -> Floats:
    """Log-odds of probabilities, bounded."""
    safe = np.clip(probability, _LEAST, _MOST)
    return np.log(safe / (1.0 - safe))


def _elsewhere(notes: PageNotes, site: Site) -> tuple[Floats, Bools]:
    """Mean probability at the same place of other pages (n,), and whether there is one (n,)."""
    group = np.unique(notes.places, return_inverse=True)[1]
    places = notes.places.tolist()
    left = np.array([site.words.get(place, 0.0) for place in places])
    kept = np.array([site.kept.get(place, 0.0) for place in places])
    if notes.number in site.members:
        left -= np.bincount(group, notes.words)[group]
        kept -= np.bincount(group, notes.kept)[group]
    has_mean = (np.array([site.holders[place] for place in places]) >= _MIN_HOLDERS) & (left > 0)
    return share(kept, left), has_mean


@dataclass(frozen=True)
class SiteTagger(Around):
    """A tagger that also uses what the pages of a site have in common."""

    passed_on: ClassVar = frozenset([Decides, MarksComments, Traces])

    site: Site
    params: SiteParams = SiteParams()

    def tag(self, blocks: Blocks) -> Tags:
        """Labels and marginals of one of the site's pages, as the tagger inside decides.

        The rule "viterbi" labels each block by itself: the site's evidence breaks the sequence.
        Raises `CrfcleanError` for a tagger without marginals.
        """
        judges = need(self.tagger, Judges)
        marginals = judges.marginals(blocks)
        notes = page_notes(measured(blocks), marginals)
        return judges.decide(blocks, adjust(marginals, notes, self.site, self.params))


def run_site(
    pages: Iterable[Page | bytes | str],
    tagger: Tagger | str | Path = "default",
    workers: int = 1,
    params: SiteParams = SiteParams(),
    max_blocks: int | None = MAX_BLOCKS,
) -> Iterator[Document]:
    """Clean the pages of one site, in order, with the help of what they have in common.

    Tags every page twice, but for those with more than `max_blocks` blocks (see `pipeline.run`).
    `tagger` may be a name or folder, as in `clean`. Raises `CrfcleanError` for a tagger without
    marginals.
    """
    tagger, read = as_tagger(tagger), list(as_pages(pages))
    need(tagger, Judges)
    notes = partial(note, max_blocks=max_blocks)
    site = gather(map_in_order(notes, read[:MAX_PAGES], tagger, workers))
    yield from run_many(read, SiteTagger(tagger, site, params), workers, max_blocks)


def note(page: Page, tagger: Tagger, max_blocks: int | None = MAX_BLOCKS) -> PageNotes:
    """Notes of a page, with a tagger's blocks and marginals."""
    _, blocks = bounded(page, split_params(tagger), max_blocks)
    return note_blocks(blocks, tagger)


def note_blocks(blocks: Blocks, tagger: Tagger) -> PageNotes:
    """The same from a page's blocks; raises `CrfcleanError` for a tagger without marginals."""
    return page_notes(measured(blocks), need(tagger, Judges).marginals(blocks))
