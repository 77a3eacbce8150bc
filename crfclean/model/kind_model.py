"""The model of kinds and its file format."""

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
from crfclean.model.feature_prints import check_features, fingerprints, fingerprints_of
from crfclean.model.folder import find_model, reading
from crfclean.model.json_model import finite, read_manifest, read_weights
from crfclean.model.kind_columns import evidence_names, kind_columns
from crfclean.model.layers import Layer, Layers, Scaling
from crfclean.model.networks import dense
from crfclean.page.measures import once
from crfclean.types import Blocks, Floats, Kind

KIND_MODEL = "kinds"
"""Name of the shipped model, and its kind in the manifest."""

KIND_OUTPUTS = (*(kind.name for kind in Kind), "OTHER")
"""The outputs of the model: the kinds, and other blocks outside the content."""


@dataclass(frozen=True, eq=False)
class KindModel:
    """A network over the columns of `features` and of the kinds by evidence around a block.

    Its last layer has the logits of `KIND_OUTPUTS`. `about` has further entries of the manifest.
    """

    features: tuple[str, ...]
    scaling: Scaling
    layers: Layers
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def shares(self) -> Dense:
        """Columns (n, k) -> the probability of each of `KIND_OUTPUTS`, (n, outputs)."""
        return dense(self.scaling, (self.layers,))

    def __call__(self, page: Blocks) -> Floats:
        """The probability of each `Kind` for each block, shape (n, kinds)."""
        return by_kind(self.shares(kind_columns(page, self.features)))


def by_kind(shares: Floats) -> Floats:
    """Convert probabilities of `KIND_OUTPUTS` (n, outputs) to probabilities of kinds (n, kinds).

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
        if manifest["outputs"] != list(KIND_OUTPUTS):
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
    if not units or units[-1] != len(KIND_OUTPUTS):
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
