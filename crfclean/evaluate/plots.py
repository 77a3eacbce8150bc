"""Draw curves and counts as SVG or PNG with matplotlib (extra `plots`).

The same data give the same bytes.
"""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Mapping
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from crfclean.evaluate.metrics import (
    PrecisionRecall,
    Reliability,
    average_precision,
    binned_error,
)

_COLOURS = "#0072b2 #d55e00 #009e73 #cc79a7 #e69f00 #56b4e9".split()
"""Those of Okabe and Ito, which colour-blind readers can tell apart."""
_F1_LINES = (0.5, 0.6, 0.7, 0.8, 0.9)
_STYLE: Mapping[Any, Any] = {
    "svg.fonttype": "none",  # text stays text, in the reader's font
    "text.parse_math": False,  # names of sites may hold dollars
    "axes.unicode_minus": True,
}
_INK = "#010203"  # placeholder for the text colour of the page, light or dark


def plot_reliability(name: str, bins: Reliability) -> Figure:
    """Observed against predicted shares of a system, over a histogram of its probabilities."""
    figure, (shares_panel, weight_panel) = _figure((5.2, 6.2), rows=(3.2, 1))
    shares_panel.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="perfect")
    label, filled = f"{name} (ECE {binned_error(bins):.3f})", bins.share > 0
    shares_panel.plot(
        bins.predicted[filled], bins.observed[filled], "o-", color=_COLOURS[0], label=label, ms=4
    )
    edges = np.linspace(0, 1, len(bins.share) + 1)
    weight_panel.stairs(100 * bins.share, edges, color=_COLOURS[0], linewidth=1.5)
    shares_panel.set(ylabel="observed share of words wanted", ylim=(-0.02, 1.02))
    shares_panel.legend(loc="upper left", frameon=False)
    weight_panel.set(xlabel="predicted probability of being wanted", ylabel="words (%)")
    weight_panel.set(xlim=(-0.02, 1.02), ylim=(0, None))
    return figure


def plot_precision_recall(
    curves: Mapping[str, PrecisionRecall], points: Mapping[str, tuple[float, float]]
) -> Figure:
    """Precision against recall, over lines of equal F1.

    `points` are single systems as (recall, precision), pooled over all words as the curves are,
    not means over pages.
    """
    figure, (axes,) = _figure((5.6, 5.2), rows=(1,))
    _draw_f1_lines(axes)
    for colour, (name, curve) in zip(cycle(_COLOURS), curves.items(), strict=False):
        label = f"{name} (AP {average_precision(curve):.3f})"
        axes.plot(curve.recall, curve.precision, color=colour, linewidth=1.8, label=label)
    pairs = zip(cycle("osD^vP"), cycle(_COLOURS[1:]), points.items(), strict=False)
    for marker, colour, (name, (recall, precision)) in pairs:
        axes.plot(recall, precision, marker, color=colour, ms=7, label=name, linestyle="none")
    axes.set(xlabel="recall (words)", ylabel="precision (words)")
    axes.set(xlim=(0, 1.01), ylim=(0, 1.01))
    axes.legend(loc="lower left", frameon=False)
    return figure


def to_svg(figure: Figure, salt: str) -> str:
    """The figure as an `svg` element for an HTML page, in the text colour of the page.

    `salt` prefixes its ids: every figure on a page needs another one.
    """
    out = io.StringIO()
    with mpl.rc_context({**_STYLE, "svg.hashsalt": salt}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")
        for axes in figure.axes:
            _ink(axes)
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None}
        figure.savefig(out, format="svg", transparent=True, metadata=metadata)
    svg = out.getvalue()
    svg = svg[svg.index("<svg") :].replace(_INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, count=1, flags=re.DOTALL)
    svg = re.sub(r'<svg [^>]*?(viewBox="[^"]*")[^>]*>', r'<svg \1 role="img">', svg, count=1)
    return re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{salt}-", svg)


def _ink(axes: Axes) -> None:
    axes.tick_params(colors=_INK)
    legend = axes.get_legend()
    texts = [*axes.texts, axes.title, axes.xaxis.label, axes.yaxis.label]
    for text in [*texts, *(legend.get_texts() if legend else ())]:
        text.set_color(_INK)
    for spine in axes.spines.values():
        spine.set_color(_INK)


def _draw_f1_lines(axes: Axes) -> None:
    for f1 in _F1_LINES:
        recall = np.linspace(f1 / (2 - f1), 1, 100)
        axes.plot(
            recall, f1 * recall / (2 * recall - f1), color="0.5", alpha=0.4, linewidth=0.8, zorder=0
        )
        axes.annotate(
            f"F1 {f1}", (1.02, f1 / (2 - f1)), color="0.5", fontsize=8, va="center",
            annotation_clip=False,
        )  # fmt: skip


def _figure(
    inches: tuple[float, float], rows: tuple[float, ...]
) -> tuple[Figure, tuple[Axes, ...]]:
    """A figure with stacked panels of these relative heights, without a display."""
    with mpl.rc_context(dict(_STYLE)):
        figure = Figure(figsize=inches, layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(len(rows), 1, sharex=True, squeeze=False, height_ratios=rows)[:, 0]
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="0.5", alpha=0.2, linewidth=0.7)
        axes.set_axisbelow(True)
    return figure, tuple(panels)
