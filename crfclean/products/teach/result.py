"""The scores of several systems as one evaluation: means, intervals, differences, JSON."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from crfclean._version import __version__
from crfclean.decision.choosing import BELOW_PRECISION
from crfclean.model.folder import page_digest
from crfclean.products.teach.gold import GoldPage
from crfclean.products.teach.metrics import BlockKind, Counts, WordScores, label_scores
from crfclean.products.teach.runner import PageScore, Scored
from crfclean.systems.load import HasModel, capability
from crfclean.types import CrfcleanError, Floats, Tagger

# means of page scores by group, bootstrap intervals and paired differences

RESAMPLES = 2_000
ALL = "All"

GroupKey = Callable[[PageScore], str]
BY: Mapping[str, GroupKey] = {
    "source": lambda page: page.source,
    "kind": lambda page: page.kind or "?",
    "lang": lambda page: page.lang or "?",
}
"""Name of a grouping of pages -> the function that returns a page's group."""


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the pages of a group: one column of the CRF paper's table (L, P, R, F)."""

    source: str
    pages: int
    distance: float
    distance_share: float
    precision: float
    recall: float
    f1: float
    metrics: Mapping[str, float] = field(default_factory=dict)


def groups(pages: Sequence[PageScore], key: GroupKey | None = None) -> dict[str, list[int]]:
    """Return the indices of pages by source (or another key), sorted by name, `ALL` last."""
    name = key or BY["source"]
    places_of: dict[str, list[int]] = {}
    for place, page in enumerate(pages):
        places_of.setdefault(name(page), []).append(place)
    return {group: places_of[group] for group in sorted(places_of)} | {ALL: list(range(len(pages)))}


def means_by_group(pages: Sequence[PageScore], key: GroupKey | None = None) -> list[Row]:
    """Compute means by source (or another key), sorted by name, then over all pages."""
    values = np.array(
        [
            (p.distance, p.distance_share, p.words.precision, p.words.recall, p.words.f1)
            for p in pages
        ]
    )
    rows = []
    for name, places in groups(pages, key).items():
        distance, share, precision, recall, f1 = map(float, values[places].mean(axis=0))
        metrics = metric_means([pages[place] for place in places])
        rows.append(Row(name, len(places), distance, share, precision, recall, f1, metrics))
    return rows


def metric_means(pages: Sequence[PageScore]) -> dict[str, float]:
    """Compute the means of the metrics that were asked for."""
    names = pages[0].metrics if pages else ()
    return {name: sum(page.metrics[name] for page in pages) / len(pages) for name in names}


