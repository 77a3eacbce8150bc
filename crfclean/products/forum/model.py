"""The forum model and its folder: weights that rank groups of elements and label fields."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.model.feature_prints import check_features, fingerprints
from crfclean.model.folder import find_model, reading
from crfclean.model.json_model import read_manifest, read_weights, write_plain
from crfclean.model.layers import softmax
from crfclean.products.forum.body_features import BODY_FEATURES
from crfclean.products.forum.evidence import EVIDENCE
from crfclean.products.forum.fields import FIELD_LABELS, ForumFields
from crfclean.types import Floats, ModelError

_ZEROS = (0.0,) * len(FIELD_LABELS)
_KIND = "forum"


@dataclass(frozen=True)
class Linear:
    """A linear score of standardised values, clipped to four deviations."""

    mean: Floats
    scale: Floats
    weights: Floats

    def scores(self, values: Floats) -> Floats:
        """Score rows of values, shape (n,)."""
        scores: Floats = np.clip((values - self.mean) / self.scale, -4.0, 4.0) @ self.weights
        return scores


@dataclass(frozen=True)
class ForumModel:
    """Weights of `BODY_FEATURES`, of `EVIDENCE`, and of the fields' attributes by label."""

    bodies: Linear
    groups: Linear
    fields: Mapping[str, tuple[float, ...]]
    about: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def fingerprint(self) -> str:
        """16 hexadecimal digits of the SHA-256 of the weights."""
        text = json.dumps(_weights(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def label(self, page_fields: ForumFields) -> Floats:
        """Return the probabilities of the fields' labels by maximum entropy, shape (n, 4)."""
        return softmax(self._sums(page_fields)[page_fields.which].sum(axis=1))

    def _sums(self, page_fields: ForumFields) -> Floats:
        """The sums of a page's distinct parts, which its groups share, (parts, 4)."""
        memo = page_fields.records.page.memo
        if memo.get("sums", [None])[0] is not self:
            memo["sums"] = self, []
        rows: list[tuple[float, ...]] = memo["sums"][1]
        rows += map(self._sum, page_fields.distinct[len(rows) :])
        return np.array(rows)

    def _sum(self, part: tuple[str, ...]) -> tuple[float, ...]:
        weights = [self.fields[name] for name in part if name in self.fields]
        return tuple(map(sum, zip(*weights, strict=True))) if weights else _ZEROS


def save_forum_model(model: ForumModel, folder: Path) -> None:
    """Write a model folder; raises `ModelError`."""
    facts = {"labels": list(FIELD_LABELS), "features": fingerprints(_KIND)}
    write_plain(folder, _KIND, facts, _weights(model), model.about)


def _weights(model: ForumModel) -> dict[str, Any]:
    """The weights as written to a file, rounded."""
    return {
        "bodies": _rounded_rows(model.bodies),
        "groups": _rounded_rows(model.groups),
        "fields": {
            name: [round(weight, 4) for weight in model.fields[name]]
            for name in sorted(model.fields)
        },
    }


def _rounded_rows(linear: Linear) -> list[list[float]]:
    rows = (linear.mean, linear.scale, linear.weights)
    return [[round(float(value), 4) for value in row] for row in rows]


def load_forum_model(name: str | Path = _KIND) -> ForumModel:
    """Load a forum model by its folder or the name of a shipped one; raises `ModelError`."""
    folder = find_model(name)
    with reading(folder):
        manifest = read_manifest(folder, _KIND, "forums")
        if manifest["labels"] != list(FIELD_LABELS):
            raise ModelError(f"{folder}: labels {manifest['labels']} are not ours")
        check_features(folder, manifest["features"], fingerprints(_KIND))
        weights = read_weights(folder, manifest)
        fields = {
            str(key): _checked_row(row, len(FIELD_LABELS)) for key, row in weights["fields"].items()
        }
        about = {str(key): manifest[key] for key in ("sets", "scores") if key in manifest}
        bodies = _linear(weights["bodies"], len(BODY_FEATURES))
        return ForumModel(bodies, _linear(weights["groups"], len(EVIDENCE)), fields, about)


def _checked_row(values: Sequence[float], size: int) -> tuple[float, ...]:
    row = tuple(float(value) for value in values)
    if len(row) != size or not np.isfinite(row).all():
        raise ValueError(f"expected {size} finite numbers")
    return row


def _linear(rows: Sequence[Sequence[float]], size: int) -> Linear:
    mean, scale, weights = (np.array(_checked_row(row, size)) for row in rows)
    if (scale <= 0).any():
        raise ValueError("a scale that is not above 0")
    return Linear(mean, scale, weights)
