"""Small logistic regressions, whose weights are one JSON file beside the code that uses them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from operator import mul
from pathlib import Path

from crfclean.io import check_digest, read_file
from crfclean.model.folder import reading
from crfclean.model.json_model import FORMAT, MOST_WEIGHT
from crfclean.types import ModelError

BIAS = "bias"
"""The last input of each regression; its value is 1."""

_MOST = 30.0  # log-odds: beyond it the probability is 0 or 1, and `exp` overflows

Weights = Mapping[str, float]
"""Input -> its weight, `BIAS` last."""


def probability(weights: Weights, inputs: Sequence[float]) -> float:
    """Return the probability (0..1) for the values of all inputs but the bias, in order.

    >>> probability({"a": 2.0, "bias": -1.0}, [0.5])
    0.5
    """
    total = sum(map(mul, weights.values(), (*inputs, 1.0)))
    return 1.0 / (1.0 + math.exp(-max(-_MOST, min(_MOST, total))))


def load_logistic(
    path: Path, kind: str, inputs: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """Read the weights of regressions with these inputs; raises `ModelError`."""
    with reading(path):
        parts = json.loads(read_file(path))
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
            if not all(abs(weight) <= MOST_WEIGHT for weight in weights[name].values()):
                raise ModelError(f"{path}: {name} has a weight beyond +-{MOST_WEIGHT:g}")
        return weights
