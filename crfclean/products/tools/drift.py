"""Find the sites that changed, and since when, from their pages in the order of time."""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.cli.paths import MISSING
from crfclean.decision.places import TextPlace, common_path, is_one_site, path_names
from crfclean.io import json_report
from crfclean.page.chars import plural
from crfclean.page.head import host
from crfclean.products.corpus.rows import row_lines, shard_ending
from crfclean.types import CrfcleanError, Floats, Ints

# measure the share of a page's text in the places where its site's first pages had theirs

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


# find the sites that changed, and since when, from their pages' scores in the order of time
#
# The statistic is a CUSUM of ranks (Pettitt 1979). At each place of the sequence, it is the mean
# rank before the place minus the mean rank after it, in standard deviations of this difference
# without a change; so changes near the end count as well. The maximum over all places is compared
# with permutations of the same scores, so no distribution is assumed.

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


# read the pages of finished runs, and report the sites that changed

_READ = frozenset(["ok", "nothing-kept", "no-blocks", "below-precision", "low-score"])
"""Statuses of pages that were read: a page without text has the score 0."""
_FITTED = frozenset(["ok", "nothing-kept"])
"""Statuses of pages that show text. If none of it is kept, the fit is 0."""
NO_SITE = "no site"
"""Why a row without a URL or a directory is left out."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]*)?")
_DAY = 10  # characters of a date


def read_run(path: Path, left_out: Counter[str] | None = None) -> Iterator[SitePage]:
    """Yield the pages of a run of `clean` (JSONL, CSV, Parquet); raises `CrfcleanError`.

    Rows without a site or score are counted in `left_out`, by their status or as `NO_SITE`.
    """
    counts = Counter[str]() if left_out is None else left_out
    if not path.exists():
        raise CrfcleanError(f"{path}: {MISSING}")
    try:
        for number, line in enumerate(row_lines(path, shard_ending(path) or "jsonl"), 1):
            row = json.loads(line)
            if not isinstance(row, dict) or "score" not in row:
                raise CrfcleanError(f"{path}:{number}: no row of clean: it has no score")
            page = _page(row)
            if isinstance(page, SitePage):
                yield page
            else:
                counts[page] += 1
    except OSError as error:
        raise CrfcleanError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CrfcleanError(f"{path}: no rows of clean: {error}") from error


def _page(row: Mapping[str, Any]) -> SitePage | str:
    """Return the page if it was read and its site is known, else the reason."""
    name, date, score = str(row.get("id") or ""), row.get("date"), row.get("score")
    noted = row.get("site_places")
    noted = noted if isinstance(noted, dict) else {}
    site, directory, stated = host(row.get("url")).removeprefix("www."), "", ""
    if not site:
        directory, stated = Path(name).parent.name, str(noted.get("site") or "")
        site = stated or directory
    if row.get("status") not in _READ:
        return str(row.get("status") or "no status")
    if not isinstance(score, int | float):
        return "no score"
    if not site:
        return NO_SITE
    is_dated = isinstance(date, str) and _DATE.fullmatch(date)
    return SitePage(
        site,
        str(date) if is_dated else "",
        name,
        {"score": float(score)},
        _places(noted) if row["status"] in _FITTED else None,
        directory,
        stated,
        str(row.get("model") or ""),
    )


def _places(noted: Mapping[str, Any]) -> tuple[TextPlace, ...] | None:
    """Return the places of a page's text, None for a row without them."""
    rows = noted.get("places")
    if not isinstance(rows, list):
        return None
    return tuple(
        TextPlace(str(row["path"]), int(row["words"]), int(row["kept"]))
        for row in rows
        if isinstance(row, dict)
    )


def report_text(report: DriftReport) -> str:
    """Return a table of the falls, and the number of false alarms to expect."""
    lines = [_line(fall) for fall in report.falls]
    head = f"{'site':32} {'what':5} {'since':10} {'before':>15} {'after':>15}  by chance"
    about = [summary(report), *notes(report)]
    return "\n".join([*([head] if lines else []), *lines, *about, ""])


def summary(report: DriftReport) -> str:
    """Say in a line how many sites got worse, and how many are expected by chance."""
    sites = len({fall.site for fall in report.falls})
    worse = f"{plural(sites, 'site')} got worse." if sites else "No site got worse."
    return (
        f"{plural(report.pages, 'page')}; {plural(report.sites, 'site')} with enough pages. "
        f"{worse} (False-alarm rate {100 * FALSE_ALARMS:g} %: "
        f"{report.expected_false:.1f} expected by chance.)"
    )


def notes(report: DriftReport) -> list[str]:
    """Say in a line each which hosts are new, and what was not examined, if anything."""
    lines = [
        f"new in {new.site}: {plural(new.pages, 'page')} since {day_of(new.since)} state the host "
        f"{new.host}"
        for new in report.new_hosts
    ]
    if report.mixed:
        lines.append(
            f"{plural(report.mixed, 'site')} cleaned by several models or with several options: "
            "the scores may differ for that alone"
        )
    parts = [f"{plural(report.few, 'site')} with too few pages"] if report.few else []
    parts += [f"{plural(count, 'row')}: {why}" for why, count in sorted(report.left_out.items())]
    return [*lines, *([f"not looked at: {', '.join(parts)}"] if parts else [])]


def _line(fall: Fall) -> str:
    before = f"{fall.before:.3f} ({plural(fall.pages_before, 'page')})"
    after = f"{fall.after:.3f} ({plural(fall.pages_after, 'page')})"
    since = day_of(fall.since)
    return (
        f"{fall.site:32} {fall.measure:5} {since:10} {before:>15} {after:>15}  "
        f"{fall.probability:.4f}"
    )


def day_of(since: str) -> str:
    """Return a date without its time, or the name of a page as it is.

    >>> day_of("2026-03-01T10:00:00Z"), day_of("pages/1.html")
    ('2026-03-01', 'pages/1.html')
    """
    return since[:_DAY] if _DATE.fullmatch(since) else since


def report_json(report: DriftReport) -> str:
    """Return the falls as one JSON object, with the version of crfclean."""
    figures = {
        "pages": report.pages,
        "sites": report.sites,
        "few": report.few,
        "left_out": dict(report.left_out),
        "false_alarms": FALSE_ALARMS,
        "expected_false": round(report.expected_false, 4),
        "falls": [asdict(fall) for fall in report.falls],
        "new_hosts": [asdict(new) for new in report.new_hosts],
        "mixed": report.mixed,
    }
    return json_report(figures)
