"""The agreement of several annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from crfclean.io import json_report
from crfclean.page.chars import plural
from crfclean.products.teach.gold import (
    LABEL_NAMES,
    LABELS_SUFFIX,
    NONE,
    is_reader,
    labels_suffix,
    read_labels,
)
from crfclean.types import CrfcleanError, GoldError, Ints, Label


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A block with different labels: its place in the label files, the labels, its text."""

    name: str
    line: int
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Agreement:
    """Agreement of annotators on the blocks that at least two have labelled, without doubt.

    `annotators` are their files or directories, in the order of the labels in `differences`.
    `alpha` is Krippendorff's, by label (against the other two) and over all labels (`all`), `kappa`
    Cohen's, for two annotators alone. NaN if only one label occurs. `observed` is the share of
    blocks with equal labels.
    """

    annotators: Sequence[str]
    blocks: int
    pages: int
    observed: float
    alpha: Mapping[str, float]
    kappa: Mapping[str, float]
    differences: Sequence[Disagreement]


def krippendorff_alpha(labels: Ints) -> float:
    """Krippendorff's alpha for nominal labels (annotators, n): 1 - D_o / D_e.

    It is computed from the coincidence matrix, where every ordered pair of a block's m labels
    (m > 1; numbers below 0 are none) counts 1 / (m - 1) (Krippendorff 2004, 11.3). NaN if only one
    label occurs.

    >>> round(krippendorff_alpha(np.array([[0, 0, 1, 1], [0, 1, 1, 1]])), 4)
    0.5333
    """
    counts = np.stack([(labels == label).sum(0) for label in Label], axis=1)
    counts = counts[counts.sum(1) > 1].astype(np.float64)
    if not len(counts):
        return float("nan")
    sizes = counts.sum(1)
    matrix = (counts / (sizes - 1)[:, None]).T @ counts
    matrix -= np.diag((counts / (sizes - 1)[:, None]).sum(0))
    totals = matrix.sum(1)
    expected = totals.sum() ** 2 - (totals**2).sum()
    if expected <= 0:
        return float("nan")
    return float(1.0 - (totals.sum() - 1) * (matrix.sum() - np.trace(matrix)) / expected)


def cohen_kappa(labels: Ints) -> float:
    """Cohen's kappa for the labels (2, n) of two annotators: (p_o - p_e) / (1 - p_e).

    p_e is the agreement of annotators who draw from their own shares of labels (Cohen 1960). NaN if
    only one label occurs.

    >>> cohen_kappa(np.array([[0, 0, 1, 1], [0, 1, 1, 1]]))
    0.5
    """
    if not labels.shape[1]:
        return float("nan")
    observed = float((labels[0] == labels[1]).mean())
    shares = [(labels == label).mean(1) for label in Label]
    expected = float(sum(first * second for first, second in shares))
    return (observed - expected) / (1 - expected) if expected < 1 else float("nan")


def agreement(sources: Sequence[Path]) -> Agreement:
    """Compare label files, or directories of label files paired by name.

    A later source that is no path is a reader: their label files in the first directory.
    Raises `GoldError` if two files are not of the same page, `CrfcleanError` for fewer than two
    sources, and for sources without a common page.
    """
    if len(sources) < 2:
        raise CrfcleanError("agreement needs two annotators or more")
    first, *others = sources
    pages = [_label_files(first), *(_other_files(first, other) for other in others)]
    names = sorted(
        name for name in set().union(*pages) if sum(name in files for files in pages) > 1
    )
    if not names:
        raise CrfcleanError(f"no label file in common: {', '.join(map(str, sources))}")
    parts, differences = [], []
    for name in names:
        labels, texts = _side_by_side([files.get(name) for files in pages])
        parts.append(labels)
        differences += _differences(name, labels, texts)
    annotators = [str(source) for source in sources]
    return _measured(annotators, np.concatenate(parts, axis=1), len(names), differences)


