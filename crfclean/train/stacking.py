"""Stacking: the network of a first pass, its out-of-fold probabilities, and a second network.

Stacked generalisation (Wolpert 1992): the CRF and the second pass must learn from probabilities
that are as unreliable as those of new pages, so each page's come from networks trained on the other
folds' sites.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from crfclean.features.columns import joined_inputs
from crfclean.features.first_pass import FIRST_PASS_NAMES
from crfclean.features.table import FEATURES
from crfclean.nn.fit import TrainingPage, block_weights, fit_network
from crfclean.nn.mlp import Network
from crfclean.nn.network_params import NetworkParams
from crfclean.train.examples import Example, fold_of
from crfclean.types import CrfcleanError, Floats, Label

FOLDS = 4


def first_passes(
    examples: Sequence[Example],
    members: int,
    params: NetworkParams,
    progress: Callable[[str, int], None],
) -> tuple[Network, list[Floats]]:
    """A network of `members` members, and out-of-fold probabilities (n, 3) of each example.

    Raises `CrfcleanError` for fewer than two pages with blocks.
    """
    filled = [index for index, example in enumerate(examples) if len(example)]
    if len(filled) < 2:
        raise CrfcleanError("networks need two pages with blocks to train on, or more")
    pages = {index: first_pass_page(examples[index], params) for index in filled}
    folds = dict(zip(filled, _folds([examples[index].site for index in filled]), strict=True))

    def fit_pages(indices: Sequence[int]) -> Network:
        training = [pages[index] for index in indices]
        network = fit_network(tuple(FEATURES), training, params.design, range(1, members + 1))
        progress("network", members)
        return network

    marginals: list[Floats] = [np.zeros((0, len(Label)))] * len(examples)
    for fold in sorted(set(folds.values())):
        network = fit_pages([index for index in filled if folds[index] != fold])
        for index in filled:
            if folds[index] == fold:
                marginals[index] = network(examples[index].columns)
    return fit_pages(filled), marginals


def second_network(
    examples: Sequence[Example],
    columns: Sequence[Floats],
    members: int,
    params: NetworkParams,
    progress: Callable[[str, int], None],
) -> Network:
    """A network over the table and first-pass columns (n, m) of examples, of `members` members."""
    pages = [
        replace(first_pass_page(example, params), columns=joined_inputs(example.columns, first))
        for example, first in zip(examples, columns, strict=True)
        if len(example)
    ]
    names = (*FEATURES, *FIRST_PASS_NAMES)
    network = fit_network(names, pages, params.design, range(1, members + 1))
    progress("network", members)
    return network


def first_pass_page(example: Example, params: NetworkParams) -> TrainingPage:
    """What the network learns from an example."""
    weights = block_weights(example.frame.words, params.evenness) * example.informative
    return TrainingPage(example.columns, example.labels, weights)


def _folds(sites: Sequence[str]) -> list[int]:
    """The fold of each page by its site, or by its index if all sites fall into one fold."""
    folds = [fold_of("first pass of " + site, FOLDS) for site in sites]
    return folds if len(set(folds)) > 1 else [index % FOLDS for index in range(len(sites))]
