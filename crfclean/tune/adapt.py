"""Adapt a model to corrected pages, and score it on pages that it was not adapted to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from crfclean.modelfiles.folder import Bundle
from crfclean.taggers.load import open_bundle
from crfclean.taggers.pooling import PARAMETER
from crfclean.train.crf import Progress, fit, train
from crfclean.train.examples import make_example
from crfclean.train.params import TrainParams
from crfclean.tune.gains import pays
from crfclean.tune.pages import TunedPage, folds_of, scores, sites_of
from crfclean.types import CrfcleanError, Tagger

FOLDS = 5
ERRORS, ERRORS_OF_A_SITE = 1.0, 0.5
"""Standard errors that a gain must exceed: pages of one site are what the model is for, and few of
them hold what the default fails on."""


@dataclass(frozen=True, slots=True)
class Start:
    """What a model of corrected pages starts from: the networks of a base, or the pages alone.

    `weight` is that of the networks in the probabilities, beside the new CRF.
    """

    has_base: bool
    weight: float = 0.0


STARTS = (Start(True), Start(True, 0.25))
"""Models with a base, in the order in which they are tried."""
ALONE = Start(False)
"""A model of the pages alone: taken where it pays over those with a base."""


@dataclass(frozen=True)
class Adaptation:
    """F1 (0..1) of each page by models adapted to others, and what they start from."""

    f1: tuple[float, ...]
    start: Start


def adaptation(pages: Sequence[TunedPage], base: str, progress: Progress) -> Adaptation | None:
    """The best adaptation by held-out pages.

    None where the pages are too few or too alike, and for a base without networks.
    """
    folds = folds_of(pages, FOLDS)
    if len(set(folds)) < 2:
        return None
    try:
        f1 = _held_out(pages, folds, base, progress)
    except CrfcleanError:  # a single label, say
        return None
    best = max(STARTS, key=lambda start: f1[start].mean())
    if pays(f1[ALONE].tolist(), f1[best].tolist(), errors_of(pages)):
        best = ALONE
    return Adaptation(tuple(f1[best].tolist()), best)


def errors_of(pages: Sequence[TunedPage]) -> float:
    """The standard errors that a gain on these pages must exceed."""
    return ERRORS_OF_A_SITE if len(sites_of(pages)) == 1 else ERRORS


def _held_out(
    pages: Sequence[TunedPage], folds: Sequence[int], base: str, progress: Progress
) -> Mapping[Start, npt.NDArray[np.float64]]:
    """F1 of each page (pages,) by a model of the other folds, for each start."""
    examples = [make_example(page.gold) for page in pages]
    f1 = {start: np.zeros(len(pages)) for start in (*STARTS, ALONE)}
    for fold in sorted(set(folds)):
        training = [example for example, of in zip(examples, folds, strict=True) if of != fold]
        held_out = [index for index, of in enumerate(folds) if of == fold]
        bundles = {
            has_base: fit(training, TrainParams(base=base if has_base else ""))
            for has_base in (True, False)
        }
        progress("model", 1)
        for start, values in f1.items():
            tagger = tagger_of(weighted(bundles[start.has_base], start.weight))
            values[held_out] = scores([pages[index] for index in held_out], tagger)
    return f1


def adapted(pages: Sequence[TunedPage], base: str, start: Start) -> Bundle:
    """The model of all pages; raises `CrfcleanError`."""
    params = TrainParams(base=base if start.has_base else "")
    return weighted(train([page.gold for page in pages], params), start.weight)


def weighted(bundle: Bundle, weight: float) -> Bundle:
    """The model with this weight of its network in the probabilities."""
    return replace(bundle, parameters={**bundle.parameters, PARAMETER: weight})


def tagger_of(bundle: Bundle) -> Tagger:
    """The tagger of a model that has no folder yet."""
    return open_bundle(Path("tuned"), bundle)
