"""Cleaned pages and their gold -> scores: pure functions, and one runner over annotated pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import Levenshtein

from crfclean.gold import GoldPage, gold_labels, is_page, stem
from crfclean.pipeline import run
from crfclean.types import CrfcleanError, Document, Floats, Ints, Label, Tagger

_WORD = re.compile(r"\w+")
RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class WordScores:
    """Precision, recall and F1 on words, each in 0..1."""

    precision: float
    recall: float
    f1: float


def word_scores(text: str, gold: str) -> WordScores:
    r"""Compare two texts as multisets of lower-cased `\w+` tokens (WCXB's measure).

    With c tokens in common, P = c / |text|, R = c / |gold|, F1 = 2 c / (|text| + |gold|). Two
    empty texts agree wholly; an empty one and another not at all.

    >>> word_scores("the cat sat", "The cat sat down.")
    WordScores(precision=1.0, recall=0.75, f1=0.8571428571428571)
    """
    ours, theirs = Counter(_WORD.findall(text.lower())), Counter(_WORD.findall(gold.lower()))
    common = (ours & theirs).total()
    taken, wanted = ours.total(), theirs.total()
    if not taken and not wanted:
        return WordScores(1.0, 1.0, 1.0)
    return WordScores(
        common / taken if taken else 0.0,
        common / wanted if wanted else 0.0,
        2 * common / (taken + wanted),
    )


def levenshtein(text: str, gold: str) -> tuple[int, float]:
    """Levenshtein distance in characters, and divided by the longer text's length (0..1).

    White space is folded first, so that line breaks weigh no more than blanks.

    >>> levenshtein("kitten", "sitting")
    (3, 0.42857142857142855)
    """
    ours, theirs = " ".join(text.split()), " ".join(gold.split())
    distance = Levenshtein.distance(ours, theirs)
    return distance, distance / max(1, len(ours), len(theirs))


def confusion(gold: Ints, labels: Ints) -> npt.NDArray[np.int64]:
    """Counts of blocks by gold label (rows) and given label (columns), shape (3, 3)."""
    return np.bincount(gold * 3 + labels, minlength=9).reshape(3, 3)


def label_scores(matrix: npt.NDArray[np.int64]) -> dict[str, WordScores]:
    """Confusion matrix -> precision, recall and F1 of each label; 0 where nothing is to divide."""
    scores = {}
    for label in Label:
        right, given, wanted = matrix[label, label], matrix[:, label].sum(), matrix[label].sum()
        scores[label.name] = WordScores(
            float(right / given) if given else 0.0,
            float(right / wanted) if wanted else 0.0,
            float(2 * right / (given + wanted)) if given + wanted else 0.0,
        )
    return scores


@dataclass(frozen=True)
class PageScore:
    """One page's scores. `distance` in characters, `distance_share` in 0..1.

    `matrix` is its confusion matrix (3, 3), None where only text was compared.
    """

    id: str
    source: str
    site: str
    kind: str
    distance: int
    distance_share: float
    words: WordScores
    status: str = "ok"
    matrix: npt.NDArray[np.int64] | None = None


def score_text(gold: GoldPage, text: str, status: str = "ok") -> PageScore:
    """Score a page's cleaned text."""
    distance, distance_share = levenshtein(text, gold.text)
    words = word_scores(text, gold.text)
    return PageScore(
        gold.id, gold.source, gold.site, gold.kind, distance, distance_share, words, status
    )


def score_document(gold: GoldPage, document: Document) -> PageScore:
    """Score a page's text and labels; raises `GoldError` where the gold does not fit the page."""
    page = score_text(gold, document.text, document.status)
    labels = gold_labels(gold, document.blocks)
    matrix = confusion(labels, document.tags.labels)
    return PageScore(
        page.id,
        page.source,
        page.site,
        page.kind,
        page.distance,
        page.distance_share,
        page.words,
        page.status,
        matrix,
    )


def evaluate(pages: Iterable[GoldPage], tagger: Tagger) -> Iterator[PageScore]:
    """Clean every annotated page with a tagger and score it; lazy."""
    return (score_document(gold, run(gold.page, tagger)) for gold in pages)


MISSING = "missing"
"""Status of a page whose cleaned text is not there."""


def evaluate_texts(pages: Iterable[GoldPage], folder: Path) -> Iterator[PageScore]:
    """Score texts that `clean` wrote for the annotated pages; a missing one counts as empty.

    Raises `CrfcleanError` where the folder is missing.
    """
    if not folder.is_dir():
        raise CrfcleanError(f"{folder}: no such directory")
    for gold in pages:
        path = _text_path(gold.id)
        if path is not None and (folder / path).is_file():
            yield score_text(gold, _read(folder / path))
        else:
            yield score_text(gold, "", MISSING)


def _text_path(name: str) -> Path | None:
    """`site/x.html` -> `site/x.txt`; None for a name that leads out of its directory."""
    path = Path(name)
    if not path.name or path.is_absolute() or ".." in path.parts:
        return None
    known = is_page(name)
    return path.with_name((stem(path) if known else path.name) + ".txt")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CrfcleanError(f"{path}: cannot be read: {error}") from error


@dataclass(frozen=True, slots=True)
class Row:
    """Means over the pages of a source: one column of the paper's table (L, P, R, F)."""

    source: str
    pages: int
    distance: float
    distance_share: float
    precision: float
    recall: float
    f1: float


ALL = "All"


def table(pages: Sequence[PageScore], key: Callable[[PageScore], str] | None = None) -> list[Row]:
    """Means by source (or another key), in order of names, and over all pages."""
    name = key or (lambda page: page.source)
    groups: dict[str, list[PageScore]] = {}
    for page in pages:
        groups.setdefault(name(page), []).append(page)
    rows = [_row(source, groups[source]) for source in sorted(groups)]
    return [*rows, _row(ALL, pages)]


def _row(source: str, pages: Sequence[PageScore]) -> Row:
    values = [
        (p.distance, p.distance_share, p.words.precision, p.words.recall, p.words.f1) for p in pages
    ]
    return Row(source, len(pages), *(float(mean) for mean in np.mean(values, axis=0)))


def total_confusion(pages: Iterable[PageScore]) -> npt.NDArray[np.int64]:
    """Sum of the pages' confusion matrices, shape (3, 3)."""
    matrices = [page.matrix for page in pages if page.matrix is not None]
    total: npt.NDArray[np.int64] = np.sum([np.zeros((3, 3), np.int64), *matrices], axis=0)
    return total


def interval(values: Floats, groups: Sequence[str], seed: int = 1) -> tuple[float, float]:
    """95 % bootstrap interval of the mean of `values` (n,), resampling whole groups (sites)."""
    _, places = np.unique(np.array(groups), return_inverse=True)
    sums, counts = np.bincount(places, values), np.bincount(places)
    draws = np.random.default_rng(seed).integers(0, len(sums), (RESAMPLES, len(sums)))
    means = sums[draws].sum(1) / counts[draws].sum(1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)
