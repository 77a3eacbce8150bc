"""The scores of several systems as one evaluation, written as JSON and read back."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from crfclean._version import __version__
from crfclean.decision.choosing import BELOW_PRECISION
from crfclean.products.teach.block_metrics import BlockKind, label_scores
from crfclean.products.teach.cleaning import PageScore
from crfclean.products.teach.means import (
    BY,
    Difference,
    differences,
    exact_ends,
    f1_interval,
    means_by_group,
    total_confusion,
    total_counts,
)
from crfclean.products.teach.metrics import WordScores
from crfclean.products.teach.overlap import overlap_note
from crfclean.products.teach.runner import Scored
from crfclean.types import CrfcleanError

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


def read_scores(path: Path) -> list[PageScore]:
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
