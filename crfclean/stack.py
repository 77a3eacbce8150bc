"""`Example`s -> the `Network` of a first pass, and what it says of pages it has not learned from.

Stacked generalisation (Wolpert 1992): the CRF must learn from probabilities as wrong as those of
new pages, so each page's come from networks trained on the other folds' sites.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from crfclean.backprop import Lesson, NetworkParams, block_weights, fit_network
from crfclean.examples import Example, fold_of
from crfclean.features import FEATURES
from crfclean.network import Network
from crfclean.types import Floats

FOLDS = 4


def first_passes(
    examples: Sequence[Example],
    members: int,
    params: NetworkParams,
    progress: Callable[[str, int], None],
) -> tuple[Network, list[Floats]]:
    """A network of so many members, and out-of-fold probabilities (n, 3) of each example."""
    lessons = [lesson(one, params) for one in examples]
    folds = _folds(examples)
    names, seeds = tuple(FEATURES), tuple(range(1, members + 1))
    found = [np.zeros((0, 3))] * len(examples)
    for fold in sorted(set(folds)):
        others = [one for one, own in zip(lessons, folds, strict=True) if own != fold]
        network = fit_network(names, [one for one in others if len(one.labels)], params, seeds)
        progress("network", members)
        for place, own in enumerate(folds):
            if own == fold:
                found[place] = network(examples[place].columns)
    whole = fit_network(names, [one for one in lessons if len(one.labels)], params, seeds)
    progress("network", members)
    return whole, found


def lesson(one: Example, params: NetworkParams) -> Lesson:
    """What the network learns of an example."""
    weights = block_weights(one.frame.words, params.evenness) * one.told
    return Lesson(one.columns, one.labels, weights)


def _folds(examples: Sequence[Example]) -> list[int]:
    """The fold of each example by its site; by its place where there are too few sites."""
    folds = [fold_of("first pass of " + one.site, FOLDS) for one in examples]
    filled = {fold for fold, one in zip(folds, examples, strict=True) if len(one)}
    return folds if len(filled) > 1 else [place % FOLDS for place in range(len(examples))]
