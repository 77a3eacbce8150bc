"""Page scores of several systems -> one evaluation, as JSON and back.

The shape of the JSON is `schemas/evaluation.json`.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from crfclean._version import __version__
from crfclean.evaluate.block_metrics import BlockKind, label_scores
from crfclean.evaluate.metrics import Snippets, WordScores
from crfclean.evaluate.runner import PageScore
from crfclean.evaluate.statistics import (
    BY,
    Difference,
    Row,
    differences,
    exact_ends,
    f1_interval,
    means_by_group,
    total_confusion,
    total_counts,
    total_snippets,
)
from crfclean.types import CrfcleanError

_FORMAT = 1
_PACKAGES = ("numpy", "lxml", "rapidfuzz", "python-crfsuite")


@dataclass(frozen=True)
class CurvePoint:
    """One point of a learning curve: training pages, mean F1, its interval over sites."""

    pages: int
    f1: float
    low: float
    high: float


@dataclass(frozen=True)
class Evaluation:
    """Scores of the same pages by name of system, ours first.

    `about` tells model, options and training; `alone` are rows of models of single sources.
    """

    gold: str
    systems: Mapping[str, Sequence[PageScore]]
    by: str = "source"
    about: Mapping[str, Any] = field(default_factory=dict)
    curve: Sequence[CurvePoint] = ()
    source_rows: Sequence[Row] = ()

    @property
    def pages(self) -> Sequence[PageScore]:
        """The first system's pages."""
        return next(iter(self.systems.values()))

    @property
    def peers(self) -> dict[str, Sequence[PageScore]]:
        """The other systems' pages."""
        return dict(list(self.systems.items())[1:])

    def differences(self, by: str) -> dict[str, list[Difference]]:
        """Ours minus each of the others', by group and over all."""
        key = BY[by]
        return {name: differences(self.pages, pages, key) for name, pages in self.peers.items()}


def evaluation_dict(evaluation: Evaluation) -> dict[str, Any]:
    """All figures: versions, what was measured, every system's, differences, the curve."""
    first, *rest = (
        _system_figures(name, pages, evaluation.by) for name, pages in evaluation.systems.items()
    )
    return {
        "format": _FORMAT,
        "gold": evaluation.gold,
        "versions": versions(tuple(evaluation.systems)),
        "model": None,
        "training": None,
        **evaluation.about,
        "by": evaluation.by,
        **first,
        "others": rest,
        "differences": [
            {"system": name, "by": by, **asdict(row)}
            for by in BY
            for name, rows in evaluation.differences(by).items()
            for row in rows
        ],
        "learning_curve": [asdict(step) for step in evaluation.curve],
        "sources_alone": [asdict(row) for row in evaluation.source_rows],
    }


def versions(systems: Sequence[str]) -> dict[str, str]:
    """Versions of ourselves, of Python, and of the packages behind the figures."""
    found = {"crfclean": __version__, "python": platform.python_version()}
    for name in filter(None, (*_PACKAGES, *systems)):
        try:
            found.setdefault(name, version(name))
        except (PackageNotFoundError, ValueError):  # a system that is no package
            continue
    return found


def _system_figures(name: str, pages: Sequence[PageScore], by: str) -> dict[str, Any]:
    """All figures of a system: means by group, intervals, labels, blocks by kind, every page."""
    matrix, counts = total_confusion(pages), total_counts(pages)
    begin, end = exact_ends(pages)
    return {
        "system": name,
        "table": [asdict(row) for row in means_by_group(pages, BY[by])],
        "f1_interval": list(f1_interval(pages)),
        "labels": {label: asdict(scores) for label, scores in label_scores(matrix).items()},
        "confusion": matrix.tolist(),
        "kinds": {
            kind.name.lower(): dict(zip(_BLOCK_COUNTS, counts[kind].tolist(), strict=True))
            for kind in BlockKind
        },
        "exact_begin": begin,
        "exact_end": end,
        "snippets": asdict(total_snippets(pages)),
        "pages": [score_dict(page) for page in pages],
    }


_BLOCK_COUNTS = ("found", "wrong", "missed")
_TEXT_FIELDS = ("id", "source", "site", "kind", "lang", "digest", "status")


def score_dict(page: PageScore) -> dict[str, Any]:
    """A page's figures, flat; blocks are None where they were not compared."""
    blocks = page.blocks
    begin, end = (None, None) if blocks is None else blocks.ends
    counts = [None] * 3 if blocks is None else blocks.counts.sum(axis=0).tolist()
    return {
        **{name: getattr(page, name) for name in _TEXT_FIELDS},
        "distance": page.distance,
        "distance_share": page.distance_share,
        **asdict(page.words),
        **{f"order_{name}": value for name, value in asdict(page.alignment).items()},
        "blocks": None if blocks is None else len(blocks),
        **dict(zip(_BLOCK_COUNTS, counts, strict=True)),
        "begin": begin,
        "end": end,
        **{f"snippets_{name}": value for name, value in asdict(page.snippets).items()},
    }


def evaluation_json(evaluation: Evaluation) -> str:
    """`evaluation_dict` as indented JSON."""
    return json.dumps(evaluation_dict(evaluation), ensure_ascii=False, indent=1) + "\n"


def read_pages(path: Path) -> list[PageScore]:
    """The first system's pages of a file that `eval --json` wrote; raises `CrfcleanError`."""
    try:
        told = json.loads(path.read_text("utf-8"))
        if told["format"] != _FORMAT:
            raise CrfcleanError(f"{path}: format {told['format']}, expected {_FORMAT}")
        pages = [_page_of(one) for one in told["pages"]]
    except (OSError, UnicodeDecodeError) as error:
        raise CrfcleanError(f"{path}: cannot be read: {error}") from error
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CrfcleanError(f"{path}: not written by eval --json: {error!r}") from error
    if not pages:
        raise CrfcleanError(f"{path}: has no pages")
    return pages


def _page_of(told: Mapping[str, Any]) -> PageScore:
    """A page without its blocks."""
    rates = ("precision", "recall", "f1")
    words = WordScores(*(float(told[name]) for name in rates))
    order = WordScores(*(float(told[f"order_{name}"]) for name in rates))
    parts = [int(told[f"snippets_{name}"]) for name in ("wanted", "found", "unwanted", "kept_out")]
    texts: dict[str, Any] = {name: str(told[name]) for name in _TEXT_FIELDS}
    distance, share = int(told["distance"]), float(told["distance_share"])
    rest: dict[str, Any] = {"words": words, "alignment": order, "snippets": Snippets(*parts)}
    return PageScore(distance=distance, distance_share=share, **texts, **rest)


def paired(old: Sequence[PageScore], new: Sequence[PageScore]) -> list[PageScore]:
    """The old scores in the order of the new pages; raises `CrfcleanError` where pages differ."""
    known = {page.id: page for page in old}
    ids = {page.id for page in new}
    lone = sorted(known.keys() ^ ids)
    if lone or len(known) != len(old) or len(ids) != len(new):
        raise CrfcleanError(f"the files have not the same pages: {_some(lone) or 'ids repeat'}")
    changed = [page.id for page in new if known[page.id].digest != page.digest]
    if changed:
        raise CrfcleanError(f"page or gold has changed since: {_some(changed)}")
    return [known[page.id] for page in new]


def _some(names: Sequence[str], most: int = 3) -> str:
    """The first names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
