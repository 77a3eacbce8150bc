"""Scores of pages by perceptrons that have not learned from their sites or their sets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from crfclean.decision.rules import CutParams
from crfclean.model.inputs import with_neighbours
from crfclean.model.networks import Network
from crfclean.parallel import map_in_order
from crfclean.products.teach.fit import fit_network
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.network_params import Recipe
from crfclean.products.teach.train import (
    INPUTS,
    MLP_FEATURES,
    fold_of,
    make_example,
    perceptron_page,
)
from crfclean.types import Floats
from eval.lib.corpora import corpus, drawn
from eval.lib.descriptions import Description
from eval.lib.prepared import (
    Prepared,
    line_labels,
    load_set,
    load_votes,
    silver_labels,
    training_example,
)
from eval.lib.prepared import prepare as prepare_page

LEARNED = Description(
    train=(
        *("wcxb-dev", "magic-html-article", "magic-html-forum", "web-forum-52-dev"),
        *("fundus-dev", "immortal-zh", "readability"),
    ),
    lines={"courts-dev": 0, "recipes-dev": 60},
    silver=("trafilatura-dev",),
)
"""What the shipped perceptron learns from: the sets of the CRF whose annotations may train."""
TRAIN = (*LEARNED.train, *LEARNED.lines, *LEARNED.silver)
SHIPPED = CutParams(convention="auto")
"""The decision of the shipped perceptron, that of the CRF: blocks by expected F1."""
FOLDS = 5

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


def lessons(name: str, data: str, workers: int) -> list[Prepared]:
    """The pages of a set of `TRAIN` with the labels that they teach."""
    pages = load_sets((name,), data, workers)[name]
    if name in LEARNED.train:
        with_gold = [page for page in pages if page.gold.text.strip()]
        return [replace(page, example=training_example(page)) for page in with_gold]
    label = line_labels if name in LEARNED.lines else silver_labels
    most = LEARNED.lines.get(name, 0)
    chosen = drawn([page.gold for page in pages], most) if most else [page.gold for page in pages]
    ids, taught = {gold.id for gold in chosen}, []
    votes = load_votes(name, data, workers)
    for page, whole, count in zip(pages, load_set(name, data, workers), votes, strict=True):
        example = label(whole, count) if page.gold.id in ids else None
        if example is not None:
            taught.append(replace(page, example=replace(example, columns=page.example.columns)))
    return taught


@dataclass(frozen=True)
class Scored:
    """Scores (n,) of a page's blocks by a perceptron that has not learned from its site."""

    page: Prepared
    scores: Floats


def learn(training: Sequence[Prepared], recipe: Recipe) -> Network:
    """A perceptron of some pages."""
    pages = [perceptron_page(page.example, recipe) for page in training if len(page.example)]
    return fit_network(INPUTS, pages, recipe.design, (recipe.seed,))


def predict(recipe: Recipe, training: Sequence[Prepared], tested: Sets, home: str) -> list[Scored]:
    """Scores of all pages of some sets.

    A set is left out whole, with the sites that it shares with others; but `home`, of which most
    training pages are, in folds by site.
    """
    scored: list[Scored] = []
    for name, pages in tested.items():
        for fold in range(FOLDS) if name == home else (None,):
            part = [page for page in pages if fold in (None, fold_of(page.gold.site, FOLDS))]
            sites = {page.gold.site for page in part}
            others = (page for page in training if page.set != name or fold is not None)
            network = learn([page for page in others if page.gold.site not in sites], recipe)
            for page in part:
                inputs = with_neighbours(page.example.columns)
                scored.append(Scored(page, network(inputs)[:, 0]))
    return scored
