"""Out-of-fold scores of every test page by perceptrons, folds by site over all sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from crfclean.decision.evidence import Evidence
from crfclean.decision.rules import CutParams
from crfclean.decision.verdict import decide
from crfclean.features.texttractor import with_neighbours
from crfclean.gold.pages import GoldPage
from crfclean.nn.fit import fit_network
from crfclean.nn.mlp import Network
from crfclean.nn.params import Recipe
from crfclean.page.measures import Measures
from crfclean.parallel import map_in_order
from crfclean.taggers.mlp import marginals_from_scores
from crfclean.train.examples import fold_of, make_example
from crfclean.train.mlp import INPUTS, MLP_FEATURES, perceptron_page
from crfclean.types import Floats, Tags
from eval.lib.corpora import corpus
from eval.lib.predictions import convention_of
from eval.lib.prepared import Prepared
from eval.lib.prepared import prepare as prepare_page

TRAIN = ("wcxb-dev", "magic-html-article", "magic-html-forum", "web-forum-52-dev")
FOLDS = 5
HEADING = MLP_FEATURES.index("is_heading")

Sets = Mapping[str, Sequence[Prepared]]


def prepare(gold: GoldPage, name: str) -> Prepared:
    """Cut a page, compute the 26 columns and align its gold."""
    return prepare_page(gold, name, partial(make_example, elements=(), names=MLP_FEATURES))


def load_sets(names: Iterable[str], data: str, workers: int) -> Sets:
    """All pages of some sets."""
    return {
        name: list(map_in_order(prepare, corpus(name, data), name, workers))
        for name in dict.fromkeys(names)
    }


def tagged(page: Measures, marginals: Floats, cut: CutParams, keep: tuple[str, ...]) -> Tags:
    """Labels of a page by a rule, within a convention."""
    return decide(Evidence(page), marginals, replace(cut, keep=keep))


@dataclass(frozen=True)
class Scored:
    """Out-of-fold scores (n,) of a page's blocks."""

    page: Prepared
    scores: Floats

    def tags(self, cut: CutParams) -> Tags:
        """Labels by a rule, within the set's convention."""
        cut = replace(cut, keep=convention_of(self.page.set))
        page_example = self.page.example
        marginals = marginals_from_scores(self.scores, page_example.columns[:, HEADING] > 0)
        return decide(self.page.evidence(), marginals, cut)


def learn(training: Sequence[Prepared], recipe: Recipe) -> Network:
    """A perceptron of the pages whose gold is not empty."""
    examples = [page.example for page in training if page.gold.text.strip() and len(page.example)]
    pages = [perceptron_page(page_example, recipe) for page_example in examples]
    return fit_network(INPUTS, pages, recipe.design, (recipe.seed,))


def predict(
    recipe: Recipe, sets: Sets, test: Sequence[str], only: Sequence[int] = ()
) -> list[Scored]:
    """Out-of-fold scores of all pages of the test sets, or of those of some folds."""
    training = [page for name in TRAIN for page in sets[name]]
    scored: list[Scored] = []
    for fold in only or range(FOLDS):
        network = learn(
            [page for page in training if fold_of(page.gold.site, FOLDS) != fold], recipe
        )
        scored += [
            Scored(page, network(with_neighbours(page.example.columns))[:, 0])
            for name in test
            for page in sets[name]
            if fold_of(page.gold.site, FOLDS) == fold
        ]
    return scored
