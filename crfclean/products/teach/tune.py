"""Learn from a few corrected pages what belongs to the texts of a user, or of a site."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crfclean.decision.choosing import log_odds
from crfclean.decision.evidence import Evidence
from crfclean.decision.names import MAX_LOG_ODDS, block_names
from crfclean.decision.places import is_one_site
from crfclean.decision.rules import Names
from crfclean.document.formats import write
from crfclean.metadata.address import stated_address
from crfclean.model.folder import (
    Settings,
    is_settings,
    is_shipped_name,
    is_unedited,
    read_settings,
    write_settings,
)
from crfclean.page.align import tokens
from crfclean.page.chars import plural
from crfclean.page.head import host
from crfclean.pipeline import run
from crfclean.products.teach.gold import (
    MIN_ON_PAGE,
    GoldPage,
    gold_labels,
    read_gold,
    share_on_page,
)
from crfclean.products.teach.metrics import word_scores
from crfclean.systems.load import Decides, load, need
from crfclean.types import Blocks, Bools, CrfcleanError, Floats, Ints, Kind, Label, Tagger, Tags

__all__ = ["Tuned", "tune"]

# learn from labelled pages which names of blocks tell their texts
#
# The kind of a block is a name that all pages share. The other names, those of its place and its
# text, are of one site. A logistic regression adds to the log-odds of the decision.
# Its L1 penalty (Tibshirani 1996) leaves most names without a weight, so that only names of several
# blocks count. Blocks without a weighted name are decided as before.

L1, _L2 = 1.0, 0.1  # of 0.25, 0.5, 1 and 2 the first on 27 hosts (eval/FINDINGS.md)
_NAMED_PAGES = 2  # with a name that may get a weight
_MOST = 1000  # names with different blocks: ten pages have a few hundred
_SWEEPS, _CLOSE = 500, 1e-3  # most sweeps; the largest change of a weight that ends them


_KINDS = frozenset(
    f":{kind.name.lower()}"
    for kind in (
        *(Kind.TITLE, Kind.LEAD, Kind.HEADING, Kind.LIST, Kind.TABLE),
        *(Kind.CODE, Kind.QUOTE, Kind.CAPTION, Kind.BYLINE, Kind.COMMENT),
    )
)
"""Names of the kinds that conventions differ in."""


class Lesson(NamedTuple):
    """Training data from a page: names of its n blocks, log-odds, text mask, weights, (n,)."""

    names: Sequence[frozenset[str]]
    odds: Floats
    is_text: Bools
    weights: Floats


def lesson(blocks: Blocks, tags: Tags, labels: Ints, counts: Bools) -> Lesson:
    """Pair the gold labels (n,) of a page's blocks that count with their names and log-odds."""
    evidence, probability = Evidence(blocks), tags.probabilities[counts]
    odds = np.clip(log_odds(probability), -MAX_LOG_ODDS, MAX_LOG_ODDS)
    texts = list(compress(blocks.texts, counts))
    is_text = likeliest_copies(texts, labels[counts] != Label.OTHER, probability)
    names = list(compress(block_names(evidence), counts))
    return Lesson(names, odds, is_text, np.log1p(evidence.words[counts]) / 3.0)


def likeliest_copies(texts: Sequence[str], is_text: Bools, probability: Floats) -> Bools:
    """Move the marks of text (n,) to the likeliest of equal blocks; the gold marks the first.

    >>> values = np.array([True, False]), np.array([0.1, 0.9])
    >>> likeliest_copies(["Rain", "Rain"], *values).tolist()
    [False, True]
    """
    places, moved = defaultdict[str, list[int]](list), is_text.copy()
    for place, text in enumerate(texts):
        places[" ".join(text.lower().split())].append(place)
    for alike in places.values():
        order = sorted(alike, key=lambda place: -probability[place])
        moved[order] = np.arange(len(order)) < is_text[alike].sum()
    return moved


def learn(lessons: Sequence[Lesson], penalty: float = L1) -> Names:
    """Learn the weights of names that separate text from other blocks, besides the odds.

    `penalty` is that of L1: kinds alone are few, and need none.
    """
    pages = Counter(name for each in lessons for name in frozenset().union(*each.names))
    rows, alike = defaultdict[str, list[int]](list), defaultdict[tuple[int, ...], list[str]](list)
    for row, names in enumerate(names for each in lessons for names in each.names):
        for name in names:
            rows[name].append(row)
    for name in sorted(pages, key=lambda name: (-pages[name], name)):
        if pages[name] >= _NAMED_PAGES and (tuple(rows[name]) in alike or len(alike) < _MOST):
            alike[tuple(rows[name])].append(name)
    odds, is_text, weights = (
        np.concatenate([each[part] for each in lessons]).astype(np.float64) for part in (1, 2, 3)
    )
    columns = [np.array(places) for places in alike]
    fitted = _fit(columns, odds, is_text, weights, penalty)
    shared = [
        (name, round(value / len(names), 2))
        for names, value in zip(alike.values(), fitted, strict=True)
        for name in names
    ]
    return tuple(sorted((name, value) for name, value in shared if value))


