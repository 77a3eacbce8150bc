"""Score texts, the labels of blocks, and the probabilities of labels against the gold."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt
from rapidfuzz.distance import LCSseq, Levenshtein

from crfclean.model.zones import is_byline, is_caption, is_comment
from crfclean.page.align import spelled, tokens
from crfclean.page.measures import Measures
from crfclean.types import Bools, Ints, Label

__all__ = ["WordScores"]

# score a text against its gold: words, word order, characters, snippets

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


def word_scores(text: str, gold: str, optional: str = "") -> WordScores:
    r"""Compare two texts as multisets of lower-cased `\w+` tokens (WCXB's measure).

    With c tokens in common, P = c / |text|, R = c / |gold|, F1 = 2 c / (|text| + |gold|). Two
    empty texts score 1; if only one is empty, the scores are 0. Extra tokens of the text do not
    count against it if they are in `optional`, each as often as it occurs there.

    >>> word_scores("the cat sat", "The cat sat down.")
    WordScores(precision=1.0, recall=0.75, f1=0.8571428571428571)
    >>> word_scores("the cat sat", "the cat", "Sat!").precision
    1.0
    """
    words, gold_words, optional_words = (
        Counter(_WORD.findall(part.lower())) for part in (text, gold, optional)
    )
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


@dataclass(frozen=True, slots=True)
class Snippets:
    """Counts of snippets: `found` of the wanted ones, `kept_out` of the unwanted ones."""

    wanted: int = 0
    found: int = 0
    unwanted: int = 0
    kept_out: int = 0


NO_SNIPPETS = Snippets()


def snippet_scores(text: str, expected: Sequence[str], forbidden: Sequence[str]) -> Snippets:
    """Count the snippets whose words, as spelled, are a sequence of the text.

    >>> snippet_scores("It sails again, “daily”.", ["sails again"], ["Daily", "ails"])
    Snippets(wanted=1, found=1, unwanted=2, kept_out=2)
    """
    if not expected and not forbidden:
        return NO_SNIPPETS
    words = _joined(text)
    present = sum(_joined(snippet) in words for snippet in expected)
    leaked = sum(_joined(snippet) in words for snippet in forbidden)
    return Snippets(len(expected), present, len(forbidden), len(forbidden) - leaked)


def _joined(text: str) -> str:
    return f" {' '.join(spelled(text))} "


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


def block_kinds(page: Measures) -> Ints:
    """The `BlockKind` of each block, shape (n,)."""
    kinds = np.full(len(page), BlockKind.PARAGRAPH, np.int32)
    if not len(page):
        return kinds
    kinds[page.inside(*_INSETS)[page.node] > 0] = BlockKind.INSET
    kinds[page.inside(*_ITEMS)[page.node] > 0] = BlockKind.LIST_ITEM
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
