"""Tune a model to a user's convention, and to a site, by a few corrected pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from crfclean.decision.rules import Names
from crfclean.model.folder import (
    Settings,
    is_settings,
    is_shipped_name,
    is_unedited,
    read_settings,
    write_settings,
)
from crfclean.page.chars import plural
from crfclean.pipeline import run
from crfclean.systems.load import Decides, load, need
from crfclean.teach.gold import GoldPage, gold_labels, read_gold
from crfclean.teach.tune import (
    Lesson,
    TunedPage,
    f1_line,
    folds_of,
    gains,
    kind_lines,
    layouts_of,
    learn,
    lesson,
    names_line,
    pays,
    read_pages,
    scores,
    sites_of,
    supported,
    unused_line,
    verdicts,
)
from crfclean.types import CrfcleanError, Kind, Tagger

__all__ = ["Tuned", "tune"]

FOLDS = 5
ERRORS_OF_SITE, ERRORS = 0.5, 2.0
"""Standard errors that the gain by names must exceed, on pages of one site and of several sites.
Several sites teach less about other sites than the model knows."""


@dataclass(frozen=True)
class Tuned:
    """Settings learned from a few corrected pages, and the tagger with them.

    `kinds` are kept (True) or dropped (False) beside the default. `pages` have their scores by
    default, `held_out` are those (0..1) of the tuned model without the page. `left_out` counts
    pages whose text is empty, `others` those of another layout than most of their site.
    """

    settings: Settings
    tagger: Tagger = field(repr=False)
    kinds: Mapping[Kind, bool] = field(default_factory=dict)
    pages: tuple[TunedPage, ...] = field(default=(), repr=False)
    held_out: tuple[float, ...] = ()
    left_out: int = 0
    others: int = 0

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
        """Say in words what was learned from the pages, a line each."""
        return self.settings.understood

    def save(self, path: Path) -> None:
        """Write the settings; raises `CrfcleanError`."""
        check_output(path)
        write_settings(path, self.settings)


def check_output(path: Path) -> None:
    """Raise `CrfcleanError` for a name that is not one of settings, and for what was edited."""
    if not is_settings(path):
        raise CrfcleanError(f"{path}: settings are a file that ends in .json")
    if path.exists() and not is_unedited(path):
        raise CrfcleanError(
            f"{path}: was edited, or tune did not write it: name another file, or remove it"
        )


def tune(
    pages: Path | Iterable[GoldPage],
    model: str | Path = "default",
    *,
    texts: Path | None = None,
) -> Tuned:
    """Tune a model to corrected pages: a directory or file as `train` reads, or annotated pages.

    `texts` is the directory of the texts, if it is not that of the pages.
    A kind of blocks that the texts agree on is kept or dropped, and names around blocks get
    weights, if that is better on held-out pages.
    Raises `CrfcleanError` for fewer than two pages, and for a text that is not of its page.
    """
    golds = read_gold(pages, texts=texts) if isinstance(pages, Path) else pages
    return tune_tagger(list(golds), load(model), _start(model))


def tune_tagger(golds: Sequence[GoldPage], base: Tagger, start: Settings = Settings()) -> Tuned:
    """Tune a tagger to annotated pages, as in `tune`; `start` are the settings of the tagger.

    Names are learned anew.
    """
    base = _with_names(base, ())
    start = replace(start, cut={name: of for name, of in start.cut.items() if name != "names"})
    every = read_pages(golds, base)
    layouts = layouts_of(
        [page.site for page in every],
        [page.places for page in every],
        [page.gold.id for page in every],
    )
    read = tuple(page for number, page in enumerate(every) if number not in layouts.others)
    untuned = Tuned(start, base, pages=read, held_out=tuple(page.f1 for page in read))
    tuned = _by_names(_by_kinds(untuned), _changed(untuned, {}, untuned.held_out))
    understood = (*layouts.lines, *tuned.understood)
    return replace(
        tuned,
        settings=replace(tuned.settings, understood=understood),
        left_out=len(golds) - len(every),
        others=len(layouts.others),
    )


def _start(model: str | Path) -> Settings:
    """Return the settings of a model: those of its file, or only its name."""
    if is_settings(model):
        return read_settings(Path(model))
    return Settings(model if is_shipped_name(model) else Path(model).resolve())


def _by_kinds(untuned: Tuned) -> Tuned:
    """Keep or drop the kinds that pages agree on and that gain on held-out pages.

    Each kind is tried alone. The best ones come first; the others must gain in addition.
    """
    pages, base = untuned.pages, untuned.tagger
    sides = {
        kind: of_kind.is_in
        for kind, of_kind in verdicts(pages).items()
        if of_kind.is_in is not None and not of_kind.is_default
    }
    alone = {kind: _kinds_held_out(pages, base, {kind: is_in}) for kind, is_in in sides.items()}
    kinds: dict[Kind, bool] = {}
    f1, unused = list(untuned.held_out), []
    for kind in sorted(alone, key=lambda kind: -np.mean(alone[kind])):
        more = {**kinds, kind: sides[kind]}
        new = _kinds_held_out(pages, base, more) if kinds else alone[kind]
        if gains(new, f1):
            kinds, f1 = more, new
        else:
            unused.append(unused_line(kind, f1, new, is_in=sides[kind]))
    return _changed(untuned, kinds, f1, unused)


def _changed(
    untuned: Tuned, kinds: Mapping[Kind, bool], f1: Sequence[float], notes: Sequence[str] = ()
) -> Tuned:
    """Keep and drop kinds, with F1 of held-out pages by them, and say so in words."""
    pages, settings, tagger = untuned.pages, untuned.settings, untuned.tagger
    lines = (*_sameness(pages), *kind_lines(verdicts(pages), kinds), *notes)
    settings = replace(settings, understood=lines)
    if kinds:
        tagger = _with_kinds(tagger, kinds)
        cut = need(tagger, Decides, "tune").cut
        changed = {**settings.cut, "also": cut.also, "without": cut.without}
        settings = replace(settings, cut=changed)
    return _noted(Tuned(settings, tagger, kinds, pages, tuple(f1)))


def _sameness(pages: Sequence[TunedPage]) -> Iterator[str]:
    same = sum(page.is_same for page in pages)
    if same == len(pages):
        yield "all texts are as clean writes them, so there is nothing to learn"
    elif same:
        yield f"{same} of {plural(len(pages), 'text')} are as clean writes them"


def _noted(tuned: Tuned) -> Tuned:
    f1 = {"default": round(tuned.before, 4), "tuned": round(tuned.after, 4)}
    count, settings = len(tuned.pages), tuned.settings
    lines = (*settings.understood, f1_line(tuned.before, tuned.after, count))
    return replace(tuned, settings=replace(settings, understood=lines, f1=f1, pages=count))


def _with_kinds(base: Tagger, kinds: Mapping[Kind, bool]) -> Tagger:
    """Return the tagger that also keeps (True) or drops (False) some kinds."""
    decides = need(base, Decides, "tune")
    cut, words = decides.cut, {kind.name.lower(): kinds[kind] for kind in sorted(kinds)}
    also = [word for word in cut.also if word not in words]
    without = [word for word in cut.without if word not in words]
    for word, is_in in words.items():
        (also if is_in else without).append(word)
    return decides.with_cut(replace(cut, also=tuple(also), without=tuple(without)))


def _held_out(
    pages: Sequence[TunedPage], folds: Sequence[int], learned: Callable[[list[TunedPage]], Tagger]
) -> list[float]:
    """Compute F1 (0..1) of each page by a tagger that is learned from other folds."""
    f1 = [0.0] * len(pages)
    for fold in sorted(set(folds)):
        tagger = learned([page for page, of in zip(pages, folds, strict=True) if of != fold])
        inside = [index for index, of in enumerate(folds) if of == fold]
        values = scores([pages[index] for index in inside], tagger)
        for index, value in zip(inside, values, strict=True):
            f1[index] = value
    return f1


def _kinds_held_out(
    pages: Sequence[TunedPage], base: Tagger, kinds: Mapping[Kind, bool]
) -> list[float]:
    return _held_out(
        pages, folds_of(pages), lambda others: _with_kinds(base, supported(kinds, others))
    )


def _by_names(tuned: Tuned, untuned: Tuned) -> Tuned:
    """Add weights of names to the model, tuned or not, if they help on held-out pages."""
    pages = tuned.pages
    if all(page.is_same for page in pages):
        return tuned
    starts = (tuned, untuned) if tuned.kinds else (tuned,)
    tried = [(_named_held_out(start, untuned.tagger), start) for start in starts]
    f1, start = max(tried, key=lambda each: np.mean(each[0]))
    errors = ERRORS_OF_SITE if len(sites_of(pages)) == 1 else ERRORS
    names: Names = ()
    if pays(f1, tuned.held_out, errors):
        names = learn([_lesson(page, start.tagger) for page in pages])
    if not names:
        settings = tuned.settings
        why = f"names of elements: unused ({plural(len(pages), 'page')} do not show that they help)"
        return replace(tuned, settings=replace(settings, understood=(*settings.understood, why)))
    lines = (*start.settings.understood[:-1], *names_line(names))
    cut = {**start.settings.cut, "names": names}
    settings = replace(start.settings, cut=cut, understood=lines)
    tagger = _with_names(start.tagger, names)
    return _noted(replace(start, settings=settings, tagger=tagger, held_out=tuple(f1)))


def _named_held_out(tuned: Tuned, base: Tagger) -> list[float]:
    def learned(others: list[TunedPage]) -> Tagger:
        tagger = _with_kinds(base, supported(tuned.kinds, others))
        return _with_names(tagger, learn([_lesson(page, tagger) for page in others]))

    return _held_out(tuned.pages, folds_of(tuned.pages, FOLDS), learned)


def _with_names(tagger: Tagger, names: Names) -> Tagger:
    decides = need(tagger, Decides, "tune")
    return decides.with_cut(replace(decides.cut, names=names))


def _lesson(page: TunedPage, tagger: Tagger) -> Lesson:
    document = run(page.gold.page, tagger)
    return lesson(document.blocks, document.tags, *gold_labels(page.gold, document.blocks))
