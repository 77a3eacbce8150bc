"""Score texts and the labels of blocks against the gold, and measure how annotators agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import IntEnum
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq, Levenshtein

from crfclean import door
from crfclean.io import json_report
from crfclean.model.coarse_kinds import is_byline, is_caption, is_comment
from crfclean.page.align import tokens
from crfclean.page.chars import plural
from crfclean.products.teach.gold import LABEL_NAMES, LABELS_SUFFIX, NONE, read_labels
from crfclean.types import Blocks, Bools, CrfcleanError, GoldError, Ints, Label

__all__ = ["WordScores"]

# score a text against its gold: words, word order, characters

_WORD = re.compile(r"\w+")
MAX_TOKENS = 100_000  # of a text that are aligned, in seconds; later ones count as unmatched


@dataclass(frozen=True, slots=True)
class WordScores:
    """Precision, recall and F1, each in 0..1."""

    precision: float
    recall: float
    f1: float


NOTHING_FOUND = WordScores(0.0, 0.0, 0.0)


def _rates(common: int, words: int, gold_words: int) -> WordScores:
    """P = common / words, R = common / gold_words; two empty texts agree fully."""
    if not words and not gold_words:
        return WordScores(1.0, 1.0, 1.0)
    return WordScores(
        common / words if words else 0.0,
        common / gold_words if gold_words else 0.0,
        2 * common / (words + gold_words),
    )


def _lowered(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def word_scores(
    text: str, gold: str, optional: str = "", words_of: Callable[[str], list[str]] = _lowered
) -> WordScores:
    r"""Compare two texts as multisets of tokens, by default lower-cased `\w+` (WCXB's measure).

    With c tokens in common, P = c / |text|, R = c / |gold|, F1 = 2 c / (|text| + |gold|). Two
    empty texts score 1; if only one is empty, the scores are 0. Extra tokens of the text do not
    count against it if they are in `optional`, each as often as it occurs there.

    >>> word_scores("the cat sat", "The cat sat down.")
    WordScores(precision=1.0, recall=0.75, f1=0.8571428571428571)
    >>> word_scores("the cat sat", "the cat", "Sat!").precision
    1.0
    """
    words, gold_words, optional_words = (Counter(words_of(part)) for part in (text, gold, optional))
    excused = _excused(words, gold_words, optional_words)
    return _rates((words & gold_words).total(), words.total() - excused, gold_words.total())


def _excused(words: Counter[str], gold_words: Counter[str], optional_words: Counter[str]) -> int:
    return ((words - gold_words) & optional_words).total() if optional_words else 0


def alignment_scores(text: str, gold: str, optional: str = "") -> WordScores:
    """Compare two texts as sequences of tokens: c is their longest common subsequence (CLEANEVAL).

    Text in another order counts as wrong. Memory is linear in the texts; the first `MAX_TOKENS`
    tokens of each are aligned. Optional tokens count as in `word_scores`.

    >>> alignment_scores("down sat the cat", "the cat sat down")
    WordScores(precision=0.5, recall=0.5, f1=0.5)
    """
    words, gold_words = tokens(text), tokens(gold)
    common = LCSseq.similarity(words[:MAX_TOKENS], gold_words[:MAX_TOKENS])
    excused = _excused(Counter(words), Counter(gold_words), Counter(tokens(optional)))
    return _rates(common, len(words) - excused, len(gold_words))


def levenshtein(text: str, gold: str) -> tuple[int, float]:
    """Return the Levenshtein distance in characters, and its share of the longer text (0..1).

    White space is folded first, so that a line break counts no more than a space.

    >>> levenshtein("kitten", "sitting")
    (3, 0.42857142857142855)
    """
    folded, folded_gold = " ".join(text.split()), " ".join(gold.split())
    distance = Levenshtein.distance(folded, folded_gold)
    return distance, distance / max(1, len(folded), len(folded_gold))


def order_f1(text: str, gold: str) -> float:
    """Return the F1 of `alignment_scores`."""
    return alignment_scores(text, gold).f1


def distance_share(text: str, gold: str) -> float:
    """Return the share of `levenshtein`."""
    return levenshtein(text, gold)[1]


def metric_values(text: str, gold: str, names: Sequence[str]) -> dict[str, float]:
    """Return the values of named metrics of the door for a text.

    Raises `CrfcleanError` for an unknown one, and for a value that is no number.
    """
    values = {name: door.find("metrics", name)(text, gold) for name in names}
    for name, value in values.items():
        if not isinstance(value, int | float | np.number) or not np.isfinite(value):
            package = door.origin("metrics", name)
            raise CrfcleanError(f"the metric {name!r} of {package} gave {value!r}, no number")
    return {name: float(value) for name, value in values.items()}


# compare the labels of blocks with the gold, by kind of block, and at both ends of the text

Counts = npt.NDArray[np.int64]


class BlockKind(IntEnum):
    """The kind of a block by its markup; if several fit, the highest number wins."""

    PARAGRAPH = 0
    INSET = 1
    LIST_ITEM = 2
    COMMENT = 3
    BYLINE = 4
    CAPTION = 5
    HEADING = 6


_INSETS = ("aside", "blockquote", "table", "details")
_ITEMS = ("li", "dt", "dd")


def block_kinds(page: Blocks) -> Ints:
    """The `BlockKind` of each block, shape (n,)."""
    kinds = np.full(len(page), BlockKind.PARAGRAPH, np.int32)
    if not len(page):
        return kinds
    kinds[page.table.within(*_INSETS)[page.node] > 0] = BlockKind.INSET
    kinds[page.table.within(*_ITEMS)[page.node] > 0] = BlockKind.LIST_ITEM
    kinds[is_comment(page)] = BlockKind.COMMENT
    kinds[is_byline(page)] = BlockKind.BYLINE
    kinds[is_caption(page)] = BlockKind.CAPTION
    kinds[page.table.in_heading] = BlockKind.HEADING
    return kinds


def label_confusion(gold: Ints, labels: Ints) -> Counts:
    """Counts of blocks by gold label (rows) and predicted label (columns), shape (3, 3)."""
    return np.bincount(gold * 3 + labels, minlength=9).reshape(3, 3)


def label_scores(matrix: Counts) -> dict[str, WordScores]:
    """Precision, recall and F1 of each label from a confusion matrix (3, 3); 0 instead of 0 / 0."""
    scores = {}
    for label in Label:
        correct, predicted, gold = matrix[label, label], matrix[:, label].sum(), matrix[label].sum()
        scores[label.name] = WordScores(
            float(correct / predicted) if predicted else 0.0,
            float(correct / gold) if gold else 0.0,
            float(2 * correct / (predicted + gold)) if predicted + gold else 0.0,
        )
    return scores


def ends(gold: Bools, kept: Bools) -> tuple[int, int]:
    """Count the errors at the begin and the end of the article, in blocks; 0 if there are none.

    -n: n blocks before its first (or after its last) block were kept. n: its first (or last) n
    blocks are missing. Both are 0 if the gold has no block.

    >>> ends(np.array([0, 1, 1, 1, 0], bool), np.array([1, 1, 1, 0, 0], bool))
    (-1, 1)
    """
    return _begin(gold, kept), _begin(gold[::-1], kept[::-1])


def _begin(gold: Bools, kept: Bools) -> int:
    if not gold.any():
        return 0
    extra = int(kept[: gold.argmax()].sum())
    correct = gold & kept
    missing = gold[: correct.argmax()] if correct.any() else gold
    return -extra or int(missing.sum())


@dataclass(frozen=True, eq=False)
class BlockScores:
    """The scored blocks of a page: gold, labels and kinds, all of shape (n,)."""

    gold: Ints
    labels: Ints
    kinds: Ints

    def __len__(self) -> int:
        return len(self.gold)

    @cached_property
    def truth(self) -> Bools:
        """Mark each block that belongs to the text, shape (n,)."""
        truth: Bools = self.gold != Label.OTHER
        return truth

    @cached_property
    def kept(self) -> Bools:
        """True if each block was kept, shape (n,)."""
        kept: Bools = self.labels != Label.OTHER
        return kept

    @cached_property
    def matrix(self) -> Counts:
        """The confusion matrix, shape (3, 3)."""
        return label_confusion(self.gold, self.labels)

    @cached_property
    def counts(self) -> Counts:
        """Blocks found, wrong and missed (columns) by `BlockKind` (rows), shape (kinds, 3)."""
        parts = (self.truth & self.kept, ~self.truth & self.kept, self.truth & ~self.kept)
        count = [np.bincount(self.kinds[part], minlength=len(BlockKind)) for part in parts]
        return np.array(count, np.int64).T

    @cached_property
    def ends(self) -> tuple[int, int]:
        """Errors at begin and end; see the function `ends`."""
        return ends(self.truth, self.kept)


# the agreement of several annotators


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
    `alpha` is Krippendorff's, by label (against the other two) and over all labels (`all`). NaN if
    only one label occurs.
    """

    annotators: Sequence[str]
    blocks: int
    pages: int
    observed: float
    alpha: Mapping[str, float]
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


def agreement(sources: Sequence[Path]) -> Agreement:
    """Compare label files, or directories of label files paired by name.

    Raises `GoldError` if two files are not of the same page, `CrfcleanError` for fewer than two
    sources, and for sources without a common page.
    """
    if len(sources) < 2:
        raise CrfcleanError("agreement needs two annotators or more")
    pages = [_label_files(source) for source in sources]
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


def _label_files(source: Path) -> dict[str, Path]:
    if source.is_file():
        return {"": source}
    if not source.is_dir():
        raise CrfcleanError(f"{source}: no such file or directory")
    files = sorted(source.rglob(f"*{LABELS_SUFFIX}"))
    return {file.relative_to(source).as_posix(): file for file in files}


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
    count = compared.shape[1]
    observed = 1 - len(differences) / max(1, count)
    return Agreement(annotators, count, pages, observed, alpha, differences)


def agreement_text(result: Agreement) -> str:
    """Return the measures by label, then the blocks that differ, as text."""
    size = f"{plural(result.blocks, 'block')} of {plural(result.pages, 'page')}"
    lines = [
        f"{size}, {result.observed:.3f} with equal labels\n",
        f"{'':8}{'alpha':>8}",
        *(f"{name:8}{alpha:8.3f}" for name, alpha in result.alpha.items()),
    ]
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
    alpha = {name: None if np.isnan(value) else value for name, value in result.alpha.items()}
    return json_report(asdict(result) | {"alpha": alpha})
