"""The forum model and its folder, with the fingerprints of its features."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from crfclean.forum.bodies import BODY_FEATURES, body_groups, feature_rows
from crfclean.forum.outline import outline
from crfclean.forum.records import EVIDENCE, LABELS, ForumFields, evidence, fields, records
from crfclean.io import canonical
from crfclean.model.folder import find_model, read_manifest, read_weights, reading, write_plain
from crfclean.model.networks import softmax
from crfclean.model.probe import (
    FORUM_PROBE,
    check_features,
    column_fingerprint,
    text_fingerprint,
)
from crfclean.page.blocks import split
from crfclean.types import Floats, ModelError, Page

# fingerprints of the forum model's features, computed on a built-in thread

_TAGS = ("section", "article")
"""Elements of the probe page that hold the body of a post, or the whole post."""

_TEASERS = (
    '<div class="more"><h4><a href="/t/3">Skating by night on the lower lake</a></h4><p>There is '
    'no moon this week, but…</p><h4><a href="/t/4">Woollen or waxed laces?</a></h4><p>Both freeze.'
    "</p></div>"
)
"""Teasers for the probe page, which has none: other models depend on the bytes of that page."""

_PARTS = ("field's text", "field's place", "field's elements")
"""Names of the three parts of a field's attributes."""


@cache
def forum_fingerprints() -> dict[str, str]:
    """Return the fingerprint of every feature: of groups, of their evidence, of fields by part."""
    page = outline(split(Page(FORUM_PROBE.replace("<footer>", f"{_TEASERS}<footer>"))))
    tags = np.array(page.page.nodes.tags)
    groups = [fields(records(page, np.flatnonzero(tags == tag))) for tag in _TAGS]
    signs = np.array(
        [evidence(page_fields, _probabilities(len(page_fields))) for page_fields in groups]
    )
    columns = dict(zip(BODY_FEATURES, feature_rows(body_groups(page)).T, strict=True))
    columns |= dict(zip(EVIDENCE, signs.T, strict=True))
    parts = {
        name: canonical([[field[part] for field in page_fields.parts] for page_fields in groups])
        for part, name in enumerate(_PARTS)
    }
    prints = {name: column_fingerprint(column) for name, column in columns.items()}
    return prints | {name: text_fingerprint(text) for name, text in parts.items()}


def _probabilities(count: int) -> Floats:
    """Made-up probabilities of fields, shape (n, labels), whose rows differ."""
    steps = np.add.outer(np.arange(count) * 5, np.arange(len(LABELS)) * 3) % 7 + 0.1
    shares: Floats = steps / steps.sum(axis=1, keepdims=True)
    return shares


# the forum model and its folder: weights that rank groups of elements and label fields
#
# A folder holds `manifest.json` and `weights.json`; the manifest has the weights' length and
# SHA-256, and fingerprints of the features. Numbers are written with four decimals: equal models
# give equal bytes.

_ZEROS = (0.0,) * len(LABELS)
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
        if not len(page_fields):
            return np.zeros((0, len(LABELS)))
        sums = {part: self._sum(part) for part in set(chain.from_iterable(page_fields.parts))}
        scores = [[sums[part] for part in parts] for parts in page_fields.parts]
        return softmax(np.array(scores).sum(axis=1))

    def _sum(self, part: tuple[str, ...]) -> tuple[float, ...]:
        weights = [self.fields[name] for name in part if name in self.fields]
        return tuple(map(sum, zip(*weights, strict=True))) if weights else _ZEROS


def save_forum_model(model: ForumModel, folder: Path) -> None:
    """Write a model folder; raises `ModelError`."""
    facts = {"labels": list(LABELS), "features": forum_fingerprints()}
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
        if manifest["labels"] != list(LABELS):
            raise ModelError(f"{folder}: labels {manifest['labels']} are not ours")
        check_features(folder, manifest["features"], forum_fingerprints())
        weights = read_weights(folder, manifest)
        fields = {
            str(key): _checked_row(row, len(LABELS)) for key, row in weights["fields"].items()
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
