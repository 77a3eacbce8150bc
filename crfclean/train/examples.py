"""Examples: what training needs of an annotated page, without its HTML."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crfclean.features.first_pass import Frame, frame
from crfclean.features.kinds import coarse_kinds
from crfclean.features.table import singles
from crfclean.gold.pages import GoldPage, gold_labels
from crfclean.page.blocks import SplitParams, split
from crfclean.page.measures import measured
from crfclean.types import Bools, CoarseKind, Ints


@dataclass(frozen=True, slots=True)
class Example:
    """One page ready for training.

    `columns` (n, features) are those of the whole table or of the requested features, in single
    precision; `labels` (n,). `informative` (n,) is False for blocks whose label reflects
    the annotation's convention rather than the page: main headings, which some sets never keep.
    """

    columns: npt.NDArray[np.float32]
    labels: Ints
    frame: Frame
    informative: Bools
    site: str = ""

    def __len__(self) -> int:
        return len(self.labels)


def make_example(
    gold: GoldPage, elements: tuple[str, ...] = (), names: Sequence[str] | None = None
) -> Example:
    """The example of an annotated page, with columns of `names`, or of the whole table.

    Raises `GoldError` if a label file does not match the page.
    """
    blocks = split(gold.page, SplitParams(elements))
    page = measured(blocks)
    labels = gold_labels(gold, blocks)
    columns = singles(page, names)
    return Example(columns, labels, frame(page), coarse_kinds(page) != CoarseKind.TITLE, gold.site)


def fold_of(site: str, folds: int) -> int:
    """The fold of a site by a digest of its name, the same on every machine.

    >>> [fold_of(site, 5) for site in ("a.org", "b.org", "c.org")]
    [0, 3, 2]
    """
    return int(hashlib.sha256(site.encode()).hexdigest(), 16) % folds
