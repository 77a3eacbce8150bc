"""Annotated pages -> a `Bundle` with a multilayer perceptron: features, labels, training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

import numpy as np

from crfclean.features.texttractor import STEPS, TEXTTRACTOR, input_names, with_neighbours
from crfclean.gold.pages import GoldPage
from crfclean.modelfiles.binning import Encoder
from crfclean.modelfiles.folder import Bundle
from crfclean.nn.files import scores_to_bytes
from crfclean.nn.fit import TrainingPage, block_weights, fit_network
from crfclean.nn.params import RECIPES, Recipe
from crfclean.taggers.params import CutParams
from crfclean.train.crf import Progress, check_examples, no_progress
from crfclean.train.examples import Example, example
from crfclean.types import Label

MLP_FEATURES = tuple(TEXTTRACTOR)
INPUTS = input_names(MLP_FEATURES)
CUT = CutParams("threshold")
"""Good is a block from a score of 0.5 on; the other limit is `PostParams.almost`."""


def train_mlp(
    pages: Iterable[GoldPage],
    recipe: Recipe = RECIPES["tuned"],
    cut: CutParams = CUT,
    elements: tuple[str, ...] = (),
    progress: Progress = no_progress,
) -> Bundle:
    """Train a perceptron on annotated pages; equal pages and recipes give equal bytes.

    Raises `CrfcleanError` where the pages hold no block, or only one label.
    """
    examples, sets = [], Counter[str]()
    for gold in pages:
        examples.append(example(gold, elements, MLP_FEATURES))
        sets[gold.source] += 1
        progress("page", 1)
    told = [{"name": name, "pages": count} for name, count in sets.items()]
    return replace(fit_mlp(examples, recipe, cut, elements), sets=told)


def fit_mlp(
    examples: Sequence[Example],
    recipe: Recipe = RECIPES["tuned"],
    cut: CutParams = CUT,
    elements: tuple[str, ...] = (),
) -> Bundle:
    """Examples with the columns `MLP_FEATURES` -> a `Bundle`; see `train_mlp`."""
    check_examples(examples)
    lessons = [perceptron_page(one, recipe) for one in examples if len(one)]
    network = fit_network(INPUTS, lessons, recipe.design, (recipe.seed,))
    count = len(MLP_FEATURES)
    encoder = Encoder(MLP_FEATURES, ((),) * count, (0,) * count, (STEPS,) * count)
    return Bundle(
        "mlp",
        encoder,
        scores_to_bytes(network),
        elements=elements,
        parameters=asdict(recipe),
        cut=asdict(cut),
    )


def perceptron_page(one: Example, recipe: Recipe) -> TrainingPage:
    """What the network learns of an example; main headings, which sets treat differently, not."""
    weights = block_weights(one.frame.words, recipe.evenness) * one.informative
    good = (one.labels != Label.OTHER).astype(np.int32)
    return TrainingPage(with_neighbours(one.columns), good, weights)
