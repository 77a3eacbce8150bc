"""Cross-validate: score every annotated page by a model trained without it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.model.fit import NetworkParams, Recipe
from crfclean.parallel import map_in_order
from crfclean.systems.load import open_bundle
from crfclean.teach.gold import GoldPage
from crfclean.teach.result import CurvePoint, Row, interval, means_by_group, units
from crfclean.teach.runner import (
    DEFAULT_CLEANING,
    Cleaned,
    Cleaning,
    CleaningSystem,
    Scored,
    by_tagger,
    score_systems,
)
from crfclean.teach.train import (
    MLP_FEATURES,
    Example,
    TrainParams,
    check_params,
    fit,
    fit_mlp,
    fold_of,
    make_example,
)
from crfclean.types import CrfcleanError, Tagger

UNTRAINED = "untrained"
"""Status of a page whose fold has no model: the training pages have no block, or one label."""


@dataclass(frozen=True)
class Plan:
    """Settings for splitting pages into folds (by "site" or "page") and for training.

    With a `recipe`, the models are perceptrons, and only the elements of `params` count. `cleaning`
    has the switches of texts. Intervals draw a `unit`, "site" or "page".
    """

    folds: int = 5
    by: str = "site"
    params: TrainParams = field(default_factory=TrainParams)
    network: NetworkParams = field(default_factory=NetworkParams)
    cut: CutParams = field(default_factory=CutParams)
    recipe: Recipe | None = None
    cleaning: Cleaning = DEFAULT_CLEANING
    unit: str = "site"

    @property
    def names(self) -> tuple[str, ...] | None:
        """The columns that the examples need; None: all features."""
        return None if self.recipe is None else MLP_FEATURES

    def tagger(self, examples: Sequence[Example]) -> Tagger:
        """Train a tagger on examples; raises `CrfcleanError`."""
        if self.recipe is None:
            bundle = fit(examples, self.params, self.cut, self.network)
        else:
            bundle = fit_mlp(examples, self.recipe, self.cut, self.params.elements)
        return open_bundle(Path("fold"), bundle)

    def fold(self, gold: GoldPage) -> int:
        """The fold of a page, from a digest of the name of its site or its own."""
        return fold_of(gold.site if self.by == "site" else gold.id, self.folds)


@dataclass(frozen=True)
class PreparedPage:
    """An annotated page with its training example."""

    gold: GoldPage
    example: Example


def prepare(pages: Iterable[GoldPage], plan: Plan, workers: int = 1) -> list[PreparedPage]:
    """Make the training example of each page, once for all folds.

    Raises `CrfcleanError` for bad parameters, and if all pages fall into one fold.
    """
    check_params(plan.params)
    prepared = list(map_in_order(_prepared, pages, (plan.params.elements, plan.names), workers))
    if len({plan.fold(page.gold) for page in prepared}) < 2:
        raise CrfcleanError(
            f"all {len(prepared)} pages are in one fold of {plan.folds}: add pages"
            + (" of other sites, or use --group-by page" if plan.by == "site" else "")
        )
    return prepared


def _prepared(
    gold: GoldPage, columns: tuple[tuple[str, ...], tuple[str, ...] | None]
) -> PreparedPage:
    return PreparedPage(gold, make_example(gold, *columns))


def cross_validate(
    pages: Sequence[PreparedPage], plan: Plan, workers: int = 1, source: str = "", most: int = 0
) -> list[Scored]:
    """Score every page (of a source) by a model of the other folds, in the order of the pages.

    Models are trained on at most `most` pages; 0 means all pages.
    """
    chosen = [page for page in pages if source in ("", page.gold.source)]
    folds = sorted({plan.fold(page.gold) for page in chosen})
    parts = map_in_order(score_fold, folds, (chosen, plan, most), workers)
    by_place = {place: scored for part in parts for place, scored in part}
    return [by_place[place] for place in range(len(chosen))]


def score_fold(
    fold: int, shared: tuple[Sequence[PreparedPage], Plan, int]
) -> list[tuple[int, Scored]]:
    """Train outside a fold and score inside it; return each page's place in the list and scores."""
    pages, plan, most = shared
    held_out = [place for place, page in enumerate(pages) if plan.fold(page.gold) == fold]
    training = [page for page in pages if plan.fold(page.gold) != fold]
    if most:
        training = shuffled(training)[:most]
    try:
        tagger = plan.tagger([page.example for page in training])
        system: CleaningSystem = by_tagger(tagger, plan.cleaning)
    except CrfcleanError as error:
        system = partial(_untrained, f"{UNTRAINED}: {error}")
    return [(place, score_systems(pages[place].gold, [system])) for place in held_out]


def _untrained(status: str, _gold: GoldPage) -> Cleaned:
    return Cleaned("", status)


def shuffled(pages: Iterable[PreparedPage]) -> list[PreparedPage]:
    """Shuffle pages by a digest of their names, so that learning curves are repeatable."""
    return sorted(pages, key=lambda page: hashlib.sha256(page.gold.id.encode()).hexdigest())


def learning_curve(
    pages: Sequence[PreparedPage], plan: Plan, sizes: Sequence[int], workers: int = 1
) -> list[CurvePoint]:
    """Mean F1 of models trained on each number of pages, over the same folds.

    Raises `CrfcleanError` for a size above the training pages of any fold.
    """
    folds = [plan.fold(page.gold) for page in pages]
    smallest = len(pages) - int(np.bincount(folds).max())
    too_large = [size for size in sizes if not 0 < size <= smallest]
    if too_large:
        raise CrfcleanError(f"a fold trains on {smallest} pages at least, not on {too_large[0]}")
    return [
        curve_point(cross_validate(pages, plan, workers, most=size), size, plan.unit)
        for size in sorted(set(sizes))
    ]


def curve_point(scored: Sequence[Scored], pages: int, unit: str = "site") -> CurvePoint:
    """Turn the scores of a cross-validation into a point of a learning curve."""
    first = [page.scores[0] for page in scored]
    f1 = np.array([page.words.f1 for page in first])
    return CurvePoint(pages, float(f1.mean()), *interval(f1, units(first, unit)))


def training_size(pages: Sequence[PreparedPage], plan: Plan) -> int:
    """Return the mean number of training pages of the models that score the pages."""
    counts = np.bincount([plan.fold(page.gold) for page in pages])
    return round(len(pages) - float((counts**2).sum()) / len(pages))


def within_sources(
    pages: Sequence[PreparedPage], plan: Plan, everything: Sequence[Scored], workers: int = 1
) -> list[Row]:
    """Return rows of the CRF paper's table 1: each source by its own models, then All by all.

    A source has no row if some of its pages have no model: they are in one fold, or have one label.
    """
    rows = []
    for source in sorted({page.gold.source for page in pages}):
        scored = [page.scores[0] for page in cross_validate(pages, plan, workers, source)]
        if not any(page.status.startswith(UNTRAINED) for page in scored):
            rows.append(means_by_group(scored)[0])
    return [*rows, means_by_group([page.scores[0] for page in everything])[-1]]
