"""Write weights with four decimals, so that equal models have equal bytes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from crfclean.io import with_digest, write_atomically
from crfclean.model.json_model import FORMAT
from crfclean.model.logistic import Weights

_DECIMALS = 4


def numbers(array: npt.NDArray[np.floating[Any]]) -> list[Any]:
    """Return an array with four decimals, so that equal models have equal bytes."""
    rounded: list[Any] = np.round(array.astype(np.float64), _DECIMALS).tolist()
    return rounded


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
