"""Cross-validation: every annotated page is scored by a model that was trained without it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from crfclean.page.chars import plural
from crfclean.parallel import map_in_order
from crfclean.products.teach.cleaning import (
    DEFAULT_CLEANING,
    Cleaned,
    Cleaning,
    CleaningSystem,
    by_tagger,
)
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.runner import Scored, score_systems
from crfclean.products.teach.train import Example, Learner, check_params, fold_of, make_example
from crfclean.systems.load import open_bundle
from crfclean.types import CrfcleanError

UNTRAINED = "untrained"
"""Status of a page whose fold has no model: the training pages have no block, or one label."""


@dataclass(frozen=True)
class Plan:
    """How pages are split into folds (by "site" or "page"), models trained and texts cleaned."""

    folds: int = 5
    by: str = "site"
    learner: Learner = field(default_factory=Learner)
    cleaning: Cleaning = DEFAULT_CLEANING
    metrics: tuple[str, ...] = ()

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
    learner = plan.learner
    check_params(learner.params)
    columns = learner.params.elements, learner.names
    prepared = list(map_in_order(_prepared, pages, columns, workers))
    if len({plan.fold(page.gold) for page in prepared}) < 2:
        raise CrfcleanError(
            f"{plural(len(prepared), 'page')}, all in one fold of {plan.folds}: add pages"
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
        bundle = plan.learner.fit([page.example for page in training])
        tagger = open_bundle(Path("fold"), bundle)
        system: CleaningSystem = by_tagger(tagger, plan.cleaning)
    except CrfcleanError as error:
        system = partial(_untrained, f"{UNTRAINED}: {error}")
    return [(place, score_systems(pages[place].gold, [system], plan.metrics)) for place in held_out]


def _untrained(status: str, _gold: GoldPage) -> Cleaned:
    return Cleaned("", status)
