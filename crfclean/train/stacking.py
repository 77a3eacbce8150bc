"""`Example`s -> the `Network` of a first pass, and what its like say of pages new to them.

Stacked generalisation (Wolpert 1992): the CRF must learn from probabilities as wrong as those of
new pages, so each page's come from networks trained on the other folds' sites.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

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
    """A network of so many members, and out-of-fold probabilities (n, 3) of each example.

    Raises `CrfcleanError` for fewer than two pages with blocks.
    """
    filled = [place for place, one in enumerate(examples) if len(one)]
    if len(filled) < 2:
        raise CrfcleanError("networks need two pages with blocks to train on, or more")
    lessons = {place: first_pass_page(examples[place], params) for place in filled}
    folds = dict(zip(filled, _folds([examples[place].site for place in filled]), strict=True))

    def fitted(places: Sequence[int]) -> Network:
        learned = [lessons[place] for place in places]
        network = fit_network(tuple(FEATURES), learned, params.design, range(1, members + 1))
        progress("network", members)
        return network

    found: list[Floats] = [np.zeros((0, len(Label)))] * len(examples)
    for fold in sorted(set(folds.values())):
        network = fitted([place for place in filled if folds[place] != fold])
        for place in filled:
            if folds[place] == fold:
                found[place] = network(examples[place].columns)
    return fitted(filled), found


def first_pass_page(one: Example, params: NetworkParams) -> TrainingPage:
    """What the network learns of an example."""
    weights = block_weights(one.frame.words, params.evenness) * one.informative
    return TrainingPage(one.columns, one.labels, weights)


def _folds(sites: Sequence[str]) -> list[int]:
    """The fold of each page by its site; by its place where all sites fall into one fold."""
    folds = [fold_of("first pass of " + site, FOLDS) for site in sites]
    return folds if len(set(folds)) > 1 else [place % FOLDS for place in range(len(sites))]
