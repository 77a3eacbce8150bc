"""Adapt a model to corrected pages, and score it on pages that it was not adapted to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from crfclean.decision.params import CutParams
from crfclean.modelfiles.folder import Bundle
from crfclean.taggers.learned import PARAMETER
from crfclean.taggers.load import open_bundle
from crfclean.train.crf import fit, train
from crfclean.train.examples import Progress, make_example
from crfclean.train.params import TrainParams
from crfclean.tune.gains import pays
from crfclean.tune.pages import TunedPage, folds_of, scores, sites_of
from crfclean.types import CrfcleanError, Tagger

FOLDS = 5
ERRORS = 2.0
"""Standard errors that a gain must exceed on pages of several sites: what they teach of other
sites is less than what the base knows."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a model is adapted, and the gain for which that is worth a model of its own.

    `weight` is that of the base's network in the probabilities, beside a new CRF. With `is_alike`
    the decision is the base's, with the kinds that the pages agree on; without, nothing but the
    probabilities decides. A gain must exceed `margin` in F1 and, on pages of a single site, so
    many standard `errors`.
    """

    weight: float
    is_alike: bool
    margin: float
    errors: float


WAYS = (
    Way(0.25, is_alike=True, margin=0.005, errors=0.5),
    Way(0.0, is_alike=False, margin=0.01, errors=0.0),
)
"""The ways in the order in which they are tried, each against the best before it. The second is
for sites whose texts have what the convention leaves out: few of ten pages may show that, so that
its gain is large and its standard error, too."""


@dataclass(frozen=True)
class Adaptation:
    """F1 (0..1) of each page by models adapted to others, and the way that was taken."""

    f1: tuple[float, ...]
    way: Way


CutOf = Callable[[Sequence[TunedPage]], CutParams]
"""The decision of the base, with the kinds that pages agree on."""


def adaptation(
    pages: Sequence[TunedPage],
    base: str,
    old: Sequence[float],
    cut_of: CutOf,
    progress: Progress,
) -> Adaptation | None:
    """The adaptation that pays over F1 (0..1) of the pages without one, by pages held out.

    None where none pays, where pages are too few or too alike, and for a base without networks.
    """
    if len(set(folds_of(pages, FOLDS))) < 2:
        return None
    try:
        f1 = _held_out(pages, base, cut_of, progress)
    except CrfcleanError:  # a single label, say
        return None
    is_site, best = len(sites_of(pages)) == 1, None
    for way in WAYS:
        best_f1 = old if best is None else best.f1
        if pays(f1[way], best_f1, way.margin, way.errors if is_site else ERRORS):
            best = Adaptation(tuple(f1[way]), way)
    return best


def _held_out(
    pages: Sequence[TunedPage], base: str, cut_of: CutOf, progress: Progress
) -> Mapping[Way, list[float]]:
    """F1 of each page by models of the other folds, for each way."""
    folds, params = folds_of(pages, FOLDS), TrainParams(base=base)
    examples = [make_example(page.gold) for page in pages]
    f1 = {way: [0.0] * len(pages) for way in WAYS}
    for fold in sorted(set(folds)):
        others = [index for index, of in enumerate(folds) if of != fold]
        inside = [index for index, of in enumerate(folds) if of == fold]
        bundle = fit([examples[index] for index in others], params)
        cut = cut_of([pages[index] for index in others])
        progress("model", 1)
        for way, values in f1.items():
            tagger = tagger_of(in_way(bundle, way, cut))
            for index, value in zip(
                inside, scores([pages[index] for index in inside], tagger), strict=True
            ):
                values[index] = value
    return f1


def adapted(pages: Sequence[TunedPage], base: str, way: Way, cut: CutParams) -> Bundle:
    """The model of all pages; raises `CrfcleanError`."""
    bundle = train([page.gold for page in pages], TrainParams(base=base))
    return in_way(bundle, way, cut)


def in_way(bundle: Bundle, way: Way, cut: CutParams) -> Bundle:
    """The model with a way's weight, and with this decision if the way takes it."""
    weighted = replace(bundle, parameters={**bundle.parameters, PARAMETER: way.weight})
    return replace(weighted, cut=asdict(cut)) if way.is_alike else weighted


def tagger_of(bundle: Bundle) -> Tagger:
    """The tagger of a model that has no folder yet."""
    return open_bundle(Path("tuned"), bundle)
