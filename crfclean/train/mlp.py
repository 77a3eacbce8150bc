"""Train a multilayer perceptron on annotated pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.features.texttractor import NEIGHBOUR_STEPS, TEXTTRACTOR, input_names, with_neighbours
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.binning import Encoder
from crfclean.modelfiles.folder import Bundle
from crfclean.nn.files import scores_to_bytes
from crfclean.nn.fit import TrainingPage, block_weights, fit_network
from crfclean.nn.params import RECIPES, Recipe
from crfclean.train.crf import check_examples
from crfclean.train.examples import Example, Progress, lessons_of, no_progress
from crfclean.types import Label

MLP_FEATURES = tuple(TEXTTRACTOR)
INPUTS = input_names(MLP_FEATURES)
CUT = CutParams("threshold")
"""A block is good from a score of 0.5 on; `PostParams.almost` is the limit for almost good."""


def train_mlp(
    pages: Iterable[GoldPage],
    recipe: Recipe = RECIPES["tuned"],
    cut: CutParams = CUT,
    elements: tuple[str, ...] = (),
    progress: Progress = no_progress,
) -> Bundle:
    """Train a perceptron on annotated pages; equal pages and recipes give equal bytes.

    Raises `CrfcleanError` if the pages hold no block, or only one label.
    """
    examples, about = lessons_of(pages, elements, progress, MLP_FEATURES)
    return replace(fit_mlp(examples, recipe, cut, elements), **about)


def fit_mlp(
    examples: Sequence[Example],
    recipe: Recipe = RECIPES["tuned"],
    cut: CutParams = CUT,
    elements: tuple[str, ...] = (),
) -> Bundle:
    """Train a perceptron on examples with the columns `MLP_FEATURES`, as in `train_mlp`."""
    check_examples(examples)
    pages = [perceptron_page(example, recipe) for example in examples if len(example)]
    network = fit_network(INPUTS, pages, recipe.design, (recipe.seed,))
    count = len(MLP_FEATURES)
    encoder = Encoder(MLP_FEATURES, ((),) * count, (0,) * count, (NEIGHBOUR_STEPS,) * count)
    return Bundle(
        "mlp",
        encoder,
        scores_to_bytes(network),
        elements=elements,
        parameters=asdict(recipe),
        cut=asdict(cut),
    )


def perceptron_page(example: Example, recipe: Recipe) -> TrainingPage:
    """Return the perceptron's training data from an example; main headings have no weight."""
    weights = block_weights(example.frame.words, recipe.evenness) * example.informative
    good = (example.labels != Label.OTHER).astype(np.int32)
    return TrainingPage(with_neighbours(example.columns), good, weights)
