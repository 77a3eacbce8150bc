"""Tune a tagger by names, if that is better on held-out pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from crfclean.decision.rules import Names
from crfclean.model.folder import is_shipped_name
from crfclean.model.settings import (
    Settings,
    is_settings,
    is_unedited,
    read_settings,
    write_settings,
)
from crfclean.page.chars import plural
from crfclean.pipeline import run
from crfclean.products.teach.corrected import (
    TunedPage,
    counted_text,
    f1_of,
    folds_of,
    tuned_pages,
)
from crfclean.products.teach.gold import (
    GoldPage,
    read_gold,
)
from crfclean.products.teach.lesson import CONVENTION_KINDS, L1, Lesson, learn
from crfclean.systems.capabilities import Decides, need
from crfclean.systems.load import load
from crfclean.types import CrfcleanError, Tagger

__all__ = ["Tuned", "tune"]

# tune a tagger by names, if that is better on held-out pages

ERRORS = 0.5
"""Standard errors that the gain in F1 by names must exceed."""
_SHOWN = 6  # names on a line
_LEAST_TOLD = 0.1  # a smaller weight changes hardly any block


@dataclass(frozen=True)
class Tuned:
    """Settings learned from a few corrected pages, and the tagger with them.

    The F1 in the settings is that of the pages by default, and of the tuned model without the page.
    `left_out` counts pages whose text is empty.
    """

    settings: Settings
    tagger: Tagger = field(repr=False)
    left_out: int = 0

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
    Kinds of blocks, and names around the blocks of a site, get weights, if that is better on
    held-out pages.
    Raises `CrfcleanError` for fewer than two pages, and for a text that is not of its page.
    """
    golds = read_gold(pages, texts=texts) if isinstance(pages, Path) else pages
    return tune_tagger(list(golds), load(model), _start(model))


def _start(model: str | Path) -> Settings:
    """Return the settings of a model: those of its file, or only its name."""
    if is_settings(model):
        return read_settings(Path(model))
    return Settings(model if is_shipped_name(model) else Path(model).resolve())


def tune_tagger(golds: Sequence[GoldPage], base: Tagger, start: Settings = Settings()) -> Tuned:
    """Tune a tagger to annotated pages, as in `tune`; `start` are the settings of the tagger.

    Names are learned anew. Pages of several sites teach kinds alone.
    """
    base = with_names(base, ())
    pages = tuned_pages(golds, base)
    names, f1 = _learned(pages, base)
    cut = {name: value for name, value in start.cut.items() if name != "names"}
    default, tuned = np.mean([page.f1 for page in pages]), np.mean(f1)
    settings = replace(
        start,
        cut=cut | ({"names": names} if names else {}),
        understood=tuple(_understood(pages, names, float(default), float(tuned))),
        f1={"default": round(float(default), 4), "tuned": round(float(tuned), 4)},
        pages=len(pages),
    )
    return Tuned(settings, with_names(base, names), len(golds) - len(pages))


def _learned(pages: Sequence[TunedPage], base: Tagger) -> tuple[Names, list[float]]:
    """Return the names that help most on held-out pages, () for none, and F1 of these pages."""
    lessons = [page.lesson for page in pages]
    kinds = [
        each._replace(names=[names & CONVENTION_KINDS for names in each.names]) for each in lessons
    ]
    ways = [(kinds, 0.0), (kinds, L1)]  # names of kinds alone, in which conventions differ
    if len({page.site for page in pages}) == 1:
        ways.insert(0, (lessons, L1))
    default = [page.f1 for page in pages]
    names, f1 = Names(), default
    for taught, penalty in ways:
        learned, tried = learn(taught, penalty), held_out_f1(pages, taught, base, penalty)
        if learned and pays(tried, default) and np.mean(tried) > np.mean(f1):
            names, f1 = learned, tried
    return names, f1


def with_names(tagger: Tagger, names: Names) -> Tagger:
    """Return the tagger with these weights of names in place of its own."""
    decides = need(tagger, Decides, "tune")
    return decides.with_cut(replace(decides.cut, names=names))


def held_out_f1(
    pages: Sequence[TunedPage], lessons: Sequence[Lesson], base: Tagger, penalty: float
) -> list[float]:
    """Compute F1 (0..1) of each page's text by the names of other folds, as in `learn`."""
    folds, taggers = folds_of(pages), dict[int, Tagger]()
    for fold in sorted(set(folds)):
        others = [each for each, of in zip(lessons, folds, strict=True) if of != fold]
        taggers[fold] = with_names(base, learn(others, penalty))
    golds = [page.gold for page in pages]
    texts = (
        counted_text(run(gold.page, taggers[fold]), gold)
        for gold, fold in zip(golds, folds, strict=True)
    )
    return list(map(f1_of, texts, golds))


def pays(new: Sequence[float], old: Sequence[float]) -> bool:
    """Return whether the mean F1 gain on two or more held-out pages exceeds `ERRORS`.

    >>> pays([0.9, 0.9, 0.9], [0.7, 0.8, 0.9]), pays([0.9, 0.3, 0.9], [0.7, 0.6, 0.6])
    (True, False)
    """
    gains = np.subtract(new, old)
    error = gains.std(ddof=1) / np.sqrt(len(gains)) if len(gains) > 1 else np.inf
    return bool(gains.mean() > max(0.0, ERRORS * error))


# say in words what was learned


def _understood(
    pages: Sequence[TunedPage], names: Names, default: float, tuned: float
) -> Iterator[str]:
    same, count = sum(page.is_same for page in pages), len(pages)
    if same == count:
        yield "all texts are as clean writes them, so there is nothing to learn"
        return
    if same:
        yield f"{same} of {plural(count, 'text')} are as clean writes them"
    yield from names_line(names)
    if not names:
        yield f"nothing learned: {plural(count, 'page')} do not show that anything helps"
    f1 = f"{default:.3f} by default, {tuned:.3f} tuned"
    yield f"F1 on {plural(count, 'held-out page')}: {f1}"


def names_line(names: Names) -> Iterator[str]:
    """Yield the weightiest kinds and names on each side.

    >>> list(names_line(((":title", -4.0), (".score", -2.0), ("#text", 1.5), (".tags", -3.0))))
    ['kinds out: title', 'names in: #text', 'names out: .tags, .score']
    """
    for what, is_kind in (("kinds", True), ("names", False)):
        for side, sign in (("in", 1.0), ("out", -1.0)):
            weights = ((-sign * weight, name) for name, weight in names)
            of_side = sorted(pair for pair in weights if pair[0] < -_LEAST_TOLD)
            heavy = [name.lstrip(":") for _, name in of_side if name.startswith(":") == is_kind]
            more = f" and {len(heavy) - _SHOWN} more" if len(heavy) > _SHOWN else ""
            if heavy:
                yield f"{what} {side}: {', '.join(heavy[:_SHOWN])}{more}"
