"""Label files of several annotators -> how far they agree, and where they don't."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from crfclean.gold.pages import LABELS_SUFFIX, NONE, read_labels
from crfclean.types import CrfcleanError, Floats, GoldError, Ints, Label


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A block that annotators label differently: the place in the label files, labels, text."""

    name: str
    line: int
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Agreement:
    """Agreement of k annotators on n blocks that at least two have labelled.

    `kappa` is the mean over the pairs of annotators, `alpha` that of all together; by label
    (against the other two) and over all (`all`). NaN where only one label was ever given.
    """

    blocks: int
    pages: int
    observed: float
    kappa: Mapping[str, float]
    alpha: Mapping[str, float]
    differences: Sequence[Disagreement]


def cohen_kappa(one: Ints, other: Ints) -> float:
    """Cohen's kappa of two annotators' labels (n,): (p_o - p_e) / (1 - p_e).

    p_o is the share of equal labels, p_e what their label shares give by chance; blocks that
    one of them left out (`NONE`) don't count. NaN where there is nothing to tell them apart
    from chance (Cohen 1960).

    >>> cohen_kappa(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 1]))
    0.5
    """
    both = (one != NONE) & (other != NONE)
    first, second = _shares(one[both]), _shares(other[both])
    chance = float(first @ second)
    if not both.any() or np.isclose(chance, 1.0):
        return float("nan")
    return (float(np.mean(one[both] == other[both])) - chance) / (1.0 - chance)


def _shares(labels: Ints) -> Floats:
    counts = np.bincount(labels, minlength=len(Label))
    shares: Floats = counts / max(1, counts.sum())
    return shares


def krippendorff_alpha(labels: Ints) -> float:
    """Krippendorff's alpha for nominal labels (annotators, n): 1 - D_o / D_e.

    From the coincidence matrix: of a block's m labels (m > 1; `NONE` is no label) every ordered
    pair counts 1 / (m - 1). NaN where only one label was ever given (Krippendorff 2004, 11.3).

    >>> round(krippendorff_alpha(np.array([[0, 0, 1, 1], [0, 1, 1, 1]])), 4)
    0.5333
    """
    counts = np.stack([(labels == label).sum(0) for label in range(len(Label))], axis=1)
    counts = counts[counts.sum(1) > 1].astype(np.float64)
    if not len(counts):
        return float("nan")
    size = counts.sum(1)
    matrix = (counts / (size - 1)[:, None]).T @ counts
    matrix -= np.diag((counts / (size - 1)[:, None]).sum(0))
    given = matrix.sum(1)
    expected = given.sum() ** 2 - (given**2).sum()
    if expected <= 0:
        return float("nan")
    return float(1.0 - (given.sum() - 1) * (matrix.sum() - np.trace(matrix)) / expected)


def agreement(sources: Sequence[Path]) -> Agreement:
    """Compare label files, or directories of them by their names there.

    Raises `GoldError` where two files are not of the same page, `CrfcleanError` where the
    sources have no page in common, or are fewer than two.
    """
    if len(sources) < 2:
        raise CrfcleanError("agreement needs two annotators or more")
    pages = [_label_files(source) for source in sources]
    names = sorted(name for name in set().union(*pages) if sum(name in one for one in pages) > 1)
    if not names:
        raise CrfcleanError(f"no label file in common: {', '.join(map(str, sources))}")
    parts, differences = [], []
    for name in names:
        files = [one.get(name) for one in pages]
        labels, texts = _side_by_side(files)
        parts.append(labels)
        differences += _differences(name, labels, texts)
    return _measured(np.concatenate(parts, axis=1), len(names), differences)


def _label_files(source: Path) -> dict[str, Path]:
    """Name -> label file of one annotator."""
    if source.is_file():
        return {"": source}
    if not source.is_dir():
        raise CrfcleanError(f"{source}: no such file or directory")
    files = sorted(source.rglob(f"*{LABELS_SUFFIX}"))
    return {file.relative_to(source).as_posix(): file for file in files}


def _side_by_side(files: Sequence[Path | None]) -> tuple[Ints, tuple[str, ...]]:
    """Labels (annotators, n) of one page, `NONE` where there is none, and the blocks' texts."""
    read = {place: tuple(read_labels(file)) for place, file in enumerate(files) if file is not None}
    first = next(iter(read))
    texts = tuple(text for _, text in read[first])
    labels = np.full((len(files), len(texts)), NONE)
    for place, lines in read.items():
        if tuple(text for _, text in lines) != texts:
            raise GoldError(f"{files[place]}: its blocks are not those of {files[first]}")
        labels[place] = [NONE if label is None else label for label, _ in lines]
    return labels, texts


def _differences(name: str, labels: Ints, texts: Sequence[str]) -> list[Disagreement]:
    found = []
    for place, column in enumerate(labels.T.tolist()):
        if len({label for label in column if label != NONE}) > 1:
            names = tuple("?" if label == NONE else Label(label).name for label in column)
            found.append(Disagreement(name, place + 1, names, texts[place]))
    return found


def _measured(labels: Ints, pages: int, differences: list[Disagreement]) -> Agreement:
    told = labels[:, (labels != NONE).sum(0) > 1]
    binary = {
        name: np.where(told == NONE, NONE, told == label)
        for name, label in Label.__members__.items()
    }
    views = {"all": told, **binary}
    kappa = {name: _mean_kappa(view) for name, view in views.items()}
    alpha = {name: krippendorff_alpha(view) for name, view in views.items()}
    count = told.shape[1]
    return Agreement(count, pages, 1 - len(differences) / max(1, count), kappa, alpha, differences)


def _mean_kappa(labels: Ints) -> float:
    """Mean of Cohen's kappa over the pairs of annotators that it can be told for."""
    values = [cohen_kappa(one, other) for one, other in combinations(labels, 2)]
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else float("nan")


def agreement_text(found: Agreement) -> str:
    """A line a measure, a line a block that differs."""
    lines = [
        f"{found.blocks} blocks of {found.pages} pages, {found.observed:.3f} with equal labels\n",
        f"{'':8}{'kappa':>8}{'alpha':>8}",
    ]
    for name, kappa in found.kappa.items():
        lines.append(f"{name:8}{kappa:8.3f}{found.alpha[name]:8.3f}")
    for one in found.differences:
        place = f"{one.name}:{one.line}" if one.name else f"line {one.line}"
        lines.append(f"\n{place}\t{' '.join(one.labels)}\n    {one.text}")
    return "\n".join(lines) + "\n"


def agreement_json(found: Agreement) -> str:
    """All of it as indented JSON; null for what cannot be told."""
    told = asdict(found)
    for name in ("kappa", "alpha"):
        told[name] = {key: None if np.isnan(x) else x for key, x in told[name].items()}
    return json.dumps(told, ensure_ascii=False, indent=1) + "\n"
