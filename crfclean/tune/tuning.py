"""Tune a model to a user's convention by a few corrected pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np

from crfclean.decision.rules import CutParams
from crfclean.evaluate.plurals import plural
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.modelfiles.folder import Bundle, save_bundle
from crfclean.modelfiles.settings import Settings, is_settings, read_settings, write_settings
from crfclean.taggers.capabilities import Decides, HasModel, capability, need
from crfclean.taggers.learned import PARAMETER
from crfclean.taggers.load import load, open_bundle
from crfclean.train.crf import fit, train
from crfclean.train.examples import Progress, make_example, no_progress
from crfclean.train.params import TrainParams
from crfclean.tune.pages import (
    TunedPage,
    Verdict,
    adaptation_line,
    chosen,
    f1_line,
    folds_of,
    holds,
    kind_lines,
    pays,
    read_pages,
    scores,
    sites_of,
    undecided,
    verdicts,
)
from crfclean.types import CrfcleanError, Kind, Tagger

# adapt a model to corrected pages, and score it on pages that it was not adapted to

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
        f1 = _adapt_held_out(pages, base, cut_of, progress)
    except CrfcleanError:  # a single label, say
        return None
    is_site, best = len(sites_of(pages)) == 1, None
    for way in WAYS:
        best_f1 = old if best is None else best.f1
        if pays(f1[way], best_f1, way.margin, way.errors if is_site else ERRORS):
            best = Adaptation(tuple(f1[way]), way)
    return best


def _adapt_held_out(
    pages: Sequence[TunedPage], base: str, cut_of: CutOf, progress: Progress
) -> Mapping[Way, list[float]]:
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


MODEL_ENDING = "-model"


@dataclass(frozen=True)
class Tuned:
    """What a few corrected pages ask for: settings, the tagger with them, and a model if it pays.

    `pages` have their scores by default, `held_out` are those (0..1) of the tuned model without
    the page; `kinds` are what the pages say of each kind, undecided where it is not applied.
    `left_out` counts pages whose text is empty.
    """

    settings: Settings
    tagger: Tagger = field(repr=False)
    pages: tuple[TunedPage, ...] = field(default=(), repr=False)
    held_out: tuple[float, ...] = ()
    kinds: Mapping[Kind, Verdict] = field(default_factory=dict)
    bundle: Bundle | None = field(default=None, repr=False)
    left_out: int = 0

    @property
    def before(self) -> float:
        """Mean F1 (0..1) of the pages by default."""
        return float(np.mean([page.f1 for page in self.pages]))

    @property
    def after(self) -> float:
        """Mean F1 (0..1) of the pages, each held out."""
        return float(np.mean(self.held_out))

    @property
    def understood(self) -> tuple[str, ...]:
        """What the pages say, in words, a line each."""
        return self.settings.understood

    def save(self, path: Path) -> None:
        """Write the settings, and the adapted model in a folder beside; raises `CrfcleanError`."""
        check_output(path)
        settings = self.settings
        if self.bundle is not None:
            folder = path.with_name(path.stem + MODEL_ENDING)
            save_bundle(self.bundle, folder)
            settings = replace(settings, model=folder.name)
        write_settings(path, settings)


def check_output(path: Path) -> None:
    """Raise `CrfcleanError` for a file whose name is not that of settings."""
    if not is_settings(path):
        raise CrfcleanError(f"{path}: settings are a file that ends in .json")


def tune(
    pages: Path | Iterable[GoldPage],
    model: str = "default",
    *,
    texts: Path | None = None,
    adapts: bool = True,
    progress: Progress = no_progress,
) -> Tuned:
    """Tune a model to corrected pages: a directory or file as `train` reads, or annotated pages.

    `texts` is the directory of the texts, if they do not stand beside the pages.
    The kinds of blocks that their texts agree on are let in or left out. A model adapted to the
    pages takes the place of that where it is better on pages held out, and `adapts` allows it.
    Raises `CrfcleanError` for fewer than two pages, and for a text that is not of its page.
    """
    base = load(model)
    golds = list(read_gold(pages, texts=texts) if isinstance(pages, Path) else pages)
    read = tuple(read_pages(golds, base))
    tuned = _by_kinds(read, base, _start(model))
    has_model = capability(base, HasModel)
    has_network = has_model is not None and has_model.bundle.network is not None
    if adapts and not is_settings(model) and has_network:
        tuned = _with_adaptation(tuned, base, model, progress)
    return replace(tuned, left_out=len(golds) - len(read))


def _start(model: str) -> Settings:
    """The settings that stand for a model: those of its file, or none but its name."""
    if is_settings(model):
        return read_settings(Path(model))
    return Settings(str(Path(model).resolve()) if Path(model).is_dir() else model)


def _by_kinds(pages: tuple[TunedPage, ...], base: Tagger, start: Settings) -> Tuned:
    """The model with the kinds that the pages agree on, if pages held out do not lose by them."""
    of_kinds = verdicts([page.votes for page in pages])
    before, f1 = [page.f1 for page in pages], _held_out(pages, base)
    if holds(f1, before):
        tagger, cut = _with_kinds(base, of_kinds)
    else:
        of_kinds, f1, tagger, cut = undecided(of_kinds), before, base, {}
    lines = (*_sameness(pages), *kind_lines(of_kinds))
    settings = replace(start, cut={**start.cut, **cut}, understood=lines)
    return _noted(Tuned(settings, tagger, pages, tuple(f1), of_kinds))


def _sameness(pages: Sequence[TunedPage]) -> list[str]:
    same = sum(page.is_same for page in pages)
    if same == len(pages):
        return ["all texts are as the default writes them: there is nothing to learn"]
    return [f"{same} of {plural(len(pages), 'text')} as the default writes them"] if same else []


def _noted(tuned: Tuned) -> Tuned:
    f1 = {"default": round(tuned.before, 4), "tuned": round(tuned.after, 4)}
    count, settings = len(tuned.pages), tuned.settings
    lines = (*settings.understood, f1_line(tuned.before, tuned.after, count))
    return replace(tuned, settings=replace(settings, understood=lines, f1=f1, pages=count))


def _with_kinds(
    base: Tagger, of_kinds: Mapping[Kind, Verdict]
) -> tuple[Tagger, dict[str, tuple[str, ...]]]:
    """The tagger with the kinds that pages agree on, and the words for them."""
    also, without = chosen(of_kinds)
    decides = need(base, Decides, "tune")
    changed = replace(decides.cut, also=also, without=without)
    return decides.with_cut(changed), {"also": also, "without": without}


def _held_out(pages: Sequence[TunedPage], base: Tagger) -> list[float]:
    folds, f1 = folds_of(pages), [page.f1 for page in pages]
    for fold in sorted(set(folds)):
        others = [page.votes for page, of in zip(pages, folds, strict=True) if of != fold]
        inside = [index for index, of in enumerate(folds) if of == fold]
        tagger, cut = _with_kinds(base, verdicts(others))
        if any(cut.values()):
            values = scores([pages[index] for index in inside], tagger)
            for index, value in zip(inside, values, strict=True):
                f1[index] = value
    return f1


def _with_adaptation(tuned: Tuned, base: Tagger, model: str, progress: Progress) -> Tuned:
    """The adapted model if held-out pages show that it helps, else the kinds alone."""
    pages = tuned.pages
    if all(page.is_same for page in pages):
        return tuned

    def cut_of(others: Sequence[TunedPage]) -> CutParams:
        """The decision with the kinds of some pages, if kinds are chosen at all."""
        of_kinds = verdicts([page.votes for page in others]) if tuned.settings.cut else {}
        return need(_with_kinds(base, of_kinds)[0], Decides, "tune").cut

    new = adaptation(pages, model, tuned.held_out, cut_of, progress)
    if new is None:
        why = f"no adaptation: {plural(len(pages), 'page')} cannot tell that it helps"
        lines = (*tuned.settings.understood, why)
        return replace(tuned, settings=replace(tuned.settings, understood=lines))
    bundle = adapted(pages, model, new.way, cut_of(pages))
    of_kinds = tuned.kinds if new.way.is_alike else undecided(tuned.kinds)
    lines = (*_sameness(pages), *kind_lines(of_kinds), adaptation_line(is_alike=new.way.is_alike))
    settings = Settings(model, {}, lines)
    return _noted(Tuned(settings, tagger_of(bundle), pages, new.f1, of_kinds, bundle))
