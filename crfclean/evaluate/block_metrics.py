"""Gold and given labels of a page's blocks -> counts by kind, confusion, begin and end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from crfclean.evaluate.metrics import WordScores
from crfclean.features.kinds import is_byline, is_caption, is_comment
from crfclean.page.measures import Measures
from crfclean.page.tree import in_heading
from crfclean.types import Bools, Floats, Ints, Label

Counts = npt.NDArray[np.int64]


class BlockKind(IntEnum):
    """What a block is in the tables of blocks: by its markup, the first that fits from below."""

    PARAGRAPH = 0
    INSET = 1
    LIST_ITEM = 2
    COMMENT = 3
    BYLINE = 4
    CAPTION = 5
    HEADING = 6


LETTERS: Mapping[BlockKind, str] = {
    BlockKind.PARAGRAPH: "P",
    BlockKind.INSET: "IN",
    BlockKind.LIST_ITEM: "LI",
    BlockKind.COMMENT: "C",
    BlockKind.BYLINE: "BY",
    BlockKind.CAPTION: "F",
    BlockKind.HEADING: "H",
}
"""The letters of the perceptron paper's tables (H, F, IN, LI) and of the kinds it has not."""

_INSETS = ("aside", "blockquote", "table", "details")
_ITEMS = ("li", "dt", "dd")


def block_kinds(page: Measures) -> Ints:
    """The `BlockKind` of each block, shape (n,)."""
    found = np.full(len(page), BlockKind.PARAGRAPH, np.int32)
    if not len(page):
        return found
    found[page.inside(_INSETS)[page.page.node] > 0] = BlockKind.INSET
    found[page.inside(_ITEMS)[page.page.node] > 0] = BlockKind.LIST_ITEM
    found[is_comment(page)] = BlockKind.COMMENT
    found[is_byline(page)] = BlockKind.BYLINE
    found[is_caption(page)] = BlockKind.CAPTION
    found[in_heading(page)] = BlockKind.HEADING
    return found


def label_confusion(gold: Ints, labels: Ints) -> Counts:
    """Counts of blocks by gold label (rows) and given label (columns), shape (3, 3)."""
    return np.bincount(gold * 3 + labels, minlength=9).reshape(3, 3)


def label_scores(matrix: Counts) -> dict[str, WordScores]:
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


def ends(gold: Bools, kept: Bools) -> tuple[int, int]:
    """How the begin and the end of the article were found, 0: exactly.

    Negative: so many blocks were kept before its first, or after its last block. Else positive:
    so many of its blocks are missing there. Both are 0 where the gold has no block.

    >>> ends(np.array([0, 1, 1, 1, 0], bool), np.array([1, 1, 1, 0, 0], bool))
    (-1, 1)
    """
    return _begin(gold, kept), _begin(gold[::-1], kept[::-1])


def _begin(gold: Bools, kept: Bools) -> int:
    if not gold.any():
        return 0
    early = int(kept[: gold.argmax()].sum())
    right = gold & kept
    missed = gold[: right.argmax()] if right.any() else gold
    return -early or int(missed.sum())


@dataclass(frozen=True, eq=False)
class BlockScores:
    """The blocks of a page that count: labels, kinds, words, all of shape (n,).

    `probability` (n,) says how likely each is kept, None where a system tells none.
    """

    gold: Ints
    labels: Ints
    kinds: Ints
    words: Floats
    probability: Floats | None = None

    def __len__(self) -> int:
        return len(self.gold)

    @cached_property
    def truth(self) -> Bools:
        """Whether each block belongs to the text, shape (n,)."""
        truth: Bools = self.gold != Label.OTHER
        return truth

    @cached_property
    def kept(self) -> Bools:
        """Whether each block was kept, shape (n,)."""
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
        """How begin and end were found; see `ends`."""
        return ends(self.truth, self.kept)
