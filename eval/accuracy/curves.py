"""Calibration of out-of-fold predictions and what thresholds trade, as tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.decision.params import CutParams
from crfclean.evaluate.calibration import (
    expected_calibration_error,
    precision_recall_curve,
    reliability,
)
from crfclean.evaluate.metrics import word_scores
from crfclean.evaluate.plots import plot_precision_recall, plot_reliability
from crfclean.types import Bools, Floats, Label
from eval.lib.plots import save_plot
from eval.lib.predictions import Predicted

THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
PRECISIONS = (0.6, 0.7, 0.8, 0.85, 0.9, 0.95)
SCORES = (0.0, 0.5, 0.6, 0.7, 0.8, 0.9)


def pooled(predicted: Sequence[Predicted]) -> tuple[Floats, Bools, Floats]:
    """Probabilities, gold and words of all blocks of some pages whose gold says something."""
    kept, gold, words = [], [], []
    for page in predicted:
        labelled = page.page.example.informative
        kept.append(1.0 - page.marginals[labelled, Label.OTHER])
        gold.append(page.page.example.labels[labelled] != Label.OTHER)
        words.append(page.page.example.frame.words[labelled])
    return np.concatenate(kept), np.concatenate(gold), np.concatenate(words)


def calibration_errors(predicted: Sequence[Predicted]) -> dict[str, float]:
    """Expected calibration error of the blocks' probabilities, also weighted by words."""
    kept, gold, words = pooled(predicted)
    return {
        "blocks": round(expected_calibration_error(kept, gold), 4),
        "words": round(expected_calibration_error(kept, gold, words), 4),
    }


def knob(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, Any]:
    """Means over pages of P, R and F1 on words for a cut, and of the score that pages get."""
    rows = []
    for page in predicted:
        tags = page.tags(cut)
        kept = (text for text, keep in zip(page.page.texts, tags.kept, strict=True) if keep)
        words = word_scores("\n".join(kept), page.page.gold.text)
        rows.append((words.precision, words.recall, words.f1, tags.score))
    means = np.mean(rows, axis=0)
    names = ("precision", "recall", "f1", "score")
    return {name: round(float(value), 4) for name, value in zip(names, means, strict=True)}


def knobs(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, Any]:
    """What `--threshold` and `--precision` trade."""
    by_threshold = (replace(cut, rule="threshold", threshold=value) for value in THRESHOLDS)
    by_precision = (replace(cut, rule="precision", precision=value) for value in PRECISIONS)
    return {
        "threshold": [{"at": c.threshold, **knob(predicted, c)} for c in by_threshold],
        "precision": [{"at": c.precision, **knob(predicted, c)} for c in by_precision],
    }


def page_scores(predicted: Sequence[Predicted], cut: CutParams) -> dict[str, Any]:
    """How well a page's score predicts its F1, and the pages that stay from each least score on."""
    tags = [page.tags(cut) for page in predicted]
    score = np.array([page_tags.score for page_tags in tags])
    f1 = np.array(
        [page.page.f1(page_tags.kept) for page, page_tags in zip(predicted, tags, strict=True)]
    )
    rows = [
        {
            "least": least,
            "pages": round(float((score >= least).mean()), 4),
            "f1": round(float(f1[score >= least].mean()), 4),
        }
        for least in SCORES
    ]
    rank = float(np.corrcoef(score.argsort().argsort(), f1.argsort().argsort())[0, 1])
    return {"spearman": round(rank, 4), "mean": round(float(score.mean()), 4), "from": rows}


def draw(predicted: Sequence[Predicted], folder: Path) -> None:
    """Write reliability.png and precision-recall.png for the sets of some pages."""
    sets = dict.fromkeys(page.page.set for page in predicted)
    parts = {name: pooled([page for page in predicted if page.page.set == name]) for name in sets}
    bins = {name: reliability(kept, gold, words) for name, (kept, gold, words) in parts.items()}
    curves = {name: precision_recall_curve(*part) for name, part in parts.items()}
    trust = plot_reliability(bins, "Calibration on sites not trained on")
    save_plot(trust, folder / "reliability.png")
    save_plot(
        plot_precision_recall(curves, "Sites not trained on"), folder / "precision-recall.png"
    )
