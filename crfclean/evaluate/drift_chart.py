"""Draw a measure of a site's pages over time as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from crfclean.types import Floats

MAX_DOTS = 300  # of a chart: of more pages a dot is the mean of neighbours
WIDTH, HEIGHT = 1000, 100
"""Units of a chart, which is as wide as the page lets it."""


@dataclass(frozen=True, slots=True)
class Series:
    """A measure (0..1) of pages (n,) in the order of time, with the names of both `ends`.

    From the page `change` on, at `since`, the values are lower; 0 where they are not.
    """

    name: str
    values: Floats
    ends: tuple[str, str] = ("", "")
    change: int = 0
    since: str = ""


def chart(series: Series) -> str:
    """The figure of a series: a dot a page, and the means before and after its change."""
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
        f'<div class="plot">{_levels()}{_svg(series)}</div>'
        f'<div class="axis"><span>{first}</span><span>{last}</span></div>'
        f"<figcaption>{escape(caption(series))}</figcaption></figure>"
    )


def caption(series: Series) -> str:
    """A series in words.

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
    """How many pages a dot is of.

    >>> dot_pages(300), dot_pages(301), dot_pages(2000)
    (1, 2, 7)
    """
    return -(-pages // MAX_DOTS)


def _means(series: Series) -> tuple[float, float]:
    return float(series.values[: series.change].mean()), float(
        series.values[series.change :].mean()
    )


def _levels() -> str:
    return '<span class="level" style="top:0">1</span><span class="level" style="top:100%">0</span>'


def _svg(series: Series) -> str:
    """The drawing: time to the right, values upwards."""
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
    """A dot in the middle of each page's share of the width, or of some neighbours'."""
    step, width = dot_pages(len(values)), WIDTH / len(values)
    dots: Sequence[tuple[float, float]] = [
        (width * (start + len(part) / 2), float(part.mean()))
        for start in range(0, len(values), step)
        for part in [values[start : start + step]]
    ]
    return "".join(f"M{x:.1f} {_height(value)}h0" for x, value in dots)


def _height(value: float) -> str:
    """Where a value stands, from above; what is out of bounds at the edge."""
    return f"{HEIGHT * (1 - min(1.0, max(0.0, value))):.1f}"
