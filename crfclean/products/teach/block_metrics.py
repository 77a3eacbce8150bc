"""Compare the labels of blocks with the gold, by kind of block, and at both ends of the text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from crfclean.model.coarse_kinds import is_byline, is_caption, is_comment
from crfclean.products.teach.metrics import WordScores
from crfclean.types import Blocks, Bools, Ints, Label

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