def interval(values: Floats, groups: Sequence[str]) -> tuple[float, float]:
    """Compute the 95 % bootstrap interval of a mean of (n,), resampling whole groups (sites)."""
    _, places = np.unique(np.array(groups), return_inverse=True)
    sums, counts = np.bincount(places, values), np.bincount(places)
    draws = np.random.default_rng(1).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = sums[draws].sum(1) / counts[draws].sum(1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


def units(pages: Sequence[PageScore], unit: str) -> list[str]:
    """Return what an interval over a unit, "site" or "page", draws each page with."""
    return [page.site if unit == "site" else str(place) for place, page in enumerate(pages)]


def f1_interval(pages: Sequence[PageScore], unit: str = "site") -> tuple[float, float] | None:
    """95 % interval of the mean F1, resampling sites or pages; None for a single one."""
    drawn = units(pages, unit)
    if len(set(drawn)) < 2:
        return None
    return interval(np.array([page.words.f1 for page in pages]), drawn)


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean paired difference in F1 on the pages of a group, with its 95 % interval.

    A group of a single site, or page, has no interval.
    """

    group: str
    pages: int
    sites: int
    mean: float
    low: float | None
    high: float | None


def differences(
    pages: Sequence[PageScore],
    peer_pages: Sequence[PageScore],
    key: GroupKey | None = None,
    unit: str = "site",
) -> list[Difference]:
    """Compute differences in F1 to a peer, by group and over all, on the same pages in order."""
    gain = np.array(
        [
            page.words.f1 - peer_page.words.f1
            for page, peer_page in zip(pages, peer_pages, strict=True)
        ]
    )
    rows = []
    for name, places in groups(pages, key).items():
        group, group_gain = [pages[place] for place in places], gain[places]
        drawn = units(group, unit)
        ends = interval(group_gain, drawn) if len(set(drawn)) > 1 else (None, None)
        size = len(group), len({page.site for page in group})
        rows.append(Difference(name, *size, float(group_gain.mean()), *ends))
    return rows


def total_confusion(pages: Iterable[PageScore]) -> Counts:
    """Sum of the pages' confusion matrices, shape (3, 3)."""
    matrices = [page.blocks.matrix for page in pages if page.blocks is not None]
    total: Counts = np.sum([np.zeros((3, 3), np.int64), *matrices], axis=0)
    return total


def total_counts(pages: Iterable[PageScore]) -> Counts:
    """Sum of the pages' counts of blocks found, wrong and missed by kind, shape (kinds, 3)."""
    counts = [page.blocks.counts for page in pages if page.blocks is not None]
    total: Counts = np.sum([np.zeros((len(BlockKind), 3), np.int64), *counts], axis=0)
    return total


def exact_ends(pages: Iterable[PageScore]) -> tuple[float, float]:
    """Return the shares of pages with an exact begin and an exact end; 1 without pages."""
    errors = [page.blocks.ends for page in pages if page.blocks is not None]
    if not errors:
        return 1.0, 1.0
    begin, end = (np.array(errors) == 0).mean(axis=0)
    return float(begin), float(end)


# count the scored pages that a model was trained on, and warn of their scores


@dataclass
class Overlap:
    """Digests of training pages, and the number of scored pages that have one of them."""

    digests: frozenset[bytes]
    pages: int = 0

    def count(self, pages: Iterable[GoldPage]) -> Iterator[GoldPage]:
        """Yield the pages, and count the training pages among them."""
        for gold in pages:
            self.pages += page_digest(gold.page.html) in self.digests
            yield gold


def trained_on(tagger: Tagger) -> frozenset[bytes]:
    """Return digests of a tagger's training pages; models of forums do not record them."""
    model = capability(tagger, HasModel)
    return frozenset() if model is None else model.bundle.pages


def overlap_note(trained: int, pages: int, *, base: bool = False) -> str:
    """Return a warning of scores on training pages, "" without such pages.

    With `base`, the training pages are those of the model that training started from.

    >>> overlap_note(0, 12)
    ''
    """
    if not trained:
        return ""
    model = "the model of --from" if base else "this model"
    what = "this page" if pages == 1 else f"{trained} of {pages} pages"
    remedy = "score other pages" if base else "use --cv, or other pages"
    return (
        f"note: {model} was trained on {what}: these scores are not what new pages get; {remedy}\n"
    )


# the scores of several systems as one evaluation, written as JSON and read back
#
# `schemas/evaluation.json` describes the JSON.

_FORMAT = 1
_PACKAGES = ("numpy", "lxml", "rapidfuzz", "python-crfsuite")


@dataclass(frozen=True)
class Evaluation:
    """Scores of the same pages by system; the first system is compared with the others.

    `about` describes model, options and training. `trained_on` counts the scored pages among the
    training pages of the model, in cross-validation of its base. Blocks are restricted to
    `elements`, if there are any. Intervals keep the pages of a unit together, `group_by` "site" or
    "page"; "" means page for a single site. `worst` are the worst pages of the first system.
    """

    gold: str
    systems: Mapping[str, Sequence[PageScore]]
    by: str = "source"
    about: Mapping[str, Any] = field(default_factory=dict)
    trained_on: int = 0
    elements: tuple[str, ...] = ()
    group_by: str = ""
    worst: Sequence[Scored] = ()

    @property
    def unit(self) -> str:
        """What intervals draw: "site" or "page"."""
        return self.group_by or ("site" if len({page.site for page in self.pages}) > 1 else "page")

    @property
    def pages(self) -> Sequence[PageScore]:
        """The pages of the first system."""
        return next(iter(self.systems.values()))

    @property
    def peers(self) -> dict[str, Sequence[PageScore]]:
        """The pages of the other systems, by name."""
        return dict(list(self.systems.items())[1:])

    @property
    def note(self) -> str:
        """Notes on training pages, pages below the precision, restricted blocks; "" for none."""
        is_cv = bool(self.about.get("training"))
        overlap = overlap_note(self.trained_on, len(self.pages), base=is_cv)
        return overlap + _precision_note(self.pages) + _elements_note(self.elements)

    def differences(self, by: str) -> dict[str, list[Difference]]:
        """Differences in F1 of the first system to each peer, by group and over all."""
        return {
            name: differences(self.pages, pages, BY[by], self.unit)
            for name, pages in self.peers.items()
        }


def _precision_note(pages: Sequence[PageScore]) -> str:
    """Return a note on pages that --precision leaves without text, "" without such pages."""
    others = [page.words.precision for page in pages if page.status != BELOW_PRECISION]
    if len(others) == len(pages):
        return ""
    mean = "there are no others"
    if others:
        mean = f"precision is {sum(others) / len(others):.3f} over the others"
    return (
        f"note: no choice of blocks has the precision on {len(pages) - len(others)} of "
        f"{len(pages)} pages, which count as empty; {mean}\n"
    )


def _elements_note(elements: Sequence[str]) -> str:
    """Return a note that only blocks in some elements count, "" if all count."""
    if not elements:
        return ""
    return (
        f"note: the tables of blocks count only those in {', '.join(elements)}; gold text outside "
        "of them lowers recall and F1 of words\n"
    )


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    """Return all figures as in the schema."""
    first_system, *other_systems = (
        _system_figures(name, pages, evaluation) for name, pages in evaluation.systems.items()
    )
    return {
        "format": _FORMAT,
        "gold": evaluation.gold,
        "versions": versions(tuple(evaluation.systems)),
        "model": None,
        "training": None,
        **evaluation.about,
        "trained_on": evaluation.trained_on,
        "by": evaluation.by,
        "interval_over": evaluation.unit,
        **first_system,
        "others": other_systems,
        "differences": [
            {"system": name, "by": by, **asdict(row)}
            for by in BY
            for name, rows in evaluation.differences(by).items()
            for row in rows
        ],
    }


def versions(systems: Sequence[str]) -> dict[str, str]:
    """Return the versions of crfclean, Python and the packages that made the figures."""
    by_package = {"crfclean": __version__, "python": platform.python_version()}
    for name in filter(None, (*_PACKAGES, *systems)):
        try:
            by_package.setdefault(name, version(name))
        except (PackageNotFoundError, ValueError):  # a system that is no package
            continue
    return by_package


def _system_figures(
    name: str, pages: Sequence[PageScore], evaluation: Evaluation
) -> dict[str, Any]:
    ends = f1_interval(pages, evaluation.unit)
    matrix, counts = total_confusion(pages), total_counts(pages)
    begin, end = exact_ends(pages)
    return {
        "system": name,
        "table": [_with_metrics(asdict(row)) for row in means_by_group(pages, BY[evaluation.by])],
        "f1_interval": ends and list(ends),
        "labels": {label: asdict(scores) for label, scores in label_scores(matrix).items()},
        "confusion": matrix.tolist(),
        "kinds": {
            kind.name.lower(): dict(zip(_BLOCK_COUNTS, counts[kind].tolist(), strict=True))
            for kind in BlockKind
        },
        "exact_begin": begin,
        "exact_end": end,
        "pages": [score_dict(page) for page in pages],
    }


def _with_metrics(record: dict[str, Any]) -> dict[str, Any]:
    """Return a record without its metrics if none were asked for."""
    if not record["metrics"]:
        del record["metrics"]
    return record


_BLOCK_COUNTS = ("found", "wrong", "missed")
_TEXT_FIELDS = ("id", "source", "site", "kind", "lang", "digest", "status")


def score_dict(score: PageScore) -> dict[str, Any]:
    """The scores of a page as a flat record; None for blocks that were not compared."""
    blocks = score.blocks
    begin, end = (None, None) if blocks is None else blocks.ends
    counts = [None] * 3 if blocks is None else blocks.counts.sum(axis=0).tolist()
    record = {
        **{name: getattr(score, name) for name in _TEXT_FIELDS},
        "distance": score.distance,
        "distance_share": score.distance_share,
        **asdict(score.words),
        **{f"order_{name}": value for name, value in asdict(score.alignment).items()},
        "blocks": None if blocks is None else len(blocks),
        **dict(zip(_BLOCK_COUNTS, counts, strict=True)),
        "begin": begin,
        "end": end,
        "metrics": dict(score.metrics),
    }
    return _with_metrics(record)


def evaluation_json(evaluation: Evaluation) -> str:
    """`evaluation_dict` as indented JSON."""
    return json.dumps(evaluation_dict(evaluation), ensure_ascii=False, indent=1) + "\n"


def read_pages(path: Path) -> list[PageScore]:
    """Read the first system's pages from `eval --json` output; raises `CrfcleanError`."""
    try:
        figures = json.loads(path.read_text("utf-8"))
        if figures["format"] != _FORMAT:
            raise CrfcleanError(f"{path}: format {figures['format']}, expected {_FORMAT}")
        pages = [_page_of(record) for record in figures["pages"]]
    except (OSError, UnicodeDecodeError) as error:
        raise CrfcleanError(f"{path}: cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CrfcleanError(f"{path}: not written by eval --json: {error!r}") from error
    if not pages:
        raise CrfcleanError(f"{path}: has no pages")
    return pages


def _page_of(record: Mapping[str, Any]) -> PageScore:
    rates = ("precision", "recall", "f1")
    words = WordScores(*(float(record[name]) for name in rates))
    order = WordScores(*(float(record[f"order_{name}"]) for name in rates))
    texts: dict[str, Any] = {name: str(record[name]) for name in _TEXT_FIELDS}
    distance, share = int(record["distance"]), float(record["distance_share"])
    scores: dict[str, Any] = {"words": words, "alignment": order}
    scores["metrics"] = {name: float(value) for name, value in record.get("metrics", {}).items()}
    return PageScore(distance=distance, distance_share=share, **texts, **scores)


def paired(old: Sequence[PageScore], new: Sequence[PageScore]) -> list[PageScore]:
    """Put old scores in the order of the new pages; raises `CrfcleanError` where pages differ."""
    old_by_id = {page.id: page for page in old}
    ids = {page.id for page in new}
    unpaired = sorted(old_by_id.keys() ^ ids)
    if unpaired or len(old_by_id) != len(old) or len(ids) != len(new):
        pages = _some(unpaired) or "ids repeat"
        raise CrfcleanError(f"the files do not score the same pages: {pages}")
    changed = [page.id for page in new if old_by_id[page.id].digest != page.digest]
    if changed:
        raise CrfcleanError(f"page or gold has changed since: {_some(changed)}")
    return [old_by_id[page.id] for page in new]


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
