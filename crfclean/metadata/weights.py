"""File of weights <-> `Weights` of titles, authors and dates, by kind.

`weights.json` has what `eval/train_metadata.py` learned for the ranking, and the probability from
which on a value is given; with them fingerprints of the features, and a digest of all that.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from crfclean.io import (
    canonical,
    check_digest,
    with_digest,
    write_atomically,
)
from crfclean.metadata.gather import gather
from crfclean.metadata.ranking import STRONG, Weights, features, features_of_none
from crfclean.modelfiles.plain import FORMAT, reading
from crfclean.modelfiles.probe import (
    ADDRESSES,
    FORUM_PROBE,
    HEAD_PROBE,
    check_features,
    text_fingerprint,
)
from crfclean.page.blocks import split
from crfclean.types import ModelError, Page

WEIGHTS = Path(__file__).parent / "weights.json"
KIND = "metadata"
_PAGES = ((HEAD_PROBE, ADDRESSES[0]), (HEAD_PROBE, ADDRESSES[1]), (FORUM_PROBE, ""))


@cache
def shipped() -> Mapping[str, Weights]:
    """Kind of value -> the weights in the box, read once; raises `ModelError`."""
    return load(WEIGHTS)


def save(path: Path, weights: Mapping[str, Weights], about: Mapping[str, Any]) -> None:
    """Write a file of weights; `about` says of what they were learned. Raises `OSError`."""
    parts = {
        "format": FORMAT,
        "kind": KIND,
        "about": dict(about),
        "features": fingerprints(),
        "least": {kind: one.least for kind, one in weights.items()},
        "weights": {kind: dict(sorted(one.by_feature.items())) for kind, one in weights.items()},
    }
    text = json.dumps(with_digest(parts), indent=0, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def load(path: Path) -> dict[str, Weights]:
    """Read and check a file of weights; raises `ModelError` naming what is wrong."""
    with reading(path):
        parts = json.loads(path.read_text("utf-8"))
        if (parts["kind"], parts["format"]) != (KIND, FORMAT):
            raise ModelError(
                f"{path}: no weights of metadata, or of another format: train it again"
            )
        check_digest(path, parts)
        check_features(path, parts["features"], fingerprints())
        return {kind: _weights(parts["weights"][kind], parts["least"][kind]) for kind in STRONG}


def _weights(by_feature: Mapping[str, float], least: float) -> Weights:
    """Raises `ValueError` for what is no finite number, or no probability."""
    if not all(math.isfinite(weight) for weight in by_feature.values()):
        raise ValueError("a weight is no finite number")
    if not 0.0 <= least <= 1.0:
        raise ValueError(f"the least probability {least} is not in 0..1")
    return Weights(by_feature, least)


@cache
def fingerprints() -> dict[str, str]:
    """Kind of value -> fingerprint: the features of its values on some built-in pages."""
    return {kind: text_fingerprint(canonical(sets)) for kind, sets in rows().items()}


def rows() -> dict[str, list[list[str]]]:
    """Kind of value -> the features, sorted, of its values on the built-in pages and of none."""
    by_kind: dict[str, list[list[str]]] = {kind: [] for kind in STRONG}
    for html, address in _PAGES:
        page = gather(split(Page(html)), address)
        values = {"title": page.titles, "author": page.authors, "date": page.dates}
        for kind, said in values.items():
            sets = [*features(kind, said, page.context), features_of_none(said, page.context)]
            by_kind[kind] += map(sorted, sets)
    return by_kind
