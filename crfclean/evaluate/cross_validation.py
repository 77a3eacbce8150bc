"""Annotated pages + training parameters -> every page scored by a model that has not seen it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from crfclean.evaluate.result import CurvePoint
from crfclean.evaluate.runner import Cleaned, CleaningSystem, Scored, by_tagger, score_page
from crfclean.evaluate.statistics import Row, interval, means_by_group
from crfclean.gold.pages import GoldPage
from crfclean.nn.network_params import NetworkParams
from crfclean.nn.params import Recipe
from crfclean.parallel import map_in_order
from crfclean.taggers.load import open_bundle
from crfclean.taggers.params import CutParams
from crfclean.taggers.post import PostChoice, with_post
from crfclean.train.crf import check_params, fit
from crfclean.train.examples import Example, example, fold_of
from crfclean.train.mlp import MLP_FEATURES, fit_mlp
from crfclean.train.params import TrainParams
from crfclean.types import CrfcleanError, Tagger

UNTRAINED = "untrained"
"""Status of a page of a fold whose other pages teach nothing: they hold no block, or one label."""


@dataclass(frozen=True)
class Plan:
    """How pages are parted into folds (by "site" or "page"), and how models are trained.

    With a `recipe` they are perceptrons, and `params` and `network` say nothing but the elements.
    `post`: with or without the post-analysis, None as the kind of tagger has it.
    """

    folds: int = 5
    by: str = "site"
    params: TrainParams = field(default_factory=TrainParams)
    network: NetworkParams = field(default_factory=NetworkParams)
    cut: CutParams = field(default_factory=CutParams)
    recipe: Recipe | None = None
    post: PostChoice = None

    @property
    def names(self) -> tuple[str, ...] | None:
        """The columns that the examples must have; None: the whole table."""
        return None if self.recipe is None else MLP_FEATURES

    def tagger(self, examples: Sequence[Example]) -> Tagger:
        """A tagger that has learned from examples; raises `CrfcleanError`."""
        if self.recipe is None:
            bundle = fit(examples, self.params, self.cut, self.network)
        else:
            bundle = fit_mlp(examples, self.recipe, self.cut, self.params.elements)
        return with_post(open_bundle(Path("fold"), bundle), self.post)

    def fold(self, gold: GoldPage) -> int:
        """The fold of a page: a digest of its site's or its own name."""
        return fold_of(gold.site if self.by == "site" else gold.id, self.folds)


@dataclass(frozen=True)
class FoldTask:
    """Train on all other folds, or on `most` of their pages (0: all) of a source ("": all)."""

    fold: int
    source: str = ""
    most: int = 0


@dataclass(frozen=True)
class PreparedPage:
    """An annotated page with what training needs of it."""

    gold: GoldPage
    example: Example


_Shared = tuple[Sequence[PreparedPage], Plan]


def prepare(pages: Iterable[GoldPage], plan: Plan, workers: int = 1) -> list[PreparedPage]:
    """Pages -> examples, each made once for all folds; raises `CrfcleanError` for bad parameters.

    Pages of a single fold cannot be parted: that is an error too.
    """
    check_params(plan.params)
    found = list(map_in_order(_prepared, pages, (plan.params.elements, plan.names), workers))
    if len({plan.fold(one.gold) for one in found}) < 2:
        raise CrfcleanError(
            f"all pages are in one of {plan.folds} folds by {plan.by}: more pages, more folds, "
            "or folds by page are needed"
        )
    return found


def _prepared(
    gold: GoldPage, asked: tuple[tuple[str, ...], tuple[str, ...] | None]
) -> PreparedPage:
    return PreparedPage(gold, example(gold, *asked))


def cross_validate(
    pages: Sequence[PreparedPage], plan: Plan, workers: int = 1, source: str = "", most: int = 0
) -> list[Scored]:
    """Every page (of a source) scored by a model of the other folds, in the pages' order."""
    folds = sorted({plan.fold(one.gold) for one in pages if source in ("", one.gold.source)})
    tasks = [FoldTask(fold, source, most) for fold in folds]
    parts = map_in_order(run_task, tasks, (pages, plan), workers)
    return [scored for _, scored in sorted((pair for part in parts for pair in part), key=_place)]


def _place(pair: tuple[int, Scored]) -> int:
    return pair[0]


def run_task(task: FoldTask, shared: _Shared) -> list[tuple[int, Scored]]:
    """Train outside a fold, score inside: places and scores."""
    pages, plan = shared
    chosen = [at for at, one in enumerate(pages) if task.source in ("", one.gold.source)]
    held = [at for at in chosen if plan.fold(pages[at].gold) == task.fold]
    training = [pages[at] for at in chosen if plan.fold(pages[at].gold) != task.fold]
    if task.most:
        training = shuffled(training)[: task.most]
    try:
        system: CleaningSystem = by_tagger(plan.tagger([one.example for one in training]))
    except CrfcleanError as error:
        system = _Untrained(f"{UNTRAINED}: {error}")
    return [(at, _scored(pages[at].gold, system(pages[at].gold))) for at in held]


@dataclass(frozen=True)
class _Untrained:
    """A system that has learned nothing and gives no text."""

    status: str

    def __call__(self, _gold: GoldPage) -> Cleaned:
        """No text, and why."""
        return Cleaned("", self.status)


def _scored(gold: GoldPage, cleaned: Cleaned) -> Scored:
    return Scored(gold.text, [cleaned.text], score_page(gold, [cleaned]))


def shuffled(pages: Iterable[PreparedPage]) -> list[PreparedPage]:
    """Pages in an order that a digest of their names gives, for learning curves."""
    return sorted(pages, key=lambda one: hashlib.sha256(one.gold.id.encode()).hexdigest())


def learning_curve(
    pages: Sequence[PreparedPage], plan: Plan, sizes: Sequence[int], workers: int = 1
) -> list[CurvePoint]:
    """Mean F1 of models of so many pages, over the same folds.

    Raises `CrfcleanError` for a size that a fold has not.
    """
    folds = [plan.fold(one.gold) for one in pages]
    least = len(pages) - int(np.bincount(folds).max())
    wrong = [size for size in sizes if not 0 < size <= least]
    if wrong:
        raise CrfcleanError(f"a fold trains on {least} pages at least, not on {wrong[0]}")
    return [
        curve_point(cross_validate(pages, plan, workers, most=size), size)
        for size in sorted(set(sizes))
    ]


def curve_point(scored: Sequence[Scored], pages: int) -> CurvePoint:
    """The scores of a cross-validation as a point of a learning curve."""
    f1 = np.array([one.scores[0].words.f1 for one in scored])
    return CurvePoint(
        pages, float(f1.mean()), *interval(f1, [one.scores[0].site for one in scored])
    )


def training_size(pages: Sequence[PreparedPage], plan: Plan) -> int:
    """How many pages a fold's model learns from, a mean over the pages."""
    counts = np.bincount([plan.fold(one.gold) for one in pages])
    return round(len(pages) - float((counts**2).sum()) / len(pages))


def within_sources(
    pages: Sequence[PreparedPage], plan: Plan, everything: Sequence[Scored], workers: int = 1
) -> list[Row]:
    """The CRF paper's table 1: a row a source by models of its own, then All by models of all."""
    rows = []
    for source in sorted({one.gold.source for one in pages}):
        scored = cross_validate(pages, plan, workers, source)
        rows.append(means_by_group([one.scores[0] for one in scored])[0])
    return [*rows, means_by_group([one.scores[0] for one in everything])[-1]]
