"""Find the sites that changed, and since when, from their pages' scores in the order of time."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

import numpy as np

from crfclean.decision.places import TextPlace, is_one_site
from crfclean.products.tools.site_text import SiteText, learned_pages
from crfclean.types import Floats, Ints

LEAST_SIDE = 3  # pages before a change, and after it
MAX_PAGES = 2_000  # of a site that are examined: the latest
MEASURES = ("score", "fit")
"""The measures that may fall: scores of pages, and the fit of their texts to the site's places."""
LEAST_FALL = 0.05  # of the mean: a smaller fall is not reported
FALSE_ALARMS = 0.01  # share of sites without a change that may be reported
_PER_ALARM = 40  # false alarms among the permutations: enough to know their share within a sixth
_AT_ONCE = 64  # permutations in memory: 64 times 2,000 numbers are 1 MB


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of a run: its site, when it was read ("" if unknown), its `measures` by name.

    `places` are the places of its text, None if its row has none. A page without a URL has its
    `directory`, and the host that it states as its own. `model` is the fingerprint of the model and
    its decision rule.
    """

    site: str
    date: str
    name: str
    measures: Mapping[str, float]
    places: tuple[TextPlace, ...] | None = None
    directory: str = ""
    stated: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True)
class NewHost:
    """A host that `pages` of a directory state, but none before `since`, a date or a page."""

    site: str
    host: str
    since: str
    pages: int


@dataclass(frozen=True, slots=True)
class Fall:
    """A fall of a measure of a site, `since` a date, or a page if there are no dates.

    `before` and `after` are means over `pages_before` and `pages_after` pages. `probability` is the
    probability of such a clear fall on a site without a change.
    """

    site: str
    measure: str
    since: str
    before: float
    after: float
    pages_before: int
    pages_after: int
    probability: float


@dataclass(frozen=True, slots=True)
class DriftReport:
    """The falls of all sites, the clearest first, among `sites` with enough pages.

    `few` sites had too few pages. `left_out` counts rows without a usable score, by reason. `mixed`
    sites have pages by several models or decision rules.
    """

    falls: tuple[Fall, ...]
    sites: int
    pages: int
    few: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)
    new_hosts: tuple[NewHost, ...] = ()
    mixed: int = 0

    @property
    def expected_false(self) -> float:
        """Mean number of sites that would be reported if none had changed."""
        return self.sites * FALSE_ALARMS


def sites_in_time(pages: Iterable[SitePage]) -> dict[str, list[SitePage]]:
    """Return the pages of each site in the order of time, with their fit; sites in name order.

    Pages are sorted by date if all pages of the site have one.
    """
    by_site = dict[str, list[SitePage]]()
    for page in _with_directories(list(pages)):
        by_site.setdefault(page.site, []).append(page)
    for rows in by_site.values():
        if all(page.date for page in rows):
            rows.sort(key=lambda page: page.date)
    return {site: _with_fit(rows) for site, rows in sorted(by_site.items())}


def _with_directories(pages: Sequence[SitePage]) -> Iterator[SitePage]:
    """Yield the pages; a directory is the site of its pages if they name it differently."""
    hosts = dict[str, Counter[str]]()
    for page in pages:
        hosts.setdefault(page.directory, Counter())[page.stated] += 1
    sites = {directory for directory, counts in hosts.items() if is_one_site(counts)} - {""}
    for page in pages:
        yield replace(page, site=page.directory) if page.directory in sites else page


def _with_fit(pages: list[SitePage]) -> list[SitePage]:
    """Add the fit to the pages of a site that come after the pages that are learned from."""
    places = [page.places for page in pages if page.places is not None]
    learned = learned_pages(places)
    if not learned:
        return pages
    site, rows = SiteText(places[:learned]), list[SitePage]()
    for page in pages:
        if page.places is None or learned:
            learned -= page.places is not None
            rows.append(page)
        else:
            measures = {**page.measures, "fit": site.fit(page.places)}
            rows.append(replace(page, measures=measures))
    return rows


def falls_of_sites(by_site: Mapping[str, Sequence[SitePage]]) -> DriftReport:
    """Find the falls of sites whose pages are in the order of time."""
    enough = {site: rows for site, rows in by_site.items() if len(rows) >= 2 * LEAST_SIDE}
    falls = [fall for site, rows in enough.items() for fall in _falls(site, rows[-MAX_PAGES:])]
    falls.sort(key=lambda fall: (fall.probability, fall.after - fall.before, fall.site))
    pages_read, few = sum(map(len, by_site.values())), len(by_site) - len(enough)
    hosts = tuple(host for site, rows in by_site.items() for host in _new_hosts(site, rows))
    mixed = sum(len({page.model for page in rows}) > 1 for rows in enough.values())
    return DriftReport(tuple(falls), len(enough), pages_read, few, new_hosts=hosts, mixed=mixed)


def _new_hosts(site: str, pages: Sequence[SitePage]) -> Iterator[NewHost]:
    """Yield the hosts that enough pages of a directory state, after enough pages without them."""
    rows = [page for page in pages if page.directory == site]
    places = dict[str, list[int]]()
    for place, page in enumerate(rows):
        places.setdefault(page.stated, []).append(place)
    for name, stating in places.items():
        if name and stating[0] >= LEAST_SIDE and len(stating) >= LEAST_SIDE:
            first = rows[stating[0]]
            yield NewHost(site, name, first.date or first.name, len(stating))


def _falls(site: str, pages: Sequence[SitePage]) -> list[Fall]:
    """Find at most one fall per measure; the measures share the false-alarm rate."""
    falls = []
    names = [name for name in MEASURES if any(name in page.measures for page in pages)]
    for name in names:
        rows = [page for page in pages if name in page.measures]
        values = np.array([page.measures[name] for page in rows])
        place, probability = fall_of(values, FALSE_ALARMS / len(names))
        before, after = values[:place], values[place:]
        if not place or before.mean() - after.mean() < LEAST_FALL:
            continue
        first = rows[place]
        means = round(float(before.mean()), 4), round(float(after.mean()), 4)
        since = first.date or first.name
        falls.append(Fall(site, name, since, *means, len(before), len(after), probability))
    return falls


def fall_of(values: Floats, level: float) -> tuple[int, float]:
    """Return the number of values (n,) before a fall, and the fall's probability by chance.

    The number is 0 if falls as clear occur by chance in more than a share `level` of sequences.
    """
    if len(values) < 2 * LEAST_SIDE:
        return 0, 1.0
    ranks = _ranks(values)[None]
    place, height = _highest(ranks)
    count = ceil(_PER_ALARM / level) - 1
    random = np.random.default_rng(zlib.crc32(ranks.tobytes()))  # the same in every run
    above, done = 0, 0
    while done < count and above < _PER_ALARM:  # with so many above, it is no fall
        rows = min(_AT_ONCE, count - done)
        _, heights = _highest(random.permuted(np.repeat(ranks, rows, 0), axis=1))
        above, done = above + int((heights >= height[0] - 1e-9).sum()), done + rows
    probability = (above + 1) / (done + 1)
    return (int(place[0]) if probability <= level else 0), round(probability, 6)


def _ranks(values: Floats) -> Floats:
    """Return the ranks of values (n,) from the lowest; equal values share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((2 * last - counts - 1) / 2.0)[inverse]


def _highest(ranks: Floats) -> tuple[Ints, Floats]:
    """Find the place and height of the clearest fall in each row of ranks (k, n)."""
    size = ranks.shape[1]
    before = np.arange(1, size)
    sums = np.cumsum(ranks - ranks.mean(1, keepdims=True), 1)[:, :-1]
    heights = sums / np.sqrt(before * (size - before) / size)
    heights = heights[:, LEAST_SIDE - 1 : size - LEAST_SIDE]
    return heights.argmax(1) + LEAST_SIDE, heights.max(1)
