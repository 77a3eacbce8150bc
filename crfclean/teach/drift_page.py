"""Write the drift of sites as an HTML report: their scores over time, and pages around changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from crfclean.page.chars import plural
from crfclean.shell import report_page, shortened_name
from crfclean.teach.drift import (
    LEAST_SIDE,
    MAX_PAGES,
    MEASURES,
    DriftReport,
    Fall,
    SitePage,
    day_of,
    notes,
    summary,
)
from crfclean.types import Floats

# draw a measure of a site's pages over time as SVG

MAX_DOTS = 300  # of a chart: for more pages, a dot is the mean of neighbours
WIDTH, HEIGHT = 1000, 100
"""Units of a chart, which fills the width of the page."""
_LEVELS = '<span class="level" style="top:0">1</span><span class="level" style="top:100%">0</span>'


@dataclass(frozen=True, slots=True)
class Series:
    """A measure (0..1) of pages (n,) in the order of time, with the names of both `ends`.

    The values fell at the page `change`, since `since`; 0 if they did not fall.
    """

    name: str
    values: Floats
    ends: tuple[str, str] = ("", "")
    change: int = 0
    since: str = ""


def chart(series: Series) -> str:
    """Draw a series: a dot for each page, and the means before and after the change."""
    place = series.change / len(series.values)
    since = (
        f'<span style="left:{place:.1%};transform:translateX(-{place:.1%})">'
        f"{escape(series.since)}</span>"
        if series.change
        else ""
    )
    first, last = map(escape, series.ends)
    return (
        f'<figure class="chart"><div class="since">{since}</div>'
        f'<div class="plot">{_LEVELS}{_svg(series)}</div>'
        f'<div class="axis"><span>{first}</span><span>{last}</span></div>'
        f"<figcaption>{escape(caption(series))}</figcaption></figure>"
    )


def caption(series: Series) -> str:
    """Describe a series in words.

    >>> import numpy as np
    >>> caption(Series("score", np.array([0.9, 0.8, 0.2]), change=2))
    'score of 3 pages: mean 0.850 before, 0.200 after'
    """
    of_pages = f"{series.name} of {len(series.values):,} pages"
    step = dot_pages(len(series.values))
    dots = f"; a dot is the mean of {step}" if step > 1 else ""
    if not series.change:
        return f"{of_pages}: mean {series.values.mean():.3f}{dots}"
    before, after = _means(series)
    return f"{of_pages}: mean {before:.3f} before, {after:.3f} after{dots}"


def dot_pages(pages: int) -> int:
    """Return the number of pages that a dot stands for.

    >>> dot_pages(300), dot_pages(301), dot_pages(2000)
    (1, 2, 7)
    """
    return -(-pages // MAX_DOTS)


def _means(series: Series) -> tuple[float, float]:
    parts = np.split(series.values, [series.change])
    return float(parts[0].mean()), float(parts[1].mean())


def _svg(series: Series) -> str:
    paths = [("grid", f"M0 0H{WIDTH}M0 {HEIGHT / 2:g}H{WIDTH}M0 {HEIGHT}H{WIDTH}")]
    paths.append(("dots", _dots(series.values)))
    if series.change:
        at = WIDTH * series.change / len(series.values)
        before, after = map(_height, _means(series))
        paths.append(("before", f"M0 {before}H{at:.1f}"))
        paths.append(("after", f"M{at:.1f} {after}H{WIDTH}"))
        paths.append(("change", f"M{at:.1f} 0V{HEIGHT}"))
    drawn = "".join(f'<path class="{name}" d="{way}"/>' for name, way in paths)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{escape(caption(series))}">{drawn}</svg>'
    )


def _dots(values: Floats) -> str:
    step, width = dot_pages(len(values)), WIDTH / len(values)
    dots: Sequence[tuple[float, float]] = [
        (width * (start + len(part) / 2), float(part.mean()))
        for start in range(0, len(values), step)
        for part in [values[start : start + step]]
    ]
    return "".join(f"M{x:.1f} {_height(value)}h0" for x, value in dots)


def _height(value: float) -> str:
    """Return the distance of a value (0..1) from the top of the chart."""
    return f"{HEIGHT * (1 - min(1.0, max(0.0, value))):.1f}"


EXCERPT_CHARS = 160
"""Characters of a page's text that the report shows."""

MAX_FALLEN = 100  # drawn sites that fell: those that fell furthest
MAX_OTHERS = 50  # other drawn sites
_EXAMPLES = 3  # pages before a change, and after it
_MAX_URL_CHARS = 2_000  # of a link; not all browsers open longer ones

BySite = Mapping[str, Sequence[SitePage]]


