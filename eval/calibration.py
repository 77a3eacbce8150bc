"""Marginals and gold of blocks -> calibration error, reliability and precision-recall, as plots.

Everywhere `probability` (n,) in 0..1 says how likely a block is wanted, `truth` (n,) whether it
is, and `weights` or `words` (n,) are not negative. Plots need the extra `plots`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from crfclean.types import Bools, Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 15  # as in Guo et al. 2017
COLOURS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#e69f00",
    "#56b4e9",
)  # Okabe and Ito: told apart by all
F1_LINES = (0.5, 0.6, 0.7, 0.8, 0.9)
DPI = 160


@dataclass(frozen=True)
class Reliability:
    """Bins of equal width in 0..1, from low to high; all arrays (bins,).

    `predicted` and `observed` are a bin's mean probability and its share of wanted blocks, NaN
    where it is empty; `share` is its part of the whole weight.
    """

    predicted: Floats
    observed: Floats
    share: Floats


@dataclass(frozen=True)
class PrecisionRecall:
    """Precision and recall where blocks are kept from a threshold on; all arrays (thresholds,).

    Thresholds fall, so recall never does.
    """

    precision: Floats
    recall: Floats
    thresholds: Floats


def reliability(
    probability: Floats, truth: Bools, weights: Floats | None = None, bins: int = BINS
) -> Reliability:
    """Predicted and observed shares by bin of probability; every block weighs 1 by default.

    A bin has its lower end, the last one both. Raises `ValueError` on arrays that do not fit.

    >>> found = reliability(np.array([0.1, 0.3, 0.9]), np.array([False, True, True]), bins=2)
    >>> found.predicted.round(2).tolist(), found.observed.tolist(), found.share.round(2).tolist()
    ([0.2, 0.9], [0.5, 1.0], [0.67, 0.33])
    """
    weight = np.ones(len(probability)) if weights is None else weights
    _check(probability, truth, weight)
    places = np.minimum((probability * bins).astype(np.int64), bins - 1)
    total = np.bincount(places, weight, bins)
    filled = np.where(total > 0, total, np.nan)
    return Reliability(
        np.bincount(places, weight * probability, bins) / filled,
        np.bincount(places, weight * truth, bins) / filled,
        total / weight.sum(),
    )


def expected_calibration_error(
    probability: Floats, truth: Bools, weights: Floats | None = None, bins: int = BINS
) -> float:
    """Mean gap between predicted and observed shares of bins, by their weight; in 0..1.

    With the blocks' words as `weights` it is that of a word. ECE of Guo et al. 2017 ("On
    Calibration of Modern Neural Networks"), for the probability of one class.

    >>> expected_calibration_error(np.array([0.25, 0.25, 1.0]), np.array([False, True, True]))
    0.16666666666666666
    """
    return error_of(reliability(probability, truth, weights, bins))


def error_of(found: Reliability) -> float:
    """The expected calibration error of bins."""
    return float(np.nansum(found.share * np.abs(found.predicted - found.observed)))


def precision_recall_curve(
    probability: Floats, truth: Bools, words: Floats | None = None
) -> PrecisionRecall:
    """Precision and recall on words at each probability as threshold, from the highest down.

    Without `words` every block counts as one. Blocks of the same probability are kept together.
    Raises `ValueError` on arrays that do not fit, or without any wanted word.

    >>> curve = precision_recall_curve(
    ...     np.array([0.2, 0.9, 0.5]), np.array([True, True, False]), np.array([3.0, 1.0, 1.0])
    ... )
    >>> curve.precision.tolist(), curve.recall.tolist(), curve.thresholds.tolist()
    ([1.0, 0.5, 0.8], [0.25, 0.25, 1.0], [0.9, 0.5, 0.2])
    """
    weight = np.ones(len(probability)) if words is None else words
    _check(probability, truth, weight)
    counted = np.flatnonzero(weight > 0)
    order = counted[np.argsort(-probability[counted], kind="stable")]
    kept, right = np.cumsum(weight[order]), np.cumsum((weight * truth)[order])
    if not right[-1]:
        raise ValueError("no wanted words: recall has no meaning")
    sorted_probability = probability[order]
    last = np.append(np.flatnonzero(np.diff(sorted_probability)), len(order) - 1)
    return PrecisionRecall(
        right[last] / kept[last], right[last] / right[-1], sorted_probability[last]
    )


def average_precision(curve: PrecisionRecall) -> float:
    """Area under the steps of a curve: precision at each threshold by the recall it adds; 0..1."""
    return float((np.diff(curve.recall, prepend=0.0) * curve.precision).sum())


def _check(probability: Floats, truth: Bools, weight: Floats) -> None:
    if not probability.ndim == 1 or not probability.shape == truth.shape == weight.shape:
        raise ValueError(f"shapes {probability.shape}, {truth.shape}, {weight.shape} do not fit")
    if not ((probability >= 0) & (probability <= 1)).all():
        raise ValueError("probabilities must lie in 0..1")
    if not (np.isfinite(weight) & (weight >= 0)).all() or not weight.sum() > 0:
        raise ValueError("weights must not be negative, and some must be above 0")


def plot_reliability(
    path: Path, curves: Mapping[str, Reliability], title: str, unit: str = "words"
) -> None:
    """Write a PNG: observed against predicted shares, above the share of all by probability."""
    figure, (above, below) = _figure((5.2, 6.2), rows=(3.2, 1))
    above.plot([0, 1], [0, 1], color="0.6", linewidth=1, linestyle="--", label="perfect")
    for colour, (name, found) in zip(cycle(COLOURS), curves.items(), strict=False):
        label = f"{name} (ECE {error_of(found):.3f})"
        filled = found.share > 0
        above.plot(
            found.predicted[filled], found.observed[filled], "o-", color=colour, label=label, ms=4
        )
        edges = np.linspace(0, 1, len(found.share) + 1)
        below.stairs(100 * found.share, edges, color=colour, linewidth=1.5)
    above.set(ylabel=f"observed share of {unit} wanted", ylim=(-0.02, 1.02), title=title)
    above.legend(loc="upper left", frameon=False)
    below.set(xlabel="predicted probability of being wanted", ylabel=f"{unit} (%)")
    below.set(xlim=(-0.02, 1.02), ylim=(0, None))
    _save(figure, path)


def plot_precision_recall(
    path: Path,
    curves: Mapping[str, PrecisionRecall],
    title: str,
    points: Mapping[str, tuple[float, float]] | None = None,
    unit: str = "words",
) -> None:
    """Write a PNG: precision against recall, over lines of equal F1.

    `points` are single systems, as (recall, precision), pooled over all words as the curves are;
    means over pages stand elsewhere.
    """
    figure, (axes,) = _figure((5.6, 5.2), rows=(1,))
    _draw_f1_lines(axes)
    for colour, (name, curve) in zip(cycle(COLOURS), curves.items(), strict=False):
        label = f"{name} (AP {average_precision(curve):.3f})"
        axes.plot(curve.recall, curve.precision, color=colour, linewidth=1.8, label=label)
    for marker, (name, (recall, precision)) in zip(
        cycle("osD^vP"), (points or {}).items(), strict=False
    ):
        axes.plot(recall, precision, marker, color="0.15", ms=6, label=name, linestyle="none")
    axes.set(xlabel=f"recall ({unit})", ylabel=f"precision ({unit})", title=title)
    axes.set(xlim=(0, 1.01), ylim=(0, 1.01))
    axes.legend(loc="lower left", frameon=True, framealpha=0.9, edgecolor="none")
    _save(figure, path)


def _draw_f1_lines(axes: Axes) -> None:
    """Grey lines of equal F1, each with its value at the right end."""
    for f1 in F1_LINES:
        recall = np.linspace(f1 / (2 - f1), 1, 100)
        axes.plot(recall, f1 * recall / (2 * recall - f1), color="0.85", linewidth=0.8, zorder=0)
        axes.annotate(
            f"F1 {f1}", (1.02, f1 / (2 - f1)), color="0.5", fontsize=8, va="center",
            annotation_clip=False,
        )  # fmt: skip


def _figure(
    inches: tuple[float, float], rows: tuple[float, ...]
) -> tuple[Figure, tuple[Axes, ...]]:
    """A figure with panels of these heights one above another, without a screen."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=inches, layout="constrained")
    FigureCanvasAgg(figure)
    panels = figure.subplots(len(rows), 1, sharex=True, squeeze=False, height_ratios=rows)[:, 0]
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(color="0.93", linewidth=0.7)
        axes.set_axisbelow(True)
    return figure, tuple(panels)


def _save(figure: Figure, path: Path) -> None:
    """Write a PNG that is the same byte for byte for the same data."""
    figure.savefig(path, dpi=DPI, format="png", metadata={"Software": None})
