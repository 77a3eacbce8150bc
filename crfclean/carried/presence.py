"""Whether and where a page has its content: a logistic regression over its evidence.

`weights.json` has the weights that `eval/models/train_presence.py` learned, with a digest.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from operator import mul
from pathlib import Path
from typing import Any

from crfclean.carried.evidence import FEATURES, LOADERS, Evidence, features
from crfclean.io import check_digest, with_digest, write_atomically
from crfclean.modelfiles.plain import FORMAT, reading
from crfclean.types import Document, ModelError, Page, Presence
from crfclean.types.page import DATA_SOURCES

SHIPPED_WEIGHTS = Path(__file__).parent / "weights.json"
_KIND = "presence"
_READ = frozenset(["ok", "empty", "no-blocks", "nothing-kept", "below-precision"])
"""Statuses of pages that were read; of others nothing is known."""

_Check = Callable[[Evidence], bool]
REASONS: tuple[tuple[str, _Check], ...] = (
    ("empty", lambda page: not (page.all_words or "script" in page.marks)),
    ("error-page", lambda page: page.title_notices["error"]),
    ("needs-script", lambda page: not page.all_words),
    ("paywall", lambda page: page.not_free or page.notices["paywall"]),
    ("login", lambda page: "password" in page.marks or page.notices["login"]),
    ("error-page", lambda page: page.notices["error"]),
    ("needs-script", lambda page: page.notices["script"]),
    ("consent", lambda page: page.notices["consent"]),
    ("needs-script", lambda page: bool(page.marks & LOADERS)),
)
"""Why a page has no content, and the evidence for it; the first that holds, else "empty"."""


@dataclass(frozen=True)
class Weights:
    """The weights of the features; a sum of 0 is a probability of 0.5 that the content is there."""

    intercept: float
    by_feature: Mapping[str, float]

    def probability(self, values: Mapping[str, float]) -> float:
        """The probability (0..1) that the content is there."""
        parts = map(mul, self.by_feature.values(), map(values.__getitem__, self.by_feature))
        total = self.intercept + sum(parts)
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, total))))


def presence_of(document: Document, page: Page) -> Presence | None:
    """Whether and where a page has its content; None for a page that could not be read."""
    if document.status not in _READ:
        return None
    evidence = Evidence(document, page)
    return _presence(evidence, shipped_weights().probability(features(evidence)))


def _presence(evidence: Evidence, probability: float) -> Presence:
    if probability < 0.5:
        reason = next((name for name, holds in REASONS if holds(evidence)), "empty")
        return Presence("not-in-this-html", reason, round(1.0 - probability, 4))
    return Presence(_place(evidence.document.blocks.source), "", round(probability, 4))


def _place(source: str) -> str:
    if source in DATA_SOURCES:
        return "structured"
    return "hidden" if source in ("noscript", "hidden") else "visible"


@cache
def shipped_weights() -> Weights:
    """The shipped weights, read once; raises `ModelError`."""
    return load_weights(SHIPPED_WEIGHTS)


def save_weights(path: Path, weights: Weights, about: Mapping[str, Any]) -> None:
    """Write a file of weights; `about` describes the training set. Raises `OSError`."""
    parts = {
        "format": FORMAT,
        "kind": _KIND,
        "about": dict(about),
        "intercept": weights.intercept,
        "weights": dict(weights.by_feature),
    }
    text = json.dumps(with_digest(parts), indent=0, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def load_weights(path: Path) -> Weights:
    """Read and check a file of weights; raises `ModelError` that says what is wrong."""
    with reading(path):
        parts = json.loads(path.read_text("utf-8"))
        if (parts["kind"], parts["format"]) != (_KIND, FORMAT):
            raise ModelError(f"{path}: no weights of presence, or of another format")
        check_digest(path, parts)
        if set(parts["weights"]) != set(FEATURES):
            raise ModelError(f"{path}: weights of other features: train it again")
        return Weights(float(parts["intercept"]), {**parts["weights"]})
