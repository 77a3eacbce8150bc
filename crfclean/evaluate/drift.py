"""Tell which sites changed, and since when, by their pages' scores in the order of time.

The statistic is a CUSUM of ranks: at every place of the sequence the mean rank before it less that
after it, in standard deviations of that difference without a change (Pettitt 1979, standardised so
that a change near the end counts as well), and its maximum over all places. How probable that is
without a change comes from permutations of the same scores, whatever their distribution.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil

import numpy as np

from crfclean.evaluate.drift_fit import SiteText, learned_pages
from crfclean.site_places import TextPlace
from crfclean.types import Floats, Ints, check_bounds, option

LEAST_SIDE = 3  # pages before a change, and after it
MAX_PAGES = 2_000  # of a site that are looked at: the latest
MEASURES = ("score", "fit")
"""What may fall: the score of pages, and the share of their text where the site had it before."""
LEAST_FALL = 0.05  # of the mean: less is no reason to look at a site
_PER_ALARM = 40  # permutations that would be false alarms: their share is known within a sixth
_AT_ONCE = 64  # permutations in memory: 64 times 2,000 numbers are 1 MB


@dataclass(frozen=True, slots=True)
class DriftParams:
    """When a fall is reported; raises `CrfcleanError` for a parameter out of bounds."""

    false_alarms: float = option(0.01, "share of sites without a change that may be reported")

    def __post_init__(self) -> None:
        check_bounds(self, {"false_alarms": (0.0001, 0.5)})


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page of a run: its site, when it was read ("" if unknown), its `measures` by name.

    `places` are those where it has its text, None if its row does not say. `url` and `excerpt`, the
    beginning of its text, are for readers.
    """

    site: str
    date: str
    name: str
    measures: Mapping[str, float]
    url: str = ""
    excerpt: str = ""
    places: tuple[TextPlace, ...] | None = None


@dataclass(frozen=True, slots=True)
class Fall:
    """A measure of a site that fell: `since` which date (or page, without dates).

    The means `before` and `after` are of so many pages; `probability` is that of as clear a fall on
    a site without a change.
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
    """The falls of all sites, the clearest first; `sites` had enough pages to be looked at.

    `few` sites had fewer; `left_out` counts the rows without a score that counts, by reason.
    """

    falls: tuple[Fall, ...]
    sites: int
    pages: int
    params: DriftParams
    few: int = 0
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def expected_false(self) -> float:
        """How many sites would be reported on the mean if none had changed."""
        return self.sites * self.params.false_alarms


def find_falls(pages: Iterable[SitePage], params: DriftParams = DriftParams()) -> DriftReport:
    """The sites whose scores, or whose fit, fell, and since when.

    The pages of a site are taken by date if all have one, else as they come.
    """
    return falls_of_sites(sites_in_time(pages), params)


def sites_in_time(pages: Iterable[SitePage]) -> dict[str, list[SitePage]]:
    """The pages of each site in the order of time, with their fit; sites by their names."""
    by_site = dict[str, list[SitePage]]()
    for page in pages:
        by_site.setdefault(page.site, []).append(page)
    return {site: _with_fit(_in_time(rows)) for site, rows in sorted(by_site.items())}


def _with_fit(pages: list[SitePage]) -> list[SitePage]:
    """Pages in the order of time, with the fit of those after the pages that are learned from."""
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


def falls_of_sites(
    by_site: Mapping[str, Sequence[SitePage]], params: DriftParams = DriftParams()
) -> DriftReport:
    """The falls of sites whose pages are in the order of time."""
    enough = {site: rows for site, rows in by_site.items() if len(rows) >= 2 * LEAST_SIDE}
    falls = [
        fall for site, rows in enough.items() for fall in _falls(site, rows[-MAX_PAGES:], params)
    ]
    falls.sort(key=lambda fall: (fall.probability, fall.after - fall.before, fall.site))
    pages_read, few = sum(map(len, by_site.values())), len(by_site) - len(enough)
    return DriftReport(tuple(falls), len(enough), pages_read, params, few)


def _in_time(pages: list[SitePage]) -> list[SitePage]:
    """Pages in the order of their dates, as they came where any has none."""
    return sorted(pages, key=lambda page: page.date) if all(page.date for page in pages) else pages


def _falls(site: str, pages: Sequence[SitePage], params: DriftParams) -> list[Fall]:
    """At most a fall of each measure; the measures share the rate of false alarms."""
    falls = []
    names = [name for name in MEASURES if any(name in page.measures for page in pages)]
    for name in names:
        rows = [page for page in pages if name in page.measures]
        values = np.array([page.measures[name] for page in rows])
        place, probability = fall_of(values, params.false_alarms / len(names))
        before, after = values[:place], values[place:]
        if not place or before.mean() - after.mean() < LEAST_FALL:
            continue
        first = rows[place]
        means = round(float(before.mean()), 4), round(float(after.mean()), 4)
        since = first.date or first.name
        falls.append(Fall(site, name, since, *means, len(before), len(after), probability))
    return falls


def fall_of(values: Floats, level: float) -> tuple[int, float]:
    """Where values (n,) fall, as the number of those before, and the probability by chance.

    0 where no fall is as clear as one sequence in 1 / `level` without a change has.
    """
    if len(values) < 2 * LEAST_SIDE:
        return 0, 1.0
    ranks = _ranks(values)[None]
    place, height = _highest(ranks)
    count = ceil(_PER_ALARM / level) - 1
    random = np.random.default_rng(zlib.crc32(ranks.tobytes()))  # the same in every run
    above, done = 0, 0
    while done < count and above < _PER_ALARM:  # so many mean that it is none
        rows = min(_AT_ONCE, count - done)
        _, heights = _highest(random.permuted(np.repeat(ranks, rows, 0), axis=1))
        above, done = above + int((heights >= height[0] - 1e-9).sum()), done + rows
    probability = (above + 1) / (done + 1)
    return (int(place[0]) if probability <= level else 0), round(probability, 6)


def _ranks(values: Floats) -> Floats:
    """Ranks of values (n,) from the lowest; equal ones share their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return ((2 * last - counts - 1) / 2.0)[inverse]


def _highest(ranks: Floats) -> tuple[Ints, Floats]:
    """The place and height of the clearest fall in each row of ranks (k, n)."""
    size = ranks.shape[1]
    before = np.arange(1, size)
    sums = np.cumsum(ranks - ranks.mean(1, keepdims=True), 1)[:, :-1]
    heights = sums / np.sqrt(before * (size - before) / size)
    heights = heights[:, LEAST_SIDE - 1 : size - LEAST_SIDE]
    return heights.argmax(1) + LEAST_SIDE, heights.max(1)
