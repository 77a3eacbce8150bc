"""Tune a model to a user's convention by a few corrected pages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from crfclean.evaluate.plurals import plural
from crfclean.gold.pages import GoldPage, read_gold
from crfclean.modelfiles.folder import Bundle, save_bundle
from crfclean.modelfiles.settings import Settings, is_settings, read_settings, write_settings
from crfclean.taggers.capabilities import Decides, HasModel, capability, need
from crfclean.taggers.load import load
from crfclean.train.crf import Progress, no_progress
from crfclean.tune.adapt import adaptation, adapted, pays, tagger_of
from crfclean.tune.pages import TunedPage, folds_of, read_pages, scores
from crfclean.tune.votes import chosen, verdicts
from crfclean.tune.words import f1_line, kind_lines
from crfclean.types import CrfcleanError, Tagger

TOLERANCE = 0.002  # of F1: what a convention may lose on held-out pages, for they are few
MODEL_ENDING = "-model"


@dataclass(frozen=True)
class Tuned:
    """What a few corrected pages ask for: settings, the tagger with them, and a model if it pays.

    `before` and `after` are mean F1 (0..1) on held-out pages, by default and tuned; `left_out`
    counts pages whose text is empty.
    """

    settings: Settings
    tagger: Tagger = field(repr=False)
    before: float = 0.0
    after: float = 0.0
    bundle: Bundle | None = field(default=None, repr=False)
    left_out: int = 0

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
    read = read_pages(golds, base)
    by_kinds = _by_kinds(read, base, _start(model))
    tuned = by_kinds[0]
    if adapts and not is_settings(model) and _has_network(base):
        tuned = _with_adaptation(read, by_kinds, model, progress)
    return replace(tuned, left_out=len(golds) - len(read))


def _start(model: str) -> Settings:
    """The settings that stand for a model: those of its file, or none but its name."""
    if is_settings(model):
        settings = read_settings(Path(model))
        return Settings(settings.model, settings.cut)
    return Settings(str(Path(model).resolve()) if Path(model).is_dir() else model)


def _has_network(tagger: Tagger) -> bool:
    has_model = capability(tagger, HasModel)
    return has_model is not None and has_model.bundle.network is not None


def _by_kinds(
    pages: Sequence[TunedPage], base: Tagger, start: Settings
) -> tuple[Tuned, list[float]]:
    """The model with the kinds that the pages agree on, and F1 of each page held out."""
    said = verdicts([page.votes for page in pages])
    before, held_out = [page.f1 for page in pages], _held_out(pages, base)
    applied = bool(np.mean(held_out) >= np.mean(before) - TOLERANCE)
    tagger, cut = _with_kinds(base, pages) if applied else (base, {})
    f1 = held_out if applied else before
    lines = (*_sameness(pages), *kind_lines(said, applied=applied))
    settings = replace(start, cut={**start.cut, **cut}, understood=lines)
    return _tuned(settings, tagger, before, f1), f1


def _sameness(pages: Sequence[TunedPage]) -> list[str]:
    """How many texts nobody has changed."""
    same = sum(page.is_same for page in pages)
    if same == len(pages):
        return ["all texts are as the default writes them: there is nothing to learn"]
    return [f"{same} of {plural(len(pages), 'text')} as the default writes them"] if same else []


def _tuned(
    settings: Settings, tagger: Tagger, before: Sequence[float], after: Sequence[float]
) -> Tuned:
    means = float(np.mean(before)), float(np.mean(after))
    f1 = {"default": round(means[0], 4), "tuned": round(means[1], 4)}
    lines = (*settings.understood, f1_line(*means, len(before)))
    return Tuned(replace(settings, understood=lines, f1=f1, pages=len(before)), tagger, *means)


def _with_kinds(
    base: Tagger, pages: Sequence[TunedPage]
) -> tuple[Tagger, dict[str, tuple[str, ...]]]:
    """The tagger with the kinds that pages agree on, and the words for them."""
    also, without = chosen(verdicts([page.votes for page in pages]))
    decides = need(base, Decides, "tune")
    changed = replace(decides.cut, also=also, without=without)
    return decides.with_cut(changed), {"also": also, "without": without}


def _held_out(pages: Sequence[TunedPage], base: Tagger) -> list[float]:
    """F1 of each page with the kinds that pages of the other folds agree on."""
    folds, f1 = folds_of(pages), [page.f1 for page in pages]
    for fold in sorted(set(folds)):
        others = [page for page, of in zip(pages, folds, strict=True) if of != fold]
        inside = [index for index, of in enumerate(folds) if of == fold]
        tagger, cut = _with_kinds(base, others)
        if any(cut.values()):
            values = scores([pages[index] for index in inside], tagger)
            for index, value in zip(inside, values, strict=True):
                f1[index] = value
    return f1


def _with_adaptation(
    pages: Sequence[TunedPage],
    by_kinds: tuple[Tuned, list[float]],
    model: str,
    progress: Progress,
) -> Tuned:
    """The adapted model if held-out pages show that it helps, else the kinds alone."""
    tuned, old = by_kinds
    if all(page.is_same for page in pages):
        return tuned
    new = adaptation(pages, model, progress)
    if new is None or not pays(new.f1, old):
        why = f"no adaptation: {plural(len(pages), 'page')} cannot tell that it helps"
        lines = (*tuned.settings.understood, why)
        return replace(tuned, settings=replace(tuned.settings, understood=lines))
    bundle = adapted(pages, model, new.weight)
    said = kind_lines(verdicts([page.votes for page in pages]), applied=True)
    lines = (*_sameness(pages), *said, "adapted: a model of its own, better on held-out pages")
    settings = Settings(model, {}, lines)
    before = [page.f1 for page in pages]
    return replace(_tuned(settings, tagger_of(bundle), before, new.f1), bundle=bundle)
