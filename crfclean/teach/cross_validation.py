"""Cross-validate: score every annotated page by a model trained without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from crfclean.decision.rules import CutParams
from crfclean.model.fit import NetworkParams, Recipe
from crfclean.parallel import map_in_order
from crfclean.systems.load import open_bundle
from crfclean.teach.gold import GoldPage
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
    has the switches of texts.
    """

    folds: int = 5
    by: str = "site"
    params: TrainParams = field(default_factory=TrainParams)
    network: NetworkParams = field(default_factory=NetworkParams)
    cut: CutParams = field(default_factory=CutParams)
    recipe: Recipe | None = None
    cleaning: Cleaning = DEFAULT_CLEANING

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


def cross_validate(pages: Sequence[PreparedPage], plan: Plan, workers: int = 1) -> list[Scored]:
    """Score every page by a model of the other folds, in the order of the pages."""
    folds = sorted({plan.fold(page.gold) for page in pages})
    parts = map_in_order(score_fold, folds, (pages, plan), workers)
    by_place = {place: scored for part in parts for place, scored in part}
    return [by_place[place] for place in range(len(pages))]


def score_fold(fold: int, shared: tuple[Sequence[PreparedPage], Plan]) -> list[tuple[int, Scored]]:
    """Train outside a fold and score inside it; return each page's place in the list and scores."""
    pages, plan = shared
    held_out = [place for place, page in enumerate(pages) if plan.fold(page.gold) == fold]
    training = [page for page in pages if plan.fold(page.gold) != fold]
    try:
        tagger = plan.tagger([page.example for page in training])
        system: CleaningSystem = by_tagger(tagger, plan.cleaning)
    except CrfcleanError as error:
        system = partial(_untrained, f"{UNTRAINED}: {error}")
    return [(place, score_systems(pages[place].gold, [system])) for place in held_out]


def _untrained(status: str, _gold: GoldPage) -> Cleaned:
    return Cleaned("", status)