def _fit(
    columns: Sequence[Ints], odds: Floats, is_text: Floats, weights: Floats, penalty: float
) -> list[float]:
    """Fit a coefficient for each column by coordinate descent; a column is its rows of n.

    The curvature is replaced by its bound, since p * (1 - p) <= 1/4, so that no step overshoots.
    """
    values, sums = [0.0] * len(columns), odds.copy()
    curves = [float(weights[rows].sum()) / 4.0 for rows in columns]
    for _ in range(_SWEEPS):
        largest = 0.0
        for number, (rows, curve) in enumerate(zip(columns, curves, strict=True)):
            wrong = is_text[rows] - 1.0 / (1.0 + np.exp(-sums[rows]))
            pull = float((weights[rows] * wrong).sum()) + curve * values[number]
            new = math.copysign(max(abs(pull) - penalty, 0.0), pull) / (curve + _L2)
            change, values[number] = new - values[number], new
            sums[rows] += change
            largest = max(largest, abs(change))
        if largest < _CLOSE:
            break
    return values


# read corrected pages, and refuse texts of other pages

LEAST_PAGES = 2
FOLDS = 5


@dataclass(frozen=True)
class TunedPage:
    """A corrected page: its gold, and the default's F1 (0..1).

    `site` groups pages: the gold's, and the host that the page names as its own if it has no
    address. `is_same` says whether the default's text has the same words, in the same order.
    `lesson` is what the page teaches a tagger without names.
    """

    gold: GoldPage
    site: str
    f1: float
    is_same: bool
    lesson: Lesson = field(repr=False)


def read_pages(golds: Iterable[GoldPage], tagger: Tagger) -> list[TunedPage]:
    """Read the corrected pages with a text, and score them; raises `CrfcleanError`."""
    every = list(golds)
    filled = [gold for gold in every if gold.text.strip()]
    if every and not filled:
        raise CrfcleanError("all texts are empty: correct some of them first")
    if len(filled) < LEAST_PAGES:
        raise CrfcleanError(
            f"{len(filled)} corrected page is not enough to learn from: correct five to ten"
        )
    return list(_in_directories([_read(gold, tagger) for gold in filled]))


def _in_directories(pages: Sequence[TunedPage]) -> Iterator[TunedPage]:
    """Yield the pages; a directory is the site of its pages if they name it differently."""
    hosts = dict[str, Counter[str]]()
    for page in pages:
        stated = page.site.removeprefix(page.gold.site)
        hosts.setdefault(page.gold.site, Counter())[stated] += 1
    for page in pages:
        one_site = is_one_site(hosts[page.gold.site])
        yield replace(page, site=page.gold.site) if one_site else page


def _read(gold: GoldPage, tagger: Tagger) -> TunedPage:
    document = run(gold.page, tagger)
    blocks = document.blocks
    share = share_on_page(gold, blocks)
    if share < MIN_ON_PAGE:
        raise CrfcleanError(
            f"{gold.id}: the page has only {share:.0%} of the text's words: is it another page's?"
        )
    written = (document.text, write(document, "txt"))
    is_same = tokens(gold.text) in [tokens(text) for text in written]
    taught = lesson(blocks, document.tags, *gold_labels(gold, blocks))
    return TunedPage(gold, site_of(gold, blocks), f1_of(document.text, gold), is_same, taught)


def site_of(gold: GoldPage, blocks: Blocks) -> str:
    """Return the site of a page; in a directory, also by the address that the page states."""
    stated = "" if gold.page.url else host(stated_address(blocks))
    return f"{gold.site} {stated.removeprefix('www.')}".rstrip()


def f1_of(text: str, gold: GoldPage) -> float:
    """Compute F1 on words (0..1) of a text; on characters in scripts without spaces.

    Optional words that the text has beyond the gold do not count, as in `word_scores`.

    >>> from crfclean import Page
    >>> round(f1_of("河水上涨了", GoldPage("a", Page(""), "河水上涨", "", "")), 3)
    0.889
    """
    return word_scores(text, gold.text, gold.uncounted, tokens).f1


def folds_of(pages: Sequence[TunedPage], most: int = FOLDS) -> list[int]:
    """Return the fold of each page: one fold for a site if there are three sites or more.

    Otherwise each page has its own fold, up to `most` folds.
    """
    sites = list(dict.fromkeys(page.site for page in pages))
    if len(sites) < 3:
        return [index % most for index in range(len(pages))]
    return [sites.index(page.site) % most for page in pages]


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
    pages = read_pages(golds, base)
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
    kinds = [each._replace(names=[names & _KINDS for names in each.names]) for each in lessons]
    ways = [(kinds, 0.0)]  # names of kinds alone, in which conventions differ
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
    pairs = zip(pages, folds, strict=True)
    return [f1_of(run(page.gold.page, taggers[fold]).text, page.gold) for page, fold in pairs]


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
