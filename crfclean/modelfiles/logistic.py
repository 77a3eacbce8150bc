"""Small logistic regressions, whose weights are one JSON file beside the code that uses them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from operator import mul
from pathlib import Path
from typing import Any

from crfclean.io import check_digest, with_digest, write_atomically
from crfclean.modelfiles.plain import FORMAT, reading
from crfclean.types import ModelError

BIAS = "bias"
"""The last input of each regression; its value is 1."""

_MOST = 30.0  # log-odds: beyond, the probability is 0 or 1 anyway, and `exp` overflows
_DECIMALS = 4

Weights = Mapping[str, float]
"""Input -> its weight, `BIAS` last."""


def probability(weights: Weights, inputs: Sequence[float]) -> float:
    """The probability (0..1) for the values of all inputs but the bias, in their order.

    >>> probability({"a": 2.0, "bias": -1.0}, [0.5])
    0.5
    """
    total = sum(map(mul, weights.values(), (*inputs, 1.0)))
    return 1.0 / (1.0 + math.exp(-max(-_MOST, min(_MOST, total))))


def save_logistic(
    path: Path, kind: str, regressions: Mapping[str, Weights], about: Mapping[str, Any]
) -> None:
    """Write the weights of some regressions; `about` describes their pages. Raises `OSError`."""
    rounded = {
        name: {key: round(float(weight), _DECIMALS) for key, weight in weights.items()}
        for name, weights in regressions.items()
    }
    parts = {"format": FORMAT, "kind": kind, "about": dict(about), "weights": rounded}
    text = json.dumps(with_digest(parts), indent=1, ensure_ascii=False)
    write_atomically(path, (text + "\n").encode())


def load_logistic(
    path: Path, kind: str, inputs: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """The weights of regressions with these inputs; raises `ModelError` that says what is wrong."""
    with reading(path):
        parts = json.loads(path.read_text("utf-8"))
        if (parts["kind"], parts["format"]) != (kind, FORMAT):
            raise ModelError(f"{path}: no weights of {kind}, or of another format: train it again")
        check_digest(path, parts)
        weights = {
            name: {key: float(weight) for key, weight in parts["weights"][name].items()}
            for name in inputs
        }
        for name, names in inputs.items():
            if tuple(weights[name]) != (*names, BIAS):
                raise ModelError(f"{path}: {name} has other inputs: train it again")
            if not all(map(math.isfinite, weights[name].values())):
                raise ModelError(f"{path}: {name} has a weight that is not finite")
        return weights