def _label_files(source: Path, reader: str = "") -> dict[str, Path]:
    """Return the name of the first label file of each page, and the label file of a reader."""
    if source.is_file():
        return {"": source}
    if not source.is_dir():
        raise CrfcleanError(f"{source}: no such file or directory")
    suffix = labels_suffix(reader)
    files = sorted(source.rglob(f"*{suffix}"))
    names = (file.relative_to(source).as_posix().removesuffix(suffix) for file in files)
    return {name + LABELS_SUFFIX: file for name, file in zip(names, files, strict=True)}


def _other_files(first: Path, other: Path) -> dict[str, Path]:
    if other.exists() or not first.is_dir() or not is_reader(str(other)):
        return _label_files(other)
    files = _label_files(first, str(other))
    if not files:
        suffix = labels_suffix(str(other))
        raise CrfcleanError(
            f"{other}: no such file or directory, and no reader of {first} (no x{suffix} there)"
        )
    return files


def _side_by_side(files: Sequence[Path | None]) -> tuple[Ints, tuple[str, ...]]:
    """Return the labels (annotators, n) of a page, `NONE` for missing ones, and the texts."""
    read_files = {
        place: tuple(read_labels(file)) for place, file in enumerate(files) if file is not None
    }
    first = next(iter(read_files))
    texts = tuple(text for _, text in read_files[first])
    labels = np.full((len(files), len(texts)), NONE)
    for place, lines in read_files.items():
        if tuple(text for _, text in lines) != texts:
            raise GoldError(f"{files[place]}: its blocks are not those of {files[first]}")
        labels[place] = [label for label, _ in lines]
    return labels, texts


def _differences(name: str, labels: Ints, texts: Sequence[str]) -> list[Disagreement]:
    differences = []
    for place, column in enumerate(labels.T.tolist()):
        if len({label for label in column if label >= 0}) > 1:
            names = tuple(LABEL_NAMES[label] for label in column)
            differences.append(Disagreement(name, place + 1, names, texts[place]))
    return differences


def _measured(
    annotators: list[str], labels: Ints, pages: int, differences: list[Disagreement]
) -> Agreement:
    compared = labels[:, (labels >= 0).sum(0) > 1]
    binary = {label.name: np.where(compared < 0, NONE, compared == label) for label in Label}
    views = {"all": compared, **binary}
    alpha = {name: krippendorff_alpha(view) for name, view in views.items()}
    pairs = views if len(annotators) == 2 else {}
    kappa = {name: cohen_kappa(view) for name, view in pairs.items()}
    count = compared.shape[1]
    observed = 1 - len(differences) / max(1, count)
    return Agreement(annotators, count, pages, observed, alpha, kappa, differences)


def agreement_text(result: Agreement) -> str:
    """Return the measures by label, then the blocks that differ, as text."""
    size = f"{plural(result.blocks, 'block')} of {plural(result.pages, 'page')}"
    lines = [
        f"{size}, {result.observed:.3f} with equal labels\n",
        f"{'':8}{'alpha':>8}{'kappa' if result.kappa else '':>8}".rstrip(),
    ]
    for name, alpha in result.alpha.items():
        kappa = f"{result.kappa[name]:8.3f}" if result.kappa else ""
        lines.append(f"{name:8}{alpha:8.3f}{kappa}")
    if result.differences:
        lines.append(f"\nBlocks with different labels, by {', then '.join(result.annotators)}:")
    for difference in result.differences:
        place = (
            f"{difference.name}:{difference.line}" if difference.name else f"line {difference.line}"
        )
        lines.append(f"\n{place}\t{' '.join(difference.labels)}\n    {difference.text}")
    return "\n".join(lines) + "\n"


def agreement_json(result: Agreement) -> str:
    """Return all fields as JSON, null for NaN, with the version of crfclean."""
    measures = {
        measure: {name: None if np.isnan(value) else value for name, value in values.items()}
        for measure, values in (("alpha", result.alpha), ("kappa", result.kappa))
    }
    return json_report(asdict(result) | measures)
