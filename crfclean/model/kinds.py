"""The model of kinds: how probable each kind of each block is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.core.labels import Dense
from crfclean.model.block_kinds import kinds_of
from crfclean.model.columns import single_rows
from crfclean.model.feature_prints import check_features, fingerprints, fingerprints_of
from crfclean.model.folder import find_model, reading
from crfclean.model.json_model import finite, read_manifest, read_weights
from crfclean.model.layers import Layer, Layers, Scaling, Singles
from crfclean.model.networks import dense
from crfclean.page.head import THREAD_TYPES, head_metadata
from crfclean.page.measures import once
from crfclean.types import Blocks, Document, Floats, Ints, Kind, LikelyKind

# compute the columns that the model of kinds reads

REACHES = (3, 12)
"""Blocks to each side in which the kinds by evidence are counted."""


def evidence_names() -> tuple[str, ...]:
    """Return the names of the columns after the table: kinds of the block and of blocks around."""
    places = ("kind", "kind[-1]", "kind[+1]", *(f"kind_around{reach}" for reach in REACHES))
    return tuple(f"{place}={kind.name.lower()}" for place in places for kind in Kind)


def kind_columns(page: Blocks, features: Sequence[str]) -> Singles:
    """Compute the columns of some features of the table, then of `evidence_names`; (n, k).

    They are a view of rows (k, n), which the core scales without a copy.
    """
    kinds = (kinds_of(page) == np.arange(len(Kind))[:, None]).astype(np.float32)
    around = (shares_around(kinds, reach) for reach in REACHES)
    rows = (single_rows(page, features), kinds, _shifted(kinds, 1), _shifted(kinds, -1), *around)
    return np.concatenate(rows).T


def _shifted(rows: Singles, steps: int) -> Singles:
    """Shift rows (k, n) by `steps` blocks; values from beyond the page are 0."""
    shifted = np.zeros_like(rows)
    if steps > 0:
        shifted[:, steps:] = rows[:, :-steps]
    else:
        shifted[:, :steps] = rows[:, -steps:]
    return shifted


def shares_around(rows: Singles, reach: int) -> Singles:
    """Average rows (k, n) over each block and `reach` blocks to each side, (k, n)."""
    count, places = rows.shape[1], np.arange(rows.shape[1])
    sums = np.zeros((len(rows), count + 1))
    np.cumsum(rows, axis=1, out=sums[:, 1:])
    low, high = np.maximum(0, places - reach), np.minimum(count, places + reach + 1)
    means: Singles = ((sums[:, high] - sums[:, low]) / (high - low)).astype(np.float32)
    return means


# the model of kinds and its file format
#
# A folder has `manifest.json` and `weights.json`. The manifest has the length and SHA-256 of the
# weights, and fingerprints of the features and of the kinds by evidence. Numbers have four
# decimals, so that equal models have equal bytes.

KIND_MODEL = "kinds"
"""Name of the shipped model, and its kind in the manifest."""

OUTPUTS = (*(kind.name for kind in Kind), "OTHER")
"""The outputs of the model: the kinds, and other blocks outside the content."""


@dataclass(frozen=True, eq=False)
class KindModel:
    """A network over the columns of `features` and of the kinds by evidence around a block.

    Its last layer has the logits of `OUTPUTS`. `about` has further entries of the manifest.
    """

    features: tuple[str, ...]
    scaling: Scaling
    layers: Layers
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def shares(self) -> Dense:
        """Columns (n, k) -> the probability of each of `OUTPUTS`, (n, outputs)."""
        return dense(self.scaling, (self.layers,))

    def __call__(self, page: Blocks) -> Floats:
        """The probability of each `Kind` for each block, shape (n, kinds)."""
        return by_kind(self.shares(kind_columns(page, self.features)))


def by_kind(shares: Floats) -> Floats:
    """Convert probabilities of `OUTPUTS` (n, outputs) to probabilities of kinds (n, kinds).

    Blocks of no kind count as paragraphs, and posts as comments, as in `kinds_of`.
    """
    kinds = shares[:, : len(Kind)].copy()
    kinds[:, Kind.PARAGRAPH] += shares[:, len(Kind)]
    kinds[:, Kind.COMMENT] += kinds[:, Kind.POST]
    kinds[:, Kind.POST] = 0.0
    return kinds


def kind_fingerprints(features: Sequence[str]) -> dict[str, str]:
    """The fingerprints of these features, and of the kinds by evidence."""
    return {**fingerprints_of(features), **fingerprints("kinds")}


def load_kind_model(name: str | Path = KIND_MODEL) -> KindModel:
    """Open a model of kinds: a folder, or the name of the shipped one. Raises `ModelError`."""
    folder = find_model(name)
    with reading(folder):
        manifest = read_manifest(folder, KIND_MODEL, "kinds")
        features = tuple(name for name in manifest["features"] if name not in fingerprints("kinds"))
        check_features(folder, manifest["features"], kind_fingerprints(features))
        if manifest["outputs"] != list(OUTPUTS):
            raise ValueError("other kinds than this version has")
        about = {key: manifest[key] for key in ("parameters", "sets", "scores") if key in manifest}
        return _model(features, read_weights(folder, manifest), about)


def _model(features: tuple[str, ...], weights: Mapping[str, Any], about: Any) -> KindModel:
    """Make the model; raises `ValueError` for weights that do not fit or are not finite."""
    width = len(features) + len(evidence_names())
    log, mean, deviation = (
        finite(weights[name], (width,)) for name in ("log", "mean", "deviation")
    )
    if (deviation <= 0).any():
        raise ValueError("a deviation that is not above 0")
    units = [len(layer["bias"]) for layer in weights["layers"]]
    if not units or units[-1] != len(OUTPUTS):
        raise ValueError("the last layer does not have the kinds")
    activations = (*("relu" for _ in units[1:]), "linear")
    layers = tuple(
        Layer(
            finite(layer["weights"], shape).astype(np.float32),
            finite(layer["bias"], shape[1:]).astype(np.float32),
            activation,
        )
        for layer, shape, activation in zip(
            weights["layers"], pairwise((width, *units)), activations, strict=True
        )
    )
    return KindModel(features, Scaling(log > 0, mean, deviation), layers, about)


@once
def kind_probabilities(page: Blocks) -> Floats:
    """Predict the probability of each `Kind` for each block, (n, kinds); posts are comments.

    A formula or note by evidence has probability 1: no labelled page has any, so the model does not
    know them. Raises `ModelError` for a damaged model.
    """
    probabilities, kinds = open_kind_model()(page), kinds_of(page)
    for kind in (Kind.FORMULA, Kind.NOTE):
        probabilities[kinds == kind] = np.eye(len(Kind))[kind]
    return probabilities


@lru_cache(maxsize=1)
def open_kind_model() -> KindModel:
    """Load the shipped model, once a process; raises `ModelError`."""
    return load_kind_model()


# give each block of a document its kind, with a probability; comments of threads are posts

_BY_VALUE = {kind.value: kind for kind in Kind}  # faster than `Kind(value)`


@dataclass(frozen=True, eq=False)
class BlockKinds(Sequence[Kind]):
    """The `Kind` of each of n blocks, computed on first use, since few users need them.

    `thread` is the probability that the page is a thread. If it is None, the page is a thread if it
    declares so.
    """

    blocks: Blocks
    thread: float | None = None

    @cached_property
    def values(self) -> tuple[Kind, ...]:
        """The kinds of all blocks, by evidence."""
        return self._named(kinds_of(self.blocks))

    @cached_property
    def likely(self) -> tuple[LikelyKind, ...]:
        """Probabilities of each block's kinds by the model; posts have those of comments."""
        page = self.blocks
        probabilities = kind_probabilities(page)
        likeliest = probabilities.argmax(1).astype(np.int32)
        of_kind, of_likeliest = (
            probabilities[np.arange(len(page)), kinds].tolist()
            for kinds in (kinds_of(page), likeliest)
        )
        rows = zip(of_kind, self._named(likeliest), of_likeliest, strict=True)
        return tuple(LikelyKind(*row) for row in rows)

    def _named(self, kinds: Ints) -> tuple[Kind, ...]:
        """Convert kinds (n,) to `Kind`; comments of a thread become posts."""
        is_thread = not THREAD_TYPES.isdisjoint(head_metadata(self.blocks).types)
        if self.thread is not None:
            is_thread = self.thread >= 0.5
        posted = np.where((kinds == Kind.COMMENT) & is_thread, Kind.POST, kinds)
        return tuple(map(_BY_VALUE.__getitem__, posted.tolist()))

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, index: Any) -> Any:
        return self.values[index]


@dataclass(frozen=True, eq=False)
class LikelyKinds(Sequence[LikelyKind]):
    """Probabilities of each block's kinds by the model, computed on first use."""

    kinds: BlockKinds

    def __len__(self) -> int:
        return len(self.kinds)

    def __getitem__(self, index: Any) -> Any:
        return self.kinds.likely[index]


def document_kinds(document: Document) -> BlockKinds:
    """Return the `Kind` of each block of a document, computed on first use."""
    return BlockKinds(document.blocks, document.tags.thread)
