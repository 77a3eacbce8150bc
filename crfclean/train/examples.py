"""Turn annotated pages into examples for training, and train networks on them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.features.columns import Frame, frame
from crfclean.features.table import FEATURES, GROUPS, singles
from crfclean.features.zones import coarse_kinds
from crfclean.gold.pages import GoldPage, gold_labels
from crfclean.modelfiles.folder import page_digest
from crfclean.nn.fit import TrainingPage, block_weights, fit_network
from crfclean.nn.mlp import Network
from crfclean.nn.params import NetworkParams
from crfclean.page.blocks import SplitParams, split
from crfclean.page.measures import measured
from crfclean.types import Bools, CoarseKind, CrfcleanError, Floats, Ints, Label

# examples: the data of an annotated page for training, without its HTML


@dataclass(frozen=True, slots=True)
class Example:
    """One page ready for training.

    `columns` (n, features) are those of the whole table or of the requested features, in single
    precision; `labels` are (n,). `certain` (n,) is False for blocks in doubt, which train nothing.
    `informative` (n,) is also False for main headings: their labels depend on the convention of the
    annotation, not on the page.
    """

    columns: npt.NDArray[np.float32]
    labels: Ints
    frame: Frame
    certain: Bools
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
    labels, certain = gold_labels(gold, blocks)
    informative = certain & (coarse_kinds(page) != CoarseKind.TITLE)
    return Example(singles(page, names), labels, frame(page), certain, informative, gold.site)


Progress = Callable[[str, int], None]
"""Called during training with a unit and how many of it are done: ("page", 1)."""


def no_progress(unit: str, count: int) -> None:
    """Ignore progress."""


def lessons_of(
    pages: Iterable[GoldPage],
    elements: tuple[str, ...],
    progress: Progress,
    names: Sequence[str] | None = None,
) -> tuple[list[Example], dict[str, Any]]:
    """Make the examples of annotated pages, as in `make_example`, and fields of a `Bundle`.

    The fields are `sets`, the names of the sets of pages, and `pages`, their digests.
    """
    examples, sets, digests = [], Counter[str](), set[bytes]()
    for gold in pages:
        examples.append(make_example(gold, elements, names))
        sets[gold.source] += 1
        digests.add(page_digest(gold.page.html))
        progress("page", 1)
    named = [{"name": name, "pages": count} for name, count in sets.items()]
    return examples, {"sets": named, "pages": frozenset(digests)}


def fold_of(site: str, folds: int) -> int:
    """Return the fold of a site by a digest of its name, the same on every machine.

    >>> [fold_of(site, 5) for site in ("a.org", "b.org", "c.org")]
    [0, 3, 2]
    """
    return int(hashlib.sha256(site.encode()).hexdigest(), 16) % folds


# stacking: the networks of a first pass, and their out-of-fold probabilities
#
# Stacked generalisation (Wolpert 1992): the CRF must learn from probabilities that are as
# unreliable as on new pages. So the probabilities of each page come from networks that
# were trained on the sites of other folds.

FOLDS = 4
FEATURE_GROUPS = np.repeat(np.arange(len(GROUPS)), [len(group) for group in GROUPS.values()])
"""The group of each feature, by its place, shape (features,)."""


def first_passes(
    examples: Sequence[Example],
    members: int,
    params: NetworkParams,
    progress: Progress,
) -> tuple[Network, list[Floats]]:
    """Train a network of `members` members; also return out-of-fold probabilities (n, 3).

    Raises `CrfcleanError` for fewer than two pages with blocks.
    """
    filled = [index for index, example in enumerate(examples) if len(example)]
    if len(filled) < 2:
        raise CrfcleanError("networks need two pages with blocks to train on, or more")
    pages = {index: first_pass_page(examples[index], params) for index in filled}
    folds = dict(zip(filled, _folds([examples[index].site for index in filled]), strict=True))

    def fit_pages(indices: Sequence[int]) -> Network:
        training = [pages[index] for index in indices]
        network = fit_network(
            tuple(FEATURES), training, params.design, range(1, members + 1), FEATURE_GROUPS
        )
        progress("network", members)
        return network

    marginals: list[Floats] = [np.zeros((0, len(Label)))] * len(examples)
    for fold in sorted(set(folds.values())):
        network = fit_pages([index for index in filled if folds[index] != fold])
        for index in filled:
            if folds[index] == fold:
                marginals[index] = network(examples[index].columns)
    return fit_pages(filled), marginals


def first_pass_page(example: Example, params: NetworkParams) -> TrainingPage:
    """Return the network's training data from an example."""
    weights = block_weights(example.frame.words, params.evenness) * example.informative
    return TrainingPage(example.columns, example.labels, weights)


def _folds(sites: Sequence[str]) -> list[int]:
    """Return the fold of each page by its site, or by its index if one fold has all sites."""
    folds = [fold_of("first pass of " + site, FOLDS) for site in sites]
    return folds if len(set(folds)) > 1 else [index % FOLDS for index in range(len(sites))]