def drift_html(report: DriftReport, by_site: BySite) -> str:
    """Write the report of sites, those that fell furthest first; pages are in order of time."""
    falls = dict[str, list[Fall]]()
    for fall in report.falls:
        falls.setdefault(fall.site, []).append(fall)
    fallen = sorted(falls, key=lambda site: (-max(map(_depth, falls[site])), site))
    looked_at = (site for site in by_site if len(by_site[site]) >= 2 * LEAST_SIDE)
    others = sorted(
        (site for site in looked_at if site not in falls),
        key=lambda site: (-_halves(by_site[site])[2], site),
    )
    parts = [f"<p>{escape(line[0].upper() + line[1:])}.</p>" for line in notes(report)]
    parts += [_heading("Sites that fell", len(fallen), MAX_FALLEN, "those that fell furthest")]
    parts += [_fallen(site, falls[site], by_site[site]) for site in fallen[:MAX_FALLEN]]
    parts += [
        _heading("Other sites", len(others), MAX_OTHERS, "those whose newer half fell furthest")
    ]
    drawn = "".join(_other(site, by_site[site]) for site in others[:MAX_OTHERS])
    parts += [f'<div class="pair">{drawn}</div>']
    return report_page("Sites over time", f"{summary(report)}.", "".join(parts), "chart.css")


def _depth(fall: Fall) -> float:
    return fall.before - fall.after


def _heading(title: str, count: int, shown: int, which: str) -> str:
    """Return the heading of a section, and how many of its sites are drawn; "" without sites."""
    note = f"<p>Drawn are {shown} of them, {which}.</p>" if count > shown else ""
    return f"<h2>{title} ({count:,})</h2>{note}" if count else ""


def _fallen(site: str, falls: Sequence[Fall], pages: Sequence[SitePage]) -> str:
    by_measure = {fall.measure: fall for fall in falls}
    charts = "".join(
        chart(_series(name, rows, by_measure.get(name))) for name, rows in _measured(pages)
    )
    clearest = falls[0]
    rows = dict(_measured(pages))[clearest.measure]
    before = rows[: clearest.pages_before][-_EXAMPLES:]
    after = rows[clearest.pages_before :][:_EXAMPLES]
    return (
        f'<section class="site"><h3>{escape(shortened_name(site))}</h3>{"".join(map(_said, falls))}'
        f'<div class="pair">{charts}</div>'
        f'<div class="pair">{_examples("The last pages before", before, clearest.measure)}'
        f"{_examples('The first pages after', after, clearest.measure)}</div></section>"
    )


def _said(fall: Fall) -> str:
    return (
        f"<p>The {fall.measure} fell by <b>{_depth(fall):.3f}</b> since "
        f"<b>{escape(_since(fall))}</b>: {fall.before:.3f} on "
        f"{plural(fall.pages_before, 'page')} before, {fall.after:.3f} on "
        f"{plural(fall.pages_after, 'page')} after; by chance {fall.probability:.4f}.</p>"
    )


def _since(fall: Fall) -> str:
    return shortened_name(day_of(fall.since))


def _measured(pages: Sequence[SitePage]) -> Iterator[tuple[str, Sequence[SitePage]]]:
    for name in MEASURES:
        rows = [page for page in pages[-MAX_PAGES:] if name in page.measures]
        if rows:
            yield name, rows


def _series(name: str, rows: Sequence[SitePage], fall: Fall | None) -> Series:
    values = np.array([page.measures[name] for page in rows])
    first, last = (day_of(page.date) or shortened_name(page.name) for page in (rows[0], rows[-1]))
    if fall is None:
        return Series(name, values, (first, last))
    return Series(name, values, (first, last), fall.pages_before, _since(fall))


def _examples(title: str, pages: Sequence[SitePage], measure: str) -> str:
    rows = "".join(_example(page, measure) for page in pages)
    return f"<div><h4>{title}, with their {measure}</h4><ul>{rows}</ul></div>"


def _example(page: SitePage, measure: str) -> str:
    name = escape(shortened_name(page.url or page.name))
    is_address = page.url.startswith(("http://", "https://")) and len(page.url) <= _MAX_URL_CHARS
    title = f'<a href="{escape(page.url)}" rel="noreferrer">{name}</a>' if is_address else name
    ending = " …" if len(page.excerpt) >= EXCERPT_CHARS else ""
    excerpt = escape(page.excerpt + ending) if page.excerpt else "<i>no text</i>"
    return (
        f"<li><p><b>{page.measures[measure]:.3f}</b> {title} "
        f'<span class="faint">{escape(day_of(page.date))}</span></p>'
        f'<p class="faint" dir="auto">{excerpt}</p></li>'
    )


def _halves(pages: Sequence[SitePage]) -> tuple[float, float, float]:
    """Return the mean scores of the older and the newer half of pages, and their difference."""
    scores = [page.measures["score"] for page in pages]
    middle = len(scores) // 2
    older, newer = float(np.mean(scores[:middle])), float(np.mean(scores[middle:]))
    return older, newer, older - newer


def _other(site: str, pages: Sequence[SitePage]) -> str:
    older, newer, _ = _halves(pages)
    rows = dict(_measured(pages))["score"]
    return (
        f'<section class="site small"><h3>{escape(shortened_name(site))}</h3>'
        f"<p>{plural(len(pages), 'page')}: score {older:.3f} in the older half, {newer:.3f} in the "
        f"newer one.</p>{chart(_series('score', rows, None))}</section>"
    )
