"""Adapt a model to corrected pages, and score it on pages that it was not adapted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from crfclean.modelfiles.folder import Bundle
from crfclean.taggers.load import open_bundle
from crfclean.taggers.pooling import PARAMETER
from crfclean.train.crf import Progress, fit, train
from crfclean.train.examples import make_example
from crfclean.train.params import TrainParams
from crfclean.tune.pages import TunedPage, folds_of, scores, sites_of
from crfclean.types import CrfcleanError, Tagger

WEIGHTS = (0.0, 0.25)
"""Weights of the base's network in the probabilities: none, or a third of that of the new CRF."""
FOLDS = 5
ERRORS, ERRORS_OF_A_SITE = 2.0, 0.5
"""Standard errors that a gain must exceed. Models adapted to pages of several sites lose on others,
where not all pages gain; of one site few pages hold what the default fails on, and it recurs."""


@dataclass(frozen=True)
class Adaptation:
    """F1 (0..1) of each page by models adapted to others, and the weight of the base's network."""

    f1: tuple[float, ...]
    weight: float


def adaptation(pages: Sequence[TunedPage], base: str, progress: Progress) -> Adaptation | None:
    """The best adaptation by held-out pages.

    None where the pages are too few or too alike, and for a base without networks.
    """
    folds, params = folds_of(pages, FOLDS), TrainParams(base=base)
    if len(set(folds)) < 2:
        return None
    examples = [make_example(page.gold) for page in pages]
    f1 = np.zeros((len(WEIGHTS), len(pages)))
    for fold in sorted(set(folds)):
        training = [example for example, of in zip(examples, folds, strict=True) if of != fold]
        try:
            bundle = fit(training, params)
        except CrfcleanError:  # a single label, say
            return None
        progress("model", 1)
        held_out = [index for index, of in enumerate(folds) if of == fold]
        for row, weight in enumerate(WEIGHTS):
            tagger = tagger_of(weighted(bundle, weight))
            f1[row, held_out] = scores([pages[index] for index in held_out], tagger)
    best = int(f1.mean(1).argmax())
    return Adaptation(tuple(f1[best].tolist()), WEIGHTS[best])


def errors_of(pages: Sequence[TunedPage]) -> float:
    """The standard errors that a gain on these pages must exceed."""
    return ERRORS_OF_A_SITE if len(sites_of(pages)) == 1 else ERRORS


def adapted(pages: Sequence[TunedPage], base: str, weight: float) -> Bundle:
    """The model of all pages; raises `CrfcleanError`."""
    bundle = train([page.gold for page in pages], TrainParams(base=base))
    return weighted(bundle, weight)


def weighted(bundle: Bundle, weight: float) -> Bundle:
    """The model with this weight of its network in the probabilities."""
    return replace(bundle, parameters={**bundle.parameters, PARAMETER: weight})


def tagger_of(bundle: Bundle) -> Tagger:
    """The tagger of a model that has no folder yet."""
    return open_bundle(Path("tuned"), bundle)
