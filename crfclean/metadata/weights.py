"""Read and write the file of weights that ranks titles, authors and dates.

`weights.json` has the weights that `eval/models/train_metadata.py` learned and the least
probability of an output value for each kind, with fingerprints of the features and a digest.
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
from crfclean.metadata.gather import gather_candidates
from crfclean.metadata.ranking import STRONG, RankingWeights, features, features_of_none
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

SHIPPED_WEIGHTS = Path(__file__).parent / "weights.json"
_KIND = "metadata"
_PAGES = ((HEAD_PROBE, ADDRESSES[0]), (HEAD_PROBE, ADDRESSES[1]), (FORUM_PROBE, ""))


@cache
def shipped_weights() -> Mapping[str, RankingWeights]:
    """Kind of value -> the shipped weights, read once; raises `ModelError`."""
    return load_weights(SHIPPED_WEIGHTS)


def save_weights(
    path: Path, weights: Mapping[str, RankingWeights], about: Mapping[str, Any]
) -> None:
    """Write a file of weights; `about` describes the training set. Raises `OSError`."""
    parts = {
        "format": FORMAT,
        "kind": _KIND,
        "about": dict(about),
        "features": ranking_fingerprints(),
        "least": {kind: ranking.least for kind, ranking in weights.items()},
        "weights": {
            kind: dict(sorted(ranking.by_feature.items())) for kind, ranking in weights.items()
        },
    }
    text = json.dumps(with_digest(parts), indent=0, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def load_weights(path: Path) -> dict[str, RankingWeights]:
    """Read and check a file of weights; raises `ModelError` that says what is wrong."""
    with reading(path):
        parts = json.loads(path.read_text("utf-8"))
        if (parts["kind"], parts["format"]) != (_KIND, FORMAT):
            raise ModelError(
                f"{path}: no weights of metadata, or of another format: train it again"
            )
        check_digest(path, parts)
        check_features(path, parts["features"], ranking_fingerprints())
        return {kind: _weights(parts["weights"][kind], parts["least"][kind]) for kind in STRONG}


def _weights(by_feature: Mapping[str, float], least: float) -> RankingWeights:
    """Raises `ValueError` for a weight that is not finite or a `least` that is no probability."""
    if not all(math.isfinite(weight) for weight in by_feature.values()):
        raise ValueError("a weight is no finite number")
    if not 0.0 <= least <= 1.0:
        raise ValueError(f"the least probability {least} is not in 0..1")
    return RankingWeights(by_feature, least)


@cache
def ranking_fingerprints() -> dict[str, str]:
    """Kind of value -> fingerprint of the features of its values on the probe pages."""
    return {kind: text_fingerprint(canonical(sets)) for kind, sets in probe_rows().items()}


def probe_rows() -> dict[str, list[list[str]]]:
    """Kind of value -> sorted features of each of its values, and of none, on the probe pages."""
    by_kind: dict[str, list[list[str]]] = {kind: [] for kind in STRONG}
    for html, address in _PAGES:
        page = gather_candidates(split(Page(html)), address)
        values = {"title": page.titles, "author": page.authors, "date": page.dates}
        for kind, stated in values.items():
            sets = [*features(kind, stated, page.context), features_of_none(stated, page.context)]
            by_kind[kind] += map(sorted, sets)
    return by_kind
