"""Out-of-fold predictions of every test page, for a description of an experiment.

The folds are by site, over all sets at once: no page is predicted by a model that has seen its
site, with gold or with silver labels.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import decide
from crfclean.model.columns import FEATURES, GROUPS
from crfclean.parallel import map_in_order
from crfclean.products.teach.network_params import NetworkParams
from crfclean.products.teach.train import Example, TrainParams, fit, fold_of
from crfclean.systems.crf import CrfTagger, from_bundle
from crfclean.systems.open_model import PARAMETER
from crfclean.types import CoarseKind, Floats, Ints, Label, Tags
from eval.lib.descriptions import Description
from eval.lib.prepared import Prepared, examples_of, load_set, model_columns

CONVENTIONS = {
    "wcxb-dev": "body,headers,captions,bylines,comments",
    "magic-html-article": "body,headers,captions,bylines",
    "daniel-dev": "body,title,headers",
    "irdata-big9": "body,title,headers",
}
"""Set -> the kinds of blocks that its annotations keep, as its documentation or first pages show;
the others' keep what the model does."""


def convention_of(name: str) -> tuple[str, ...]:
    """The kinds of blocks that a set's annotation keeps; empty: what the model does."""
    keep = CONVENTIONS.get(name, "")
    return tuple(keep.split(",")) if keep else ()


def within(labels: Ints, coarse: Ints, keep: Sequence[str]) -> Ints:
    """Labels (n,) without blocks of other `CoarseKind`s (n,) than `keep` and body names, if any.

    As in `decide`, a convention with titles has the main heading wherever anything is kept.
    """
    names = {"BODY", *(word.upper() for word in keep)}
    allowed = np.isin(coarse, [kind for kind in CoarseKind if kind.name in names or not keep])
    titles = (coarse == CoarseKind.TITLE) & ("title" in keep) & (labels != Label.OTHER).any()
    kept = np.where(allowed, labels, Label.OTHER)
    return np.where(titles, Label.HEADER, kept).astype(np.int32)


@dataclass(frozen=True)
class Predicted:
    """Out-of-fold marginals (n, 3) of a page.

    `alone` are the marginals of the CRF and of each network, where they are pooled.
    """

    page: Prepared
    fold: int
    marginals: Floats
    alone: Mapping[str, Floats] = field(default_factory=dict)

    def tags(self, cut: CutParams) -> Tags:
        """Labels by a rule, within the set's convention."""
        return self.tags_as(replace(cut, keep=convention_of(self.page.set)))

    def tags_as(self, cut: CutParams) -> Tags:
        """Labels by a rule and a convention."""
        return decide(self.page.evidence(), self.marginals, cut)


def blanked(example: Example, names: Sequence[str]) -> Example:
    """An example without some features: their columns are 0."""
    if not names:
        return example
    gone = {name for group in names for name in GROUPS.get(group, {group: None})}
    columns = example.columns.copy()
    columns[:, [place for place, name in enumerate(FEATURES) if name in gone]] = 0.0
    return replace(example, columns=columns)


def chosen(examples: Sequence[Example], description: Description) -> list[Example]:
    """The training pages of a fold: all, or so many in an order that the seed gives."""
    if not description.pages:
        return list(examples)
    marks = [f"{description.seed} {place} {example.site}" for place, example in enumerate(examples)]
    order = sorted(range(len(examples)), key=lambda at: hashlib.sha256(marks[at].encode()).digest())
    return [examples[place] for place in order[: description.pages]]


def separate(tagger: CrfTagger) -> dict[str, CrfTagger]:
    """The CRF and its first pass by themselves, where the model pools them."""
    if not tagger.network_weight:
        return {}
    return {"CRF": weighted(tagger, 0.0), "first pass": weighted(tagger, 1.0)}


def weighted(tagger: CrfTagger, weight: float) -> CrfTagger:
    """The tagger with another weight of its networks."""
    parameters = {**tagger.bundle.parameters, PARAMETER: weight}
    return replace(tagger, bundle=replace(tagger.bundle, parameters=parameters))


def run_fold(
    fold: int, shared: tuple[Sequence[Example], list[Prepared], Description]
) -> list[Predicted]:
    """Train on the other folds, predict this one's pages."""
    examples, tests, description = shared
    outside = [example for example in examples if fold_of(example.site, description.folds) != fold]
    training = [blanked(example, description.without) for example in chosen(outside, description)]
    bundle = fit(
        training, TrainParams(**description.params), network=NetworkParams(**description.network)
    )
    tagger = from_bundle(Path("fold"), bundle)
    predicted = []
    for page in tests:
        if fold_of(page.gold.site, description.folds) == fold:
            example = blanked(page.example, description.without)
            columns = model_columns(example, bundle)
            probabilities = tagger.predict(columns)
            alone = {
                name: separated.predict(columns) for name, separated in separate(tagger).items()
            }
            predicted.append(Predicted(page, fold, probabilities, alone))
    return predicted


@dataclass(frozen=True)
class Data:
    """Prepared pages of each set that is tested on, and the examples to train on."""

    sets: Mapping[str, Sequence[Prepared]]
    examples: Sequence[Example]


def load_data(description: Description, folder: str, workers: int) -> Data:
    """Read and prepare all sets of a description."""
    learned = (*description.train, *description.lines, *description.silver)
    examples = [
        example
        for name in dict.fromkeys(learned)
        for example in examples_of(name, description, folder, workers)
    ]
    return Data({name: load_set(name, folder, workers) for name in description.test}, examples)


def predict(description: Description, data: Data, workers: int) -> list[Predicted]:
    """Out-of-fold predictions of all test pages, or of the folds in `only`."""
    folds = description.only or range(description.folds)
    tests = [page for name in description.test for page in data.sets[name]]
    parts = map_in_order(run_fold, folds, (data.examples, tests, description), workers)
    return [page for part in parts for page in part]
