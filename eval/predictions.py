"""A description -> out-of-fold predictions of every test page.

The folds are by site, over all sets at once: no page is predicted by a model that has seen its
site, with gold or with silver labels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from prepared import Prepared, load_set, load_silver

from crfclean.cut import CutParams
from crfclean.evidence import of_table
from crfclean.examples import Example, fold_of
from crfclean.features import FEATURES, GROUPS
from crfclean.nn.params import NetworkParams
from crfclean.taggers.chain import marginals, viterbi
from crfclean.taggers.crf import decide, from_bundle
from crfclean.train import TrainParams, fit
from crfclean.types import Floats, Ints, Tags
from crfclean.workers import map_in_order

CONVENTIONS = {
    "wcxb-dev": "body,headers,captions,bylines,comments",
    "magic-html-article": "body,headers,captions,bylines",
    "daniel-dev": "body,title,headers",
    "irdata-big9": "body,title,headers",
}
"""Set -> the kinds of blocks that its annotations keep, as its documentation or first pages show;
the others' keep what the model does."""


@dataclass(frozen=True)
class Description:
    """What an experiment is: data, features, tagger, folds, seed.

    `without` are groups or names of features that are blanked out; `pages` limits the training
    pages of a fold (0: all), for learning curves; `seed` orders them.
    """

    note: str = ""
    train: Sequence[str] = ("wcxb-dev",)
    silver: Sequence[str] = ()
    test: Sequence[str] = ("wcxb-dev",)
    without: Sequence[str] = ()
    pages: int = 0
    params: Mapping[str, Any] = field(default_factory=dict)
    network: Mapping[str, Any] = field(default_factory=dict)
    cut: Mapping[str, Any] = field(default_factory=dict)
    folds: int = 5
    only: Sequence[int] = ()
    seed: int = 1


@dataclass(frozen=True)
class Predicted:
    """Out-of-fold marginals (n, 3) and Viterbi's labels (n,) of a page."""

    page: Prepared
    fold: int
    marginals: Floats
    best: Ints

    def tags(self, cut: CutParams) -> Tags:
        """Labels by a rule, within the set's convention."""
        keep = CONVENTIONS.get(self.page.set, "")
        return self.tags_as(replace(cut, keep=tuple(keep.split(",")) if keep else ()))

    def tags_as(self, cut: CutParams) -> Tags:
        """Labels by a rule and a convention."""
        words = self.page.example.frame.words
        return decide(self.marginals, self.best, words, self.page.kinds, cut)


def blanked(one: Example, names: Sequence[str]) -> Example:
    """An example without some features: their columns are 0."""
    if not names:
        return one
    gone = {name for group in names for name in GROUPS.get(group, {group: None})}
    columns = one.columns.copy()
    columns[:, [place for place, name in enumerate(FEATURES) if name in gone]] = 0.0
    return replace(one, columns=columns)


def chosen(examples: Sequence[Example], wanted: Description) -> list[Example]:
    """The training pages of a fold: all, or so many in an order that the seed gives."""
    if not wanted.pages:
        return list(examples)
    marks = [f"{wanted.seed} {place} {one.site}" for place, one in enumerate(examples)]
    order = sorted(range(len(examples)), key=lambda at: hashlib.sha256(marks[at].encode()).digest())
    return [examples[place] for place in order[: wanted.pages]]


def run_fold(
    fold: int, shared: tuple[list[Example], list[Prepared], Description]
) -> list[Predicted]:
    """Train on the other folds, predict this one's pages."""
    examples, tests, wanted = shared
    outside = [one for one in examples if fold_of(one.site, wanted.folds) != fold]
    training = [blanked(one, wanted.without) for one in chosen(outside, wanted)]
    bundle = fit(training, TrainParams(**wanted.params), network=NetworkParams(**wanted.network))
    tagger = from_bundle(Path("fold"), bundle)
    predicted = []
    for page in tests:
        if fold_of(page.gold.site, wanted.folds) == fold:
            one = blanked(page.example, wanted.without)
            known, first = tuple(FEATURES), bundle.network
            columns = of_table(one.columns, known, one.frame, bundle.encoder.names, first)
            scores = tagger.scores(columns)
            found = marginals(scores, tagger.transitions)
            predicted.append(Predicted(page, fold, found, viterbi(scores, tagger.transitions)))
    return predicted


@dataclass(frozen=True)
class Data:
    """Prepared pages of each set, and silver pages of each set that gives some."""

    sets: Mapping[str, Sequence[Prepared]]
    silver: Mapping[str, Sequence[Example]]

    def examples(self, wanted: Description) -> list[Example]:
        """The pages to train on: golds that are not empty, then silver ones."""
        gold = [page for name in wanted.train for page in self.sets[name]]
        told = [page.example for page in gold if page.gold.text.strip()]
        return told + [one for name in wanted.silver for one in self.silver[name]]

    def tests(self, wanted: Description) -> list[Prepared]:
        """The pages to test on."""
        return [page for name in wanted.test for page in self.sets[name]]


def load_data(wanted: Iterable[Description], folder: str, workers: int) -> Data:
    """Read and prepare all sets of some descriptions, each once."""
    sets = dict.fromkeys(name for one in wanted for name in (*one.train, *one.test))
    silver = dict.fromkeys(name for one in wanted for name in one.silver)
    return Data(
        {name: load_set(name, folder, workers) for name in sets},
        {name: load_silver(name, folder, workers) for name in silver},
    )


def predict(wanted: Description, data: Data, workers: int) -> list[Predicted]:
    """Out-of-fold predictions of all test pages, or of those of the folds that are wanted."""
    folds = wanted.only or range(wanted.folds)
    shared = data.examples(wanted), data.tests(wanted), wanted
    parts = map_in_order(run_fold, folds, shared, workers)
    return [one for part in parts for one in part]
